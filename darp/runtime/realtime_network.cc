#include "darp/runtime/realtime_network.h"

#include <algorithm>

#include "darp/kernels/row_sums.h"
#include "darp/kernels/row_tiles.h"

namespace darp {
namespace {

using kernels::PackedFloat;

constexpr auto kForward = PackedFloat::Factor::kTransposedWeight;

/// Takes the mean over the units out of a layer. LayerNorm would do so to what comes out of it;
/// done here, it need not be found any more.
void center(Matrix& weight, std::vector<float>& bias) {
  const auto units = static_cast<double>(weight.rows());
  const auto center_column = [&](auto&& entry) {
    double mean = 0;
    for (int64_t i = 0; i < weight.rows(); ++i) mean += static_cast<double>(entry(i)) / units;
    for (int64_t i = 0; i < weight.rows(); ++i)
      entry(i) = static_cast<float>(static_cast<double>(entry(i)) - mean);
  };
  for (int64_t j = 0; j < weight.cols(); ++j)
    center_column([&](int64_t i) -> float& { return weight(i, j); });
  center_column([&](int64_t i) -> float& { return bias[i]; });
}

/// to += the rows, times their weights where they have some.
void add_weighted(MatrixView rows, const float* weights, float* to) noexcept {
  if (!weights) return kernels::add_rows(rows, to);
  for (int64_t i = 0; i < rows.rows(); ++i)
    for (int64_t j = 0; j < rows.cols(); ++j) to[j] += weights[i] * rows(i, j);
}

}  // namespace

RealtimeNetwork::RealtimeNetwork(std::span<const float> numbers,
                                 const std::vector<LayerParameters>& parameters,
                                 const FeatureLayout& layout, MatrixView rows, bool bfloat16)
    : bfloat16_(bfloat16), tile_rows_(bfloat16 ? kernels::bfloat_tile_rows() : kernels::kTileRows) {
  const auto vector = [&](const Parameter& p) {
    return std::vector<float>(numbers.begin() + p.offset, numbers.begin() + p.offset + p.size);
  };
  for (size_t l = 0; l < parameters.size(); ++l) {
    const LayerParameters& p = parameters[l];
    Layer& layer = layers_.emplace_back();
    layer.bias = vector(p.bias);
    layer.scale = vector(p.scale);
    layer.shift = vector(p.shift);
    Matrix weight = Matrix::copy_of(p.weight_in(numbers.data()));
    if (!layer.scale.empty()) center(weight, layer.bias);
    const bool last = l + 1 == parameters.size();
    if (l == 0)
      set_first_layer(layout, weight, rows);
    else if (bfloat16_ && !last)
      layer.bfloat.emplace(weight.cols(), weight.rows()).set_transposed(weight);
    else
      layer.weight.pack(weight, kForward);
  }
}

void RealtimeNetwork::set_first_layer(const FeatureLayout& layout, MatrixView weight,
                                      MatrixView rows) {
  SplitFirstLayer split = split_first_layer(layout, weight);
  per_query_.pack(split.per_query, kForward);
  if (layout.distance >= 0) per_distance_ = std::move(split.per_distance);
  if (rows.rows() == 0) return;
  PackedFloat per_row;
  per_row.pack(split.per_row, kForward);
  row_part_ = Matrix::zeros(rows.rows(), weight.rows());
  kernels::multiply(rows, per_row, {}, row_part_.mutable_view());
}

size_t RealtimeNetwork::bytes() const {
  size_t sum = row_part_.bytes();
  const auto add = [&](const PackedFloat& packed) {
    sum += static_cast<size_t>(packed.inner() * packed.outer()) * sizeof(float);
  };
  add(per_query_);
  for (const Layer& layer : layers_) {
    add(layer.weight);
    sum += layer.bfloat ? layer.bfloat->bytes() : 0;
  }
  return sum;
}

/// The first layer's part that all neighbours share.
void RealtimeNetwork::evaluate_query(const NetworkQuery& query,
                                     NetworkMemory& memory) const noexcept {
  const auto width = std::ssize(query.state);
  const int64_t units = layers_.front().units();
  kernels::multiply({query.state.data(), 1, width, width}, per_query_, layers_.front().bias,
                    {memory.query_part_.data(), 1, units, units});
}

/// Asks for the rows of the neighbours from `begin` on, which come in no order.
void RealtimeNetwork::prefetch(const NetworkQuery& query, int64_t begin,
                               int64_t count) const noexcept {
  const int64_t end = std::min(begin + count, std::ssize(query.rows));
  for (int64_t i = begin; i < end; ++i)
    kernels::prefetch(row_part_.view().data() + query.rows[i] * row_part_.stride(),
                      row_part_.cols());
}

/// What the first layer gives for some neighbours: written down where it cannot be gathered on the
/// fly, because there are no neighbours, networks see distances, or nothing comes after it.
MutableMatrixView RealtimeNetwork::write_first_layer(const NetworkQuery& query, int64_t begin,
                                                     int64_t count,
                                                     NetworkMemory& memory) const noexcept {
  const int64_t units = layers_.front().units();
  const MutableMatrixView z = memory.z(count, units);
  for (int64_t i = 0; i < count; ++i) {
    float* out = z.data() + i * z.stride();
    if (query.rows.empty()) {
      std::copy_n(memory.query_part_.data(), units, out);
      continue;
    }
    const int64_t row = query.rows[begin + i];
    kernels::sum(row_part_.view().data() + row * row_part_.stride(), memory.query_part_.data(),
                 units, out);
    if (!per_distance_.empty())
      for (int64_t j = 0; j < units; ++j) out[j] += query.distances[begin + i] * per_distance_[j];
  }
  return z;
}

/// One hidden layer: LayerNorm and ReLU of what the one before gave (a matrix, or rows to gather),
/// then the product.
template <class Rows>
MatrixView RealtimeNetwork::next_layer(size_t l, const Rows& z, int64_t count,
                                       NetworkMemory& memory) const noexcept {
  const Layer& before = layers_[l - 1];
  const Layer& layer = layers_[l];
  const MutableMatrixView out = memory.z(count, layer.units());
  if (layer.bfloat) {
    memory.rounded_->resize(count, before.units());
    memory.rounded_->set_centered_norm_relu(z, before.norm());
    kernels::multiply(*memory.rounded_, 0, count, *layer.bfloat, layer.bias, out);
  } else {
    const MutableMatrixView hidden = memory.hidden(count, before.units());
    kernels::centered_norm_relu(z, before.norm(), hidden);
    kernels::multiply(hidden, layer.weight, layer.bias, out);
  }
  return out;
}

/// Calls take(z) with what the last hidden layer gives for some neighbours before its LayerNorm: a
/// matrix, or rows to gather.
template <class Take>
void RealtimeNetwork::with_last_hidden(const NetworkQuery& query, int64_t begin, int64_t count,
                                       NetworkMemory& memory, const Take& take) const noexcept {
  const size_t last = layers_.size() - 2;
  const auto go_on = [&](const auto& first) {
    prefetch(query, begin + count, count);
    if (last == 0) return take(first);
    MatrixView z = next_layer(1, first, count, memory);
    for (size_t l = 2; l <= last; ++l) z = next_layer(l, z, count, memory);
    take(z);
  };
  if (query.rows.empty() || !per_distance_.empty())
    go_on(MatrixView(write_first_layer(query, begin, count, memory)));
  else
    go_on(kernels::GatheredRows{row_part_, query.rows.subspan(begin, count),
                                memory.query_part_.data()});
}

void RealtimeNetwork::mean_answer(const NetworkQuery& query, NetworkMemory& memory,
                                  std::span<float> answer) const noexcept {
  const auto rows = std::max<int64_t>(1, std::ssize(query.rows));
  const float* weights = query.weights.empty() ? nullptr : query.weights.data();
  const auto actions = std::ssize(answer);
  const bool linear = layers_.size() == 1;
  const Layer& last = layers_[linear ? 0 : layers_.size() - 2];
  float* sum = memory.sum_.data();
  std::fill_n(sum, last.units(), 0.0f);
  evaluate_query(query, memory);
  kernels::for_each_tile(rows, tile_rows_, [&](int64_t begin, int64_t count) {
    if (linear)
      add_weighted(write_first_layer(query, begin, count, memory),
                   weights ? weights + begin : nullptr, sum);
    else
      with_last_hidden(query, begin, count, memory, [&](const auto& z) {
        kernels::centered_norm_relu_sum(z, last.norm(), weights ? weights + begin : nullptr, sum);
      });
  });
  if (!weights)
    for (int64_t j = 0; j < last.units(); ++j) sum[j] /= static_cast<float>(rows);
  if (linear)
    std::copy_n(sum, actions, answer.data());
  else
    kernels::multiply({sum, 1, last.units(), last.units()}, layers_.back().weight,
                      layers_.back().bias, {answer.data(), 1, actions, actions});
}

void RealtimeNetwork::each_answer(const NetworkQuery& query, NetworkMemory& memory,
                                  MutableMatrixView answers) const noexcept {
  evaluate_query(query, memory);
  kernels::for_each_tile(answers.rows(), tile_rows_, [&](int64_t begin, int64_t count) {
    const MutableMatrixView out = answers.rows_between(begin, begin + count);
    if (layers_.size() == 1) {
      const MatrixView z = write_first_layer(query, begin, count, memory);
      for (int64_t i = 0; i < count; ++i) std::ranges::copy(z.row(i), out.row(i).begin());
      return;
    }
    const Layer& last = layers_[layers_.size() - 2];
    const MutableMatrixView hidden = memory.hidden(count, last.units());
    with_last_hidden(query, begin, count, memory,
                     [&](const auto& z) { kernels::centered_norm_relu(z, last.norm(), hidden); });
    kernels::multiply(hidden, layers_.back().weight, layers_.back().bias, out);
  });
}

NetworkMemory::NetworkMemory(const RealtimeNetwork& network) {
  int64_t widest = 0;
  for (const RealtimeNetwork::Layer& layer : network.layers_)
    widest = std::max(widest, layer.units());
  // Rows a cache line apart from a power of two, which would crowd a column into a few places of
  // the cache.
  constexpr int64_t kGap = 16;
  z_ = Matrix::zeros(network.tile_rows_, widest + kGap);
  hidden_ = Matrix::zeros(network.tile_rows_, widest + kGap);
  if (network.bfloat16_)
    rounded_.emplace(network.tile_rows_, widest, kernels::BfloatRows::Layouts::kRows);
  query_part_.resize(network.layers_.front().units());
  sum_.resize(widest);
}

}  // namespace darp
