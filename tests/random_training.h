#pragma once
// Small random things to learn from, for tests: every kind of policy, neighbours as many as they
// come.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "darp/core/rng.h"
#include "darp/policy/policy_parameters.h"
#include "darp/train/objective.h"
#include "tests/random_matrix.h"

namespace darp {

/// Memory, examples and their neighbours: between `fewest` and `most`, different rows, in any
/// order.
struct RandomTraining {
  Matrix states, actions, query_states, query_actions;
  std::optional<NeighborTable> neighbors;

  RandomTraining(Rng& rng, int64_t observation_dim, int64_t action_dim, int64_t fewest,
                 int64_t most)
      : states(random_matrix(rng, most + 5, observation_dim)),
        actions(random_matrix(rng, most + 5, action_dim)),
        query_states(random_matrix(rng, 9, observation_dim)),
        query_actions(random_matrix(rng, 9, action_dim)) {
    NeighborTable::Contents contents;
    contents.width = most;
    std::vector<int32_t> order(states.rows());
    std::iota(order.begin(), order.end(), 0);
    for (int64_t query = 0; query < query_states.rows(); ++query) {
      rng.shuffle(std::span(order));
      const auto count =
          fewest + static_cast<int64_t>(rng.below(static_cast<uint64_t>(most - fewest + 1)));
      contents.counts.push_back(static_cast<int32_t>(count));
      for (int64_t i = 0; i < most; ++i) contents.rows.push_back(i < count ? order[i] : -1);
    }
    neighbors.emplace(std::move(contents));
  }

  MemoryRows memory() const { return {states, actions}; }
  Examples examples(const PolicySpec& spec) const {
    return {query_states, query_actions, spec.retrieval() != nullptr ? &*neighbors : nullptr};
  }
};

/// Behaviour cloning, every input of a retrieval policy, and weighted means, with this network.
inline std::vector<PolicySpec> every_kind(const MlpSettings& network) {
  using Difference = NeighborInput::Difference;
  std::vector<PolicySpec> specs;
  specs.emplace_back().kind = BcSpec{network};
  for (const bool state : {true, false})
    for (const bool action : {true, false})
      for (const auto difference : {Difference::kVector, Difference::kNorm, Difference::kNone})
        for (const bool query : {true, false}) {
          if (!state && !action && !query && difference == Difference::kNone) continue;
          DarpSpec darp;
          darp.network = network;
          darp.input = {state, action, difference, 0.75, query};
          specs.emplace_back().kind = darp;
        }
  for (const auto difference : {Difference::kVector, Difference::kNorm}) {
    DarpSpec near_first;
    near_first.network = network;
    near_first.input.difference = difference;
    near_first.aggregation.bandwidth = 0.5;
    specs.emplace_back().kind = near_first;
  }
  // With errors on both sides of the bound.
  specs.emplace_back().kind = BcSpec{.network = network, .head = {.huber = 0.5}};
  specs.emplace_back().kind = DarpSpec{.network = network, .head = {.huber = 0.5}};
  return specs;
}

/// Networks of different depths, with and without LayerNorm.
inline std::vector<MlpSettings> every_network() {
  std::vector<MlpSettings> networks;
  for (const auto norm : {MlpSettings::Norm::kNone, MlpSettings::Norm::kLayer})
    for (const std::vector<int64_t>& hidden :
         {std::vector<int64_t>{}, std::vector<int64_t>{7}, std::vector<int64_t>{17, 8, 33}})
      networks.push_back({hidden, norm, 0});
  return networks;
}

/// Weights of a size that keeps answers of the order of 1; LayerNorm's are moved as well.
inline std::vector<float> random_parameters(Rng& rng, const PolicySpec& spec,
                                            int64_t observation_dim, int64_t action_dim) {
  const auto parameters = policy_parameters(spec, observation_dim, action_dim);
  std::vector<float> numbers(parameter_count(parameters));
  initialize_parameters(parameters, rng.split(1), numbers);
  for (float& x : numbers) x += static_cast<float>(0.1 * rng.normal());
  return numbers;
}

/// Sizes that do for most tests.
inline constexpr int64_t kObservation = 5, kAction = 3;

inline std::vector<double> in_double(const std::vector<float>& numbers) {
  return {numbers.begin(), numbers.end()};
}

/// Largest difference, as part of the largest number.
template <class A, class B>
double distance(const std::vector<A>& a, const std::vector<B>& b) {
  double largest = 0, apart = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(b[i])));
    apart = std::max(apart, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return apart / largest;
}

}  // namespace darp
