#pragma once
// The single definition of what the network sees of one neighbour:
//
//   [ neighbour state | neighbour action | difference | query state ]
//
// all standardised; parts that the settings leave out take no room. The difference is
// scale x (neighbour state - query state), or scale x its length, one number.
//
// Its first layer is linear, W x + b, so it splits into parts that depend on the neighbour alone,
// on the query alone, and on their distance:
//
//   W x + b = per_row [s_i; a_i] + bias + per_query s_q + per_distance |s_i - s_q|
//
//   per_row      = [ W_state + scale W_difference | W_action ]
//   per_query    = W_query - scale W_difference
//   per_distance = scale w_norm
//
// which costs one product per row and per query instead of one per pair.

#include <cstdint>
#include <span>
#include <vector>

#include "darp/core/matrix.h"
#include "darp/policy/policy_spec.h"

namespace darp {

/// Where the parts begin; -1 for a part that is left out.
struct FeatureLayout {
  FeatureLayout(const NeighborInput& input, int64_t observation_dim, int64_t action_dim);

  int64_t observation_dim, action_dim;
  int64_t state = -1, action = -1, difference = -1, distance = -1, query = -1;
  int64_t width = 0;
  float scale = 1;
};

/// One neighbour's input; `out` has layout.width floats. Everything is standardised. No allocation.
void neighbor_features(const FeatureLayout& layout, std::span<const float> neighbor_state,
                       std::span<const float> neighbor_action, std::span<const float> query,
                       std::span<float> out);

/// The first layer in parts. Matrices are units x columns; those of parts that do not occur are all
/// zero.
struct SplitFirstLayer {
  Matrix per_row;    // units x (observation_dim + action_dim)
  Matrix per_query;  // units x observation_dim
  std::vector<float> per_distance;
};

/// `weight` is units x layout.width.
SplitFirstLayer split_first_layer(const FeatureLayout& layout, MatrixView weight);

/// The gradient with respect to `weight`, from the gradients with respect to the parts.
void join_first_layer_gradient(const FeatureLayout& layout, const SplitFirstLayer& gradient,
                               MutableMatrixView weight);

}  // namespace darp
