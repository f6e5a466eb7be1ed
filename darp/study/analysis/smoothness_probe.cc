#include "darp/study/analysis/smoothness_probe.h"

#include <algorithm>
#include <cmath>

#include "darp/core/rng.h"
#include "darp/policy/policy_archive.h"
#include "darp/runtime/realtime_policy.h"
#include "darp/train/torch_policy.h"

namespace darp {
namespace {

/// How the retrieval of a spec may be changed; null for kinds without.
RetrievalSettings* retrieval_of(PolicySpec& spec) {
  return std::visit(
      [](auto& kind) -> RetrievalSettings* {
        if constexpr (requires { kind.retrieval; })
          return &kind.retrieval;
        else
          return nullptr;
      },
      spec.kind);
}

void check_is_function(const PolicySpec& spec, const std::filesystem::path& file) {
  if (spec.chunk.execute > 1)
    throw Error(file.string(), "carries out several actions before it is asked again",
                "measure smoothness with policy.chunk.execute=1");
  const RetrievalSettings* retrieval = spec.retrieval();
  if (retrieval && retrieval->exclude == RetrievalSettings::Exclude::kEpisode)
    throw Error(file.string(), "learned without the neighbours of a step's own episode",
                "measure smoothness with policy.retrieval.exclude=row");
}

/// The same contents, acting as training asked.
PolicyArchive as_trained(const PolicyArchive& archive) {
  PolicyContents contents{
      .spec = archive.spec(),
      .observations = archive.observations(),
      .actions = archive.actions(),
      .members = archive.members(),
      .demonstrations = {},
      .distance_quantiles = {archive.distance_quantiles().begin(),
                             archive.distance_quantiles().end()},
      .calibration = {archive.calibration().begin(), archive.calibration().end()},
      .provenance = archive.provenance()};
  const DemonstrationRows& rows = archive.demonstrations();
  contents.demonstrations = {Matrix::copy_of(rows.observations), Matrix::copy_of(rows.actions),
                             rows.episode_ends};
  contents.spec.acting = Acting::kMode;
  RetrievalSettings* retrieval = retrieval_of(contents.spec);
  if (retrieval && retrieval->exclude == RetrievalSettings::Exclude::kRow)
    retrieval->exclude = RetrievalSettings::Exclude::kZero;
  return PolicyArchive(std::move(contents));
}

/// The actions of one episode's steps [begin, end), which are the last; those before are the past.
void replay(Policy& policy, MatrixView observations, int64_t begin, int64_t end,
            std::span<float> action) {
  policy.reset(0);
  for (int64_t t = begin; t < end; ++t) policy.act(observations.row(t), action);
}

/// A state with noise, as the environment would give it, and how long the noise is.
double disturbed(std::span<const float> state, const Normalizer& states, double noise, Rng& rng,
                 std::vector<float>& out) {
  double squares = 0;
  for (size_t c = 0; c < state.size(); ++c) {
    out[c] = static_cast<float>(state[c] + noise * rng.normal() * states.scale()[c]);
    // The noise as it is in float.
    const double moved = (static_cast<double>(out[c]) - state[c]) / states.scale()[c];
    squares += moved * moved;
  }
  return std::sqrt(squares);
}

double distance(std::span<const float> a, std::span<const float> b, const Normalizer& units) {
  double squares = 0;
  for (size_t c = 0; c < a.size(); ++c) {
    const double off = (static_cast<double>(a[c]) - b[c]) / units.scale()[c];
    squares += off * off;
  }
  return std::sqrt(squares);
}

}  // namespace

PolicyFunction policy_function(const std::filesystem::path& file) {
  const PolicyArchive read = PolicyArchive::read(file);
  check_is_function(read.spec(), file);
  const auto archive = std::make_shared<const PolicyArchive>(as_trained(read));
  const PolicySpec& spec = archive->spec();
  const int64_t lookback = spec.retrieval() ? spec.retrieval()->history.lookback : 1;
  const int64_t past = std::max(lookback, spec.observation_horizon()) - 1;
  if (!spec.runs_in_runtime()) return {make_torch_policy(archive), past};
  return {make_realtime_policy(std::make_shared<const RealtimeModel>(*archive)), past};
}

Matrix actions_at_demonstrations(const PolicyFunction& function, const Dataset& dataset) {
  Matrix actions = Matrix::zeros(dataset.steps(), dataset.action_dim());
  for (int64_t e = 0; e < dataset.episodes(); ++e) {
    function.policy->reset(0);
    for (int64_t row = dataset.episode_begin(e); row < dataset.episode_end(e); ++row)
      function.policy->act(dataset.observations().row(row), actions.row(row));
  }
  return actions;
}

std::vector<double> local_slopes(const PolicyFunction& function, const Dataset& dataset,
                                 const Normalizer& states, const Normalizer& actions,
                                 const SlopeSettings& settings) {
  const int64_t count = std::min(settings.most_states, dataset.steps());
  std::vector<float> here(static_cast<size_t>(dataset.action_dim())), beside = here;
  std::vector<float> state(static_cast<size_t>(dataset.observation_dim()));
  std::vector<double> slopes;
  for (int64_t n = 0; n < count; ++n) {
    const int64_t row = n * dataset.steps() / count;
    const auto& ends = dataset.episode_ends();
    const auto episode = std::upper_bound(ends.begin(), ends.end(), row) - ends.begin();
    const int64_t begin = std::max(dataset.episode_begin(episode), row - function.past);
    replay(*function.policy, dataset.observations(), begin, row + 1, here);
    Rng rng = Rng(settings.seed).split(static_cast<uint64_t>(row));
    for (int64_t draw = 0; draw < settings.draws; ++draw) {
      const auto demonstrated = dataset.observations().row(row);
      const double length = disturbed(demonstrated, states, settings.noise, rng, state);
      if (length == 0) continue;
      replay(*function.policy, dataset.observations(), begin, row, beside);
      function.policy->act(state, beside);
      slopes.push_back(distance(beside, here, actions) / length);
    }
  }
  std::sort(slopes.begin(), slopes.end());
  return slopes;
}

}  // namespace darp
