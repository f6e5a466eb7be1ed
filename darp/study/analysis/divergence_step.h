#pragma once
// Where two rollouts of one start part ways: the paper's "step of divergence" (SoD), "the point at
// which both begin to receive a significantly different reward", made exact.

#include <cstdint>
#include <optional>
#include <span>

namespace darp {

struct DivergenceSettings {
  int64_t window = 10;  // steps over which a difference has to show
  double share = 0.25;  // of the better rollout's mean reward per step that counts as significant

  bool operator==(const DivergenceSettings&) const = default;
};

/// Let d_t be the reward of step t of the rollout that ends with more, minus the other's; after an
/// episode's end rewards are 0. Let theta be `share` of the mean |reward| of the better one. The
/// step of divergence is the first t with
///   d_t >= theta   and   d_t + ... + d_u >= window theta for every u >= t + window - 1:
/// the difference begins there, shows within a window, and is never made up for. Nothing if there
/// is no such step, as for equal returns. Symmetric in `a` and `b`; rewards are finite.
std::optional<int64_t> step_of_divergence(std::span<const double> a, std::span<const double> b,
                                          const DivergenceSettings& settings = {});

}  // namespace darp
