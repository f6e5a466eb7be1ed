#include "darp/policy/neighbor_features.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace darp {
namespace {

/// The columns of one part of the input; none for a part that is left out.
template <class T>
BasicMatrixView<T> part(BasicMatrixView<T> weight, int64_t begin, int64_t width) {
  return begin < 0 ? weight.cols_between(0, 0) : weight.cols_between(begin, begin + width);
}

/// to += factor x from, where `from` has any columns.
void add_scaled(MatrixView from, float factor, MutableMatrixView to) {
  for (int64_t i = 0; i < from.rows(); ++i)
    for (int64_t j = 0; j < from.cols(); ++j) to(i, j) += factor * from(i, j);
}

}  // namespace

FeatureLayout::FeatureLayout(const NeighborInput& input, int64_t observations, int64_t actions)
    : observation_dim(observations),
      action_dim(actions),
      scale(static_cast<float>(input.difference_scale)) {
  const auto place = [&](bool used, int64_t size) {
    return used ? std::exchange(width, width + size) : -1;
  };
  state = place(input.state, observation_dim);
  action = place(input.action, action_dim);
  difference = place(input.difference == NeighborInput::Difference::kVector, observation_dim);
  distance = place(input.difference == NeighborInput::Difference::kNorm, 1);
  query = place(input.query, observation_dim);
}

void neighbor_features(const FeatureLayout& layout, std::span<const float> neighbor_state,
                       std::span<const float> neighbor_action, std::span<const float> query,
                       std::span<float> out) {
  DARP_CHECK(std::ssize(neighbor_state) == layout.observation_dim &&
                 std::ssize(neighbor_action) == layout.action_dim &&
                 std::ssize(query) == layout.observation_dim && std::ssize(out) == layout.width,
             "{}, {}, {} -> {} numbers", neighbor_state.size(), neighbor_action.size(),
             query.size(), out.size());
  if (layout.state >= 0) std::ranges::copy(neighbor_state, out.begin() + layout.state);
  if (layout.action >= 0) std::ranges::copy(neighbor_action, out.begin() + layout.action);
  if (layout.difference >= 0)
    for (size_t j = 0; j < query.size(); ++j)
      out[layout.difference + j] = layout.scale * (neighbor_state[j] - query[j]);
  if (layout.distance >= 0) {
    double square = 0;
    for (size_t j = 0; j < query.size(); ++j) {
      const double step = static_cast<double>(neighbor_state[j]) - static_cast<double>(query[j]);
      square += step * step;
    }
    out[layout.distance] = layout.scale * static_cast<float>(std::sqrt(square));
  }
  if (layout.query >= 0) std::ranges::copy(query, out.begin() + layout.query);
}

SplitFirstLayer split_first_layer(const FeatureLayout& layout, MatrixView weight) {
  DARP_CHECK(weight.cols() == layout.width, "{} columns for {} inputs", weight.cols(),
             layout.width);
  const int64_t units = weight.rows(), states = layout.observation_dim;
  SplitFirstLayer split{.per_row = Matrix::zeros(units, states + layout.action_dim),
                        .per_query = Matrix::zeros(units, states),
                        .per_distance = std::vector<float>(static_cast<size_t>(units))};
  const MutableMatrixView per_row = split.per_row.mutable_view(),
                          per_query = split.per_query.mutable_view();
  const MatrixView difference = part(weight, layout.difference, states);
  add_scaled(part(weight, layout.state, states), 1, per_row);
  add_scaled(difference, layout.scale, per_row);
  add_scaled(part(weight, layout.action, layout.action_dim), 1,
             per_row.cols_between(states, per_row.cols()));
  add_scaled(part(weight, layout.query, states), 1, per_query);
  add_scaled(difference, -layout.scale, per_query);
  if (layout.distance >= 0)
    for (int64_t i = 0; i < units; ++i)
      split.per_distance[i] = layout.scale * weight(i, layout.distance);
  return split;
}

void join_first_layer_gradient(const FeatureLayout& layout, const SplitFirstLayer& gradient,
                               MutableMatrixView weight) {
  const int64_t states = layout.observation_dim;
  DARP_CHECK(weight.cols() == layout.width && gradient.per_row.rows() == weight.rows() &&
                 gradient.per_query.rows() == weight.rows() &&
                 std::ssize(gradient.per_distance) == weight.rows() &&
                 gradient.per_row.cols() == states + layout.action_dim &&
                 gradient.per_query.cols() == states,
             "gradients do not fit a layer of {} x {}", weight.rows(), weight.cols());
  const MatrixView row_state = gradient.per_row.view().cols_between(0, states),
                   query = gradient.per_query;
  if (layout.state >= 0) copy(row_state, part(weight, layout.state, states));
  if (layout.action >= 0)
    copy(gradient.per_row.view().cols_between(states, gradient.per_row.cols()),
         part(weight, layout.action, layout.action_dim));
  if (layout.query >= 0) copy(query, part(weight, layout.query, states));
  if (layout.difference >= 0)
    for (int64_t i = 0; i < weight.rows(); ++i)
      for (int64_t j = 0; j < states; ++j)
        weight(i, layout.difference + j) = layout.scale * (row_state(i, j) - query(i, j));
  if (layout.distance >= 0)
    for (int64_t i = 0; i < weight.rows(); ++i)
      weight(i, layout.distance) = layout.scale * gradient.per_distance[i];
}

}  // namespace darp
