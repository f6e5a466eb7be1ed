#pragma once
// How much each neighbour counts in a mean of answers that prefers the near ones: with d_i the
// length of neighbour i's difference to the query,
//
//   w_i = e^(-d_i / h) / sum of all,   h = bandwidth x mean of the d_i
//
// The mean length sets the scale, so that it is the same question in every task and for every
// number of columns. All alike for a bandwidth of 0 and for neighbours that are all at the query.

#include <span>

namespace darp {

/// `weights` may be the memory of `distances`. Finite distances give finite weights.
void neighbor_weights(double bandwidth, std::span<const float> distances,
                      std::span<float> weights) noexcept;

}  // namespace darp
