#include "darp/expert/ppo/rollout.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "darp/expert/ppo/expert_network.h"

namespace darp {
namespace {

/// Environments that one thread takes at once: enough rows for a product, few enough for all
/// threads to have some.
constexpr int64_t kGroup = 8;

enum Stream : uint64_t { kEpisodeStream = 1, kActionStream = 2 };

/// Draws an action and tells the logarithm of its probability.
float draw(std::span<const float> mean, std::span<const float> log_std, Rng& rng,
           std::span<float> action) {
  double log_probability = 0;
  for (size_t i = 0; i < action.size(); ++i) {
    const double noise = rng.normal();
    action[i] = static_cast<float>(mean[i] + std::exp(double{log_std[i]}) * noise);
    log_probability -= noise * noise / 2 + double{log_std[i]} + std::log(2 * std::numbers::pi) / 2;
  }
  return static_cast<float>(log_probability);
}

}  // namespace

Rollout::Rollout(const EnvironmentFactory& make, int64_t environments, int64_t horizon,
                 uint64_t seed)
    : horizon_(horizon), seed_(seed), actors_(static_cast<size_t>(environments)) {
  for (Actor& actor : actors_) actor.environment = make();
  const int64_t inputs = info().observations.dim(), rows = environments * horizon;
  observations = Matrix::zeros(rows, inputs);
  actions = Matrix::zeros(rows, info().actions.dim());
  log_probabilities.resize(static_cast<size_t>(rows));
  rewards.resize(static_cast<size_t>(rows));
  failed.resize(static_cast<size_t>(rows));
  for (int64_t i = 0; i < environments; ++i) {
    actors_[i].observation.resize(static_cast<size_t>(inputs));
    actors_[i].action.resize(static_cast<size_t>(actions.cols()));
    begin_episode(i);
  }
}

void Rollout::begin_episode(int64_t index) {
  Actor& actor = actors_[index];
  Rng rng = Rng(seed_, kEpisodeStream)
                .split(static_cast<uint64_t>(index))
                .split(static_cast<uint64_t>(actor.state.episodes++));
  // Far from all seeds that are searched with or reported.
  actor.environment->reset(rng.next_u32() + (uint64_t{1} << 32));
  actor.environment->observe(actor.observation);
  actor.state.discounted = actor.state.episode_return = 0;
}

void Rollout::collect(const RolloutPolicy& policy, double discount, int64_t iteration,
                      ThreadPool& pool) {
  pool.parallel_for(environments(), kGroup, [&](int64_t begin, int64_t end) {
    collect_group(begin, end, policy, discount, iteration);
  });
  observation_moments = RunningMoments(observations.cols());
  return_moments = RunningMoments(1);
  cut_rows.clear();
  episode_returns.clear();
  int64_t cuts = 0;
  for (const Actor& actor : actors_) cuts += static_cast<int64_t>(actor.cuts.size());
  cut_observations = Matrix::zeros(cuts, observations.cols());
  for (const Actor& actor : actors_) {
    observation_moments.merge(actor.observations);
    return_moments.merge(actor.returns);
    episode_returns.insert(episode_returns.end(), actor.ended.begin(), actor.ended.end());
    for (const auto& [row, observation] : actor.cuts) {
      normalize(observation, policy.shift, policy.scale,
                cut_observations.row(static_cast<int64_t>(cut_rows.size())));
      cut_rows.push_back(row);
    }
  }
}

void Rollout::collect_group(int64_t begin, int64_t end, const RolloutPolicy& policy,
                            double discount, int64_t iteration) {
  NetworkPass pass(policy.actor.shape(), end - begin);
  Matrix inputs = Matrix::zeros(end - begin, observations.cols());
  std::vector<Rng> noise;
  for (int64_t i = begin; i < end; ++i) {
    actors_[i].observations = RunningMoments(observations.cols());
    actors_[i].returns = RunningMoments(1);
    actors_[i].cuts.clear();
    actors_[i].ended.clear();
    noise.push_back(Rng(seed_, kActionStream)
                        .split(static_cast<uint64_t>(iteration))
                        .split(static_cast<uint64_t>(i)));
  }
  for (int64_t t = 0; t < horizon_; ++t) {
    for (int64_t i = begin; i < end; ++i)
      normalize(actors_[i].observation, policy.shift, policy.scale, inputs.row(i - begin));
    const MatrixView means = pass.forward(policy.actor, inputs);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i * horizon_ + t;
      std::ranges::copy(inputs.row(i - begin), observations.row(row).begin());
      log_probabilities[row] =
          draw(means.row(i - begin), policy.log_std, noise[i - begin], actions.row(row));
      take_step(i, row, discount);
    }
  }
  for (int64_t i = begin; i < end; ++i) {
    const int64_t last = (i + 1) * horizon_ - 1;
    const bool open =
        failed[last] == 0 && (actors_[i].cuts.empty() || actors_[i].cuts.back().first != last);
    if (open) actors_[i].cuts.emplace_back(last, actors_[i].observation);
  }
}

void Rollout::take_step(int64_t index, int64_t row, double discount) {
  Actor& actor = actors_[index];
  const Space& limits = info().actions;
  const auto drawn = actions.row(row);
  for (size_t j = 0; j < drawn.size(); ++j)
    actor.action[j] = std::clamp(drawn[j], limits.low[j], limits.high[j]);
  actor.observations.add(std::span<const float>(actor.observation));
  const Step step = actor.environment->step(actor.action);
  rewards[row] = static_cast<float>(step.reward);
  actor.state.episode_return += step.reward;
  actor.state.discounted = discount * actor.state.discounted + step.reward;
  actor.returns.add(std::span<const double>(&actor.state.discounted, 1));
  failed[row] = step.end != EpisodeEnd::kRunning && step.end != EpisodeEnd::kTruncated;
  if (step.end == EpisodeEnd::kRunning) {
    actor.environment->observe(actor.observation);
    return;
  }
  if (step.end == EpisodeEnd::kTruncated) {
    actor.environment->observe(actor.observation);
    actor.cuts.emplace_back(row, actor.observation);
  }
  actor.ended.push_back(actor.state.episode_return);
  begin_episode(index);
}

std::vector<ActorState> Rollout::states() const {
  std::vector<ActorState> all;
  for (const Actor& actor : actors_) {
    all.push_back(actor.state);
    all.back().environment = saved_state(*actor.environment);
  }
  return all;
}

void Rollout::restore(const std::vector<ActorState>& states) {
  DARP_CHECK(states.size() == actors_.size(), "{} states for {} environments", states.size(),
             actors_.size());
  for (size_t i = 0; i < actors_.size(); ++i) {
    actors_[i].environment->restore(states[i].environment);
    actors_[i].environment->observe(actors_[i].observation);
    actors_[i].state = states[i];
  }
}

}  // namespace darp
