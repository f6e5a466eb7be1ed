#pragma once
// Policies of the paper's sizes with made-up demonstrations and untrained networks, for measuring:
// how long a step takes depends on sizes, not on what was learnt.

#include <span>
#include <string>
#include <string_view>

#include "darp/core/rng.h"
#include "darp/policy/policy_archive.h"

namespace darp {

/// "hopper", "stack" (the paper's settings), "bc" (behaviour cloning of Hopper's size, 256 wide),
/// "ensemble" (ten of hopper's networks).
std::span<const std::string> sample_policy_names();

/// The same every time. Throws Error for an unknown name, with the names and the nearest.
PolicyArchive sample_policy(std::string_view name);

/// Observations of an episode of the same task that is not among the policy's demonstrations.
Matrix sample_rollout(std::string_view name, int64_t steps);

/// Observations that a policy may meet: its demonstrations in their order, over and over, each
/// number moved by about a hundredth of its scale; without demonstrations, drawn from what its
/// normalizer was fitted to.
Matrix likely_observations(const PolicyArchive& policy, int64_t steps, Rng rng);

}  // namespace darp
