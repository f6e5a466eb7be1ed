#pragma once
// Rows of a dataset with their past or future beside them, never beyond their episode.

#include <vector>

#include "darp/core/matrix.h"

namespace darp {

/// Row t becomes [action t | action t + 1 | ...], `length` of them; behind an episode's end its
/// last action is repeated.
Matrix action_chunks(MatrixView actions, const std::vector<int64_t>& episode_ends, int64_t length);

/// Row t becomes [... | observation t - 1 | observation t], `horizon` of them; before an episode's
/// start its first observation is repeated.
Matrix stacked_observations(MatrixView observations, const std::vector<int64_t>& episode_ends,
                            int64_t horizon);

}  // namespace darp
