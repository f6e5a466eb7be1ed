#include "darp/runtime/sample_policies.h"

#include <algorithm>

#include "darp/core/suggest.h"
#include "darp/data/sample_demonstrations.h"
#include "darp/policy/import_reference.h"
#include "darp/policy/novelty.h"

namespace darp {
namespace {

constexpr uint64_t kStates = 7, kActions = 8;          // tasks of SampleDemonstrations
constexpr uint64_t kDemonstrated = 1, kRolledOut = 2;  // seeds of their episodes

/// What is not plain behaviour cloning or plain DARP.
enum class Method { kPlain, kSetTransformerMixture, kRegent, kDiffusion };

struct Sample {
  int64_t episodes, steps, observation_dim, action_dim, width;
  int64_t k = 0;  // 0: behaviour cloning
  double ratio = 1;
  int64_t lookback = 1;
  double rate = 0;
  int64_t members = 1;
  Method method = Method::kPlain;
};

const std::vector<std::string> kNames = {"hopper", "stack",  "bc",       "ensemble",
                                         "push_t", "regent", "diffusion"};

Sample sample_named(std::string_view name) {
  Sample hopper{.episodes = 1, .steps = 1000, .observation_dim = 11, .action_dim = 3, .width = 128};
  hopper.k = 246;
  hopper.ratio = 0.5934852692;
  hopper.lookback = 13;
  hopper.rate = -0.7359995486;
  if (name == "hopper") return hopper;
  if (name == "ensemble") {
    hopper.members = 10;
    return hopper;
  }
  if (name == "bc")
    return {.episodes = 1, .steps = 1000, .observation_dim = 11, .action_dim = 3, .width = 256};
  if (name == "stack")
    return {.episodes = 40,
            .steps = 105,
            .observation_dim = 32,
            .action_dim = 7,
            .width = 256,
            .k = 536,
            .ratio = 0.298171598,
            .lookback = 23,
            .rate = -0.1467619595};
  if (name == "push_t")
    return {.episodes = 206,
            .steps = 125,
            .observation_dim = 5,
            .action_dim = 2,
            .width = 256,
            .k = 2699,
            .ratio = 0.6392639813,
            .lookback = 49,
            .rate = -1.4976995662,
            .method = Method::kSetTransformerMixture};
  if (name == "regent" || name == "diffusion") {
    hopper.method = name == "regent" ? Method::kRegent : Method::kDiffusion;
    return hopper;
  }
  throw Error("case", fmt::format("'{}' is none", printable(name)), suggestion(name, kNames));
}

PolicySpec spec_of(const Sample& sample) {
  PolicySpec spec;
  spec.members = sample.members;
  MlpSettings network;
  network.hidden = {sample.width, sample.width, sample.width};
  if (sample.method == Method::kRegent) {
    RegentSpec regent;
    regent.retrieval.k = 19;
    regent.retrieval.history.lookback = 1;
    spec.kind = regent;
    return spec;
  }
  if (sample.method == Method::kDiffusion) {
    spec.kind = DiffusionSpec{};
    spec.chunk = {.length = 16, .execute = 1};  // so that every step denoises
    return spec;
  }
  if (sample.k == 0) {
    spec.kind = BcSpec{network};
  } else {
    DarpSpec darp;
    darp.network = network;
    darp.retrieval.k = sample.k;
    darp.retrieval.ratio = sample.ratio;
    darp.retrieval.history.lookback = sample.lookback;
    darp.retrieval.history.rate = sample.rate;
    if (sample.method == Method::kSetTransformerMixture) {
      darp.aggregation.kind = AggregationSettings::Kind::kSetTransformer;
      darp.aggregation.features = 64;
      darp.head = {.kind = HeadSettings::Kind::kGmm, .modes = 9};
    }
    spec.kind = darp;
  }
  apply_reference_conventions(spec);
  return spec;
}

PolicyContents contents_of(const Sample& sample) {
  SampleDemonstrations states(kStates, kDemonstrated, sample.episodes, sample.steps,
                              sample.observation_dim);
  SampleDemonstrations actions(kActions, kDemonstrated, sample.episodes, sample.steps,
                               sample.action_dim);
  PolicyContents c;
  c.spec = spec_of(sample);
  c.observations = Normalizer::fit(c.spec.observations, states.rows);
  c.actions = Normalizer::fit(c.spec.actions, actions.rows);
  const auto parameters = policy_parameters(c.spec, sample.observation_dim, sample.action_dim);
  for (int64_t m = 0; m < sample.members; ++m)
    initialize_parameters(parameters, Rng(0).split(static_cast<uint64_t>(m)),
                          c.members.emplace_back(static_cast<size_t>(parameter_count(parameters))));
  c.calibration.assign(static_cast<size_t>(c.spec.calibration_count(sample.observation_dim)), 1.0f);
  if (c.spec.retrieval() != nullptr)
    c.demonstrations = {std::move(states.rows), std::move(actions.rows), std::move(states.ends)};
  ThreadPool pool(1);
  c.distance_quantiles = distance_quantiles(c.spec, c.observations, c.demonstrations, pool);
  c.provenance = {{"origin", "made up for measuring, untrained"}};
  return c;
}

}  // namespace

std::span<const std::string> sample_policy_names() {
  return kNames;
}

PolicyArchive sample_policy(std::string_view name) {
  return PolicyArchive(contents_of(sample_named(name)));
}

Matrix sample_rollout(std::string_view name, int64_t steps) {
  return std::move(
      SampleDemonstrations(kStates, kRolledOut, 1, steps, sample_named(name).observation_dim).rows);
}

Matrix likely_observations(const PolicyArchive& policy, int64_t steps, Rng rng) {
  const Matrix& rows = policy.demonstrations().observations;
  const Normalizer& normalizer = policy.observations();
  const double size = rows.rows() > 0 ? 0.01 : 1;
  Matrix out = Matrix::uninitialized(steps, policy.observation_dim());
  for (int64_t i = 0; i < steps; ++i) {
    const std::span<const float> from =
        rows.rows() > 0 ? rows.row(i % rows.rows()) : normalizer.offset();
    for (int64_t j = 0; j < out.cols(); ++j)
      out(i, j) = from[j] + static_cast<float>(size * rng.normal()) * normalizer.scale()[j];
  }
  return out;
}

}  // namespace darp
