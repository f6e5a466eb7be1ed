#include "darp/policy/policy_parameters.h"

#include "darp/policy/regent_network.h"
#include "darp/policy/set_transformer.h"
#include "darp/policy/unet.h"

namespace darp {
namespace {

/// Numbers of all neighbours side by side.
int64_t concatenated(int64_t features, const RetrievalSettings& retrieval) {
  constexpr int64_t kMostNeighbors = 1 << 20;
  if (retrieval.kept() > kMostNeighbors)
    throw Error("aggregation", fmt::format("concatenates {} neighbours", retrieval.kept()),
                "choose fewer neighbours or another aggregation");
  return features * retrieval.kept();
}

void append_aggregation(std::vector<Parameter>& parameters, const PolicySpec& spec,
                        int64_t action_dim) {
  using Kind = AggregationSettings::Kind;
  const AggregationSettings settings = spec.aggregation();
  const int64_t features = spec.features(action_dim), outputs = spec.outputs(action_dim);
  switch (settings.kind) {
    case Kind::kMean:
      return;
    case Kind::kDeepSets:
      return append_mlp(parameters, "aggregation.", settings.after, features, outputs);
    case Kind::kSetTransformer:
      return append_set_transformer(parameters, "aggregation.", settings, features, outputs);
    case Kind::kConcatenation:
      return append_mlp(parameters, "aggregation.", settings.after,
                        concatenated(features, *spec.retrieval()), outputs);
  }
}

}  // namespace

std::vector<Parameter> policy_parameters(const PolicySpec& spec, int64_t observation_dim,
                                         int64_t action_dim) {
  std::vector<Parameter> parameters;
  if (spec.network() != nullptr) {
    append_mlp(parameters, "", *spec.network(), spec.inputs(observation_dim, action_dim),
               spec.features(action_dim));
    append_aggregation(parameters, spec, action_dim);
  }
  if (const auto* regent = spec.as<RegentSpec>())
    append_regent(parameters, *regent, observation_dim, action_dim);
  if (spec.diffusion() != nullptr)
    append_unet(parameters, "unet.", spec.diffusion()->unet, action_dim,
                spec.inputs(observation_dim, action_dim));
  return parameters;
}

}  // namespace darp
