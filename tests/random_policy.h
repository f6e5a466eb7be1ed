#pragma once
// Seeded random policies of every kind for property tests.

#include <algorithm>

#include "darp/core/rng.h"
#include "darp/policy/novelty.h"
#include "darp/policy/policy_archive.h"

namespace darp {

struct RandomPolicyShape {
  int64_t observation_dim = 4, action_dim = 2, episodes = 3, longest = 12, widest = 9;
};

inline MlpSettings random_network(Rng& rng, int64_t widest) {
  MlpSettings network;
  network.hidden.clear();
  for (uint64_t layers = rng.below(4); network.hidden.size() < layers;)
    network.hidden.push_back(1 + static_cast<int64_t>(rng.below(static_cast<uint64_t>(widest))));
  network.norm = rng.below(2) == 0 ? MlpSettings::Norm::kNone : MlpSettings::Norm::kLayer;
  if (rng.below(2) == 0) network.dropout = rng.uniform(0, 0.9);
  return network;
}

/// Any that leaves the network something to see.
inline NeighborInput random_input(Rng& rng) {
  NeighborInput input;
  input.state = rng.below(2) == 0;
  input.action = rng.below(2) == 0;
  input.difference = static_cast<NeighborInput::Difference>(rng.below(3));
  input.difference_scale = rng.uniform(0.1, 2);
  input.query = !(input.state || input.action) || rng.below(2) == 0;
  return input;
}

inline RetrievalSettings random_retrieval(Rng& rng, int64_t rows, int64_t dim) {
  RetrievalSettings s;
  s.k = 1 + static_cast<int64_t>(rng.below(static_cast<uint64_t>(rows)));
  s.exclude =
      rng.below(2) == 0 ? RetrievalSettings::Exclude::kNothing : RetrievalSettings::Exclude::kZero;
  if (rng.below(2) == 0) {
    s.scope = RetrievalSettings::Scope::kCandidates;
    s.ratio = rng.uniform(1.0 / static_cast<double>(s.k), 1);
    s.history.decay = HistorySettings::Decay::kPower;
    s.history.rate = -rng.uniform(0, 3);
  }
  s.history.lookback = 1 + static_cast<int64_t>(rng.below(50));
  s.history.renormalize = rng.below(2) == 0;
  if (rng.below(3) == 0)
    for (int64_t j = 0; j < dim; ++j) s.metric.weights.push_back(rng.uniform(0.1, 2));
  if (rng.below(3) == 0)
    for (int64_t j = 0; j < dim; ++j) s.metric.periods.push_back(rng.uniform(1, 7));
  s.seed = static_cast<int64_t>(rng.below(1000));
  return s;
}

inline Normalizer random_normalizer(Rng& rng, int64_t dim) {
  std::vector<float> offset, scale;
  for (int64_t j = 0; j < dim; ++j) {
    offset.push_back(static_cast<float>(rng.normal()));
    scale.push_back(static_cast<float>(rng.uniform(0.5, 2)));
  }
  return {offset, scale};
}

inline DemonstrationRows random_rows(Rng& rng, const RandomPolicyShape& shape) {
  DemonstrationRows rows;
  int64_t count = 0;
  for (int64_t e = 0; e < shape.episodes; ++e)
    rows.episode_ends.push_back(
        count += 1 + static_cast<int64_t>(rng.below(static_cast<uint64_t>(shape.longest))));
  rows.observations = Matrix::zeros(count, shape.observation_dim);
  rows.actions = Matrix::zeros(count, shape.action_dim);
  for (int64_t i = 0; i < count; ++i) {
    for (float& x : rows.observations.row(i)) x = static_cast<float>(rng.normal());
    for (float& x : rows.actions.row(i)) x = static_cast<float>(rng.normal());
  }
  return rows;
}

/// Limits of either shape, on either side or both, for one policy in four; narrow enough to matter.
inline ActionLimits random_limits(Rng rng, int64_t action_dim) {
  ActionLimits limits;
  if (rng.below(4) != 0) return limits;
  const auto numbers = [&](double least, double most) {
    std::vector<double> all(rng.below(2) == 0 ? 1 : static_cast<size_t>(action_dim));
    for (double& x : all) x = rng.uniform(least, most);
    return all;
  };
  const uint64_t sides = rng.below(3);
  if (sides != 0) limits.low = numbers(-1, 0);
  if (sides != 1) limits.high = numbers(0, 1);
  return limits;
}

/// 1, as most policies have it, for one in two.
inline double random_gain(Rng rng) {
  return rng.below(2) == 0 ? 1 : rng.uniform(0.5, 1.5);
}

/// Of no rows in particular.
inline std::vector<float> random_quantiles(Rng rng) {
  std::vector<float> quantiles(kDistanceQuantiles);
  for (float& x : quantiles) x = static_cast<float>(rng.uniform(0, 4));
  std::ranges::sort(quantiles);
  return quantiles;
}

/// A policy that does not retrieve for odd `seed`s, one that does for even ones.
inline PolicyContents random_policy(uint64_t seed, const RandomPolicyShape& shape = {}) {
  Rng rng(seed);
  PolicyContents c;
  if (seed % 2 == 1) {
    c.spec.kind = BcSpec{random_network(rng, shape.widest)};
  } else {
    c.demonstrations = random_rows(rng, shape);
    auto& darp = c.spec.kind.emplace<DarpSpec>();
    darp.input = random_input(rng);
    darp.network = random_network(rng, shape.widest);
    darp.retrieval =
        random_retrieval(rng, c.demonstrations.episode_ends.back(), shape.observation_dim);
  }
  c.spec.observations = static_cast<NormalizerKind>(rng.below(4));
  c.spec.actions = static_cast<NormalizerKind>(rng.below(4));
  c.spec.members = 1 + static_cast<int64_t>(rng.below(3));
  c.observations = random_normalizer(rng, shape.observation_dim);
  c.actions = random_normalizer(rng, shape.action_dim);
  const auto parameters = policy_parameters(c.spec, shape.observation_dim, shape.action_dim);
  for (int64_t m = 0; m < c.spec.members; ++m)
    initialize_parameters(parameters, rng.split(static_cast<uint64_t>(m)),
                          c.members.emplace_back(static_cast<size_t>(parameter_count(parameters))));
  for (uint64_t i = rng.below(3); i > 0; --i)
    c.provenance.emplace(fmt::format("note {}", i), "text: \"quoted\",\nü");
  // From streams of their own: the numbers above do not depend on them.
  c.spec.limits = random_limits(rng.split(1000), shape.action_dim);
  c.spec.gain = random_gain(rng.split(1002));
  if (c.spec.darp() != nullptr) c.distance_quantiles = random_quantiles(rng.split(1001));
  return c;
}

inline AggregationSettings random_aggregation(Rng& rng) {
  AggregationSettings settings;
  settings.kind = static_cast<AggregationSettings::Kind>(rng.below(4));
  if (settings.kind == AggregationSettings::Kind::kMean) {
    if (rng.below(2) == 0) settings.bandwidth = rng.uniform(0.05, 3);
    return settings;
  }
  settings.features = static_cast<int64_t>(rng.below(6));
  if (settings.kind != AggregationSettings::Kind::kSetTransformer) {
    settings.after = random_network(rng, 9);
    return settings;
  }
  settings.heads = 1 + static_cast<int64_t>(rng.below(3));
  settings.width = settings.heads * (1 + static_cast<int64_t>(rng.below(5)));
  settings.inducing = 1 + static_cast<int64_t>(rng.below(5));
  return settings;
}

inline HeadSettings random_head(Rng& rng) {
  HeadSettings head;
  head.kind = static_cast<HeadSettings::Kind>(rng.below(3));
  if (head.kind == HeadSettings::Kind::kGmm) head.modes = 1 + static_cast<int64_t>(rng.below(5));
  if (head.is_distribution()) head.least_scale = rng.uniform(0.01, 0.2);
  return head;
}

inline LwrSpec random_lwr(Rng& rng, const RetrievalSettings& retrieval) {
  LwrSpec lwr;
  lwr.kernel = static_cast<LwrSpec::Kernel>(rng.below(3));
  lwr.bandwidth = static_cast<LwrSpec::Bandwidth>(rng.below(3));
  lwr.bandwidth_scale = rng.uniform(0.1, 2);
  lwr.fit = static_cast<LwrSpec::Fit>(rng.below(2));
  if (lwr.fit == LwrSpec::Fit::kLinear) lwr.ridge = rng.uniform(0.001, 1);
  lwr.retrieval = retrieval;
  return lwr;
}

inline RegentSpec random_regent(Rng& rng, const RetrievalSettings& retrieval) {
  RegentSpec regent;
  regent.transformer.layers = 1 + static_cast<int64_t>(rng.below(3));
  regent.transformer.heads = 1 + static_cast<int64_t>(rng.below(3));
  regent.transformer.width = regent.transformer.heads * (1 + static_cast<int64_t>(rng.below(8)));
  regent.sharpness = rng.uniform(0.1, 3);
  regent.reach = rng.uniform(0.5, 5);
  regent.retrieval = retrieval;
  return regent;
}

/// Every method that the runtime executes: aggregations, heads, chunks, either way of acting; of
/// those that retrieve one in four is locally weighted regression, and one in four of the others
/// REGENT.
inline PolicyContents random_method(uint64_t seed, const RandomPolicyShape& shape = {}) {
  PolicyContents c = random_policy(seed, shape);
  Rng rng = Rng(seed).split(2000);
  if (auto* bc = std::get_if<BcSpec>(&c.spec.kind)) {
    bc->head = random_head(rng);
  } else {
    auto& darp = std::get<DarpSpec>(c.spec.kind);
    darp.aggregation = random_aggregation(rng);
    darp.head = random_head(rng);
    if (rng.below(4) == 0) {
      c.spec.kind = random_lwr(rng, RetrievalSettings(darp.retrieval));
      c.spec.members = 1;
    } else if (Rng own = Rng(seed).split(3000); own.below(4) == 0) {
      c.spec.kind = random_regent(own, RetrievalSettings(darp.retrieval));
      c.calibration = {static_cast<float>(own.uniform(0.5, 3))};
    }
  }
  c.spec.chunk.length = 1 + static_cast<int64_t>(rng.below(3));
  if (c.spec.as<RegentSpec>() != nullptr) c.spec.chunk.length = 1;
  c.spec.chunk.execute =
      1 + static_cast<int64_t>(rng.below(static_cast<uint64_t>(c.spec.chunk.length)));
  if (c.spec.head().is_distribution() && rng.below(2) == 0) c.spec.acting = Acting::kMode;
  const auto parameters = policy_parameters(c.spec, shape.observation_dim, shape.action_dim);
  c.members.assign(static_cast<size_t>(c.spec.members),
                   std::vector<float>(static_cast<size_t>(parameter_count(parameters))));
  for (size_t m = 0; m < c.members.size(); ++m)
    initialize_parameters(parameters, rng.split(m), c.members[m]);
  return c;
}

/// Same contents, bit for bit.
inline bool identical(const PolicyArchive& a, const PolicyArchive& b) {
  return a.spec() == b.spec() && a.observations() == b.observations() &&
         a.actions() == b.actions() && a.members() == b.members() &&
         same_bits(a.demonstrations().observations, b.demonstrations().observations) &&
         same_bits(a.demonstrations().actions, b.demonstrations().actions) &&
         a.demonstrations().episode_ends == b.demonstrations().episode_ends &&
         std::ranges::equal(a.distance_quantiles(), b.distance_quantiles()) &&
         std::ranges::equal(a.calibration(), b.calibration()) &&
         std::ranges::equal(a.lowest_action(), b.lowest_action()) &&
         std::ranges::equal(a.highest_action(), b.highest_action()) &&
         a.provenance() == b.provenance();
}

}  // namespace darp
