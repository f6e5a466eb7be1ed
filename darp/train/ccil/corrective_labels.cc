#include "darp/train/ccil/corrective_labels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace darp {
namespace {

constexpr uint64_t kLabelStream = 0xCC12;
constexpr double kRootTolerance = 1e-4;
constexpr int kMostRootSteps = 50;

/// Labels with the transition that each comes from.
struct Candidates {
  Matrix states, actions;
  std::vector<int64_t> from;
};

/// to = a - b.
void subtract(MatrixView a, MatrixView b, MutableMatrixView to) {
  for (int64_t i = 0; i < to.rows(); ++i)
    for (int64_t j = 0; j < to.cols(); ++j) to(i, j) = a(i, j) - b(i, j);
}

double distance_of(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t j = 0; j < a.size(); ++j) {
    const double apart = static_cast<double>(a[j]) - static_cast<double>(b[j]);
    sum += apart * apart;
  }
  return std::sqrt(sum);
}

Candidates one_each(const Transitions& transitions) {
  Candidates made{Matrix::copy_of(transitions.states), Matrix::copy_of(transitions.actions),
                  std::vector<int64_t>(transitions.rows())};
  std::iota(made.from.begin(), made.from.end(), 0);
  return made;
}

Candidates backward_euler(const DynamicsModel& model, const Transitions& transitions,
                          ThreadPool& pool) {
  Candidates made = one_each(transitions);
  subtract(transitions.states, model.residuals(transitions.states, transitions.actions, pool),
           made.states.mutable_view());
  return made;
}

Candidates forward_euler(const DynamicsModel& model, const Transitions& transitions,
                         ThreadPool& pool) {
  Candidates made = one_each(transitions);
  std::vector<bool> solved(made.from.size());
  Matrix next = Matrix::uninitialized(made.states.rows(), made.states.cols());
  for (int step = 0; step <= kMostRootSteps; ++step) {
    subtract(transitions.states, model.residuals(made.states, made.actions, pool),
             next.mutable_view());
    // What s_g + f(s_g, a) misses s by is how far s_g is from the next guess.
    for (int64_t i = 0; i < next.rows(); ++i)
      if (!solved[i]) {
        solved[i] = distance_of(std::as_const(made.states).row(i), std::as_const(next).row(i)) <=
                    kRootTolerance;
        if (!solved[i]) std::ranges::copy(std::as_const(next).row(i), made.states.row(i).begin());
      }
    if (std::ranges::count(solved, false) == 0) break;
  }
  // What has no solution here is no label.
  for (size_t i = 0; i < solved.size(); ++i)
    if (!solved[i])
      std::ranges::fill(made.states.row(static_cast<int64_t>(i)),
                        std::numeric_limits<float>::quiet_NaN());
  return made;
}

Candidates noisy_action(const DynamicsModel& model, const Transitions& transitions,
                        const CcilSettings& settings, Rng rng, ThreadPool& pool) {
  const int64_t rows = transitions.rows() * settings.draws;
  Candidates made;
  made.states = Matrix::uninitialized(rows, transitions.states.cols());
  made.actions = Matrix::uninitialized(rows, transitions.actions.cols());
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t from = row / settings.draws;
    made.from.push_back(from);
    std::ranges::copy(transitions.next.row(from), made.states.row(row).begin());
    for (int64_t j = 0; j < made.actions.cols(); ++j)
      made.actions(row, j) = static_cast<float>(static_cast<double>(transitions.actions(from, j)) +
                                                settings.action_noise * rng.normal());
  }
  subtract(made.states, model.residuals(made.states, made.actions, pool),
           made.states.mutable_view());
  return made;
}

Candidates every_label(const DynamicsModel& model, const Transitions& transitions,
                       const CcilSettings& settings, uint64_t seed, ThreadPool& pool) {
  switch (settings.labels) {
    case CcilSettings::Labels::kNone:
      break;
    case CcilSettings::Labels::kBackwardEuler:
      return backward_euler(model, transitions, pool);
    case CcilSettings::Labels::kForwardEuler:
      return forward_euler(model, transitions, pool);
    case CcilSettings::Labels::kNoisyAction:
      return noisy_action(model, transitions, settings, Rng(seed, kLabelStream), pool);
  }
  return {};
}

}  // namespace

CorrectiveLabels corrective_labels(const DynamicsModel& model, const Transitions& transitions,
                                   const CcilSettings& settings, uint64_t seed, ThreadPool& pool) {
  const Candidates made = every_label(model, transitions, settings, seed, pool);
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < made.states.rows(); ++i) {
    const double apart = distance_of(made.states.row(i), transitions.states.row(made.from[i]));
    if (std::isfinite(apart) && (settings.max_distance == 0 || apart < settings.max_distance))
      kept.push_back(i);
  }
  CorrectiveLabels labels{Matrix::uninitialized(std::ssize(kept), transitions.states.cols()),
                          Matrix::uninitialized(std::ssize(kept), transitions.actions.cols())};
  for (size_t i = 0; i < kept.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    std::ranges::copy(made.states.row(kept[i]), labels.states.row(row).begin());
    std::ranges::copy(made.actions.row(kept[i]), labels.actions.row(row).begin());
  }
  return labels;
}

Dataset with_labels(const Dataset& demonstrations, const CorrectiveLabels& labels, int64_t copies) {
  const int64_t steps = demonstrations.steps(), rows = steps * copies + labels.rows();
  DatasetContents contents;
  contents.observations = Matrix::uninitialized(rows, demonstrations.observation_dim());
  contents.actions = Matrix::uninitialized(rows, demonstrations.action_dim());
  const auto place = [&](MatrixView observations, MatrixView actions, int64_t begin) {
    const int64_t end = begin + observations.rows();
    copy(observations, contents.observations.mutable_view().rows_between(begin, end));
    copy(actions, contents.actions.mutable_view().rows_between(begin, end));
  };
  for (int64_t n = 0; n < copies; ++n) {
    place(demonstrations.observations(), demonstrations.actions(), n * steps);
    for (int64_t e = 0; e < demonstrations.episodes(); ++e) {
      contents.episode_ends.push_back(n * steps + demonstrations.episode_end(e));
      contents.episode_names.push_back(
          n == 0 ? demonstrations.episode_name(e)
                 : fmt::format("{} (copy {})", demonstrations.episode_name(e), n));
    }
  }
  place(labels.states, labels.actions, steps * copies);
  for (int64_t i = 0; i < labels.rows(); ++i) {
    contents.episode_ends.push_back(steps * copies + i + 1);
    contents.episode_names.push_back(fmt::format("(corrective label {})", i));
  }
  contents.parts = demonstrations.parts();
  contents.environment = demonstrations.environment();
  contents.source = demonstrations.source();
  return Dataset(std::move(contents));
}

}  // namespace darp
