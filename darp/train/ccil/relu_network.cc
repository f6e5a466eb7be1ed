#include "darp/train/ccil/relu_network.h"

#include <algorithm>

#include "darp/kernels/row_sums.h"
#include "darp/train/fused_step.h"

namespace darp {
namespace {

constexpr int64_t kForwardRows = 64, kMostNetworkShards = 8;

void rectify(MutableMatrixView z) {
  for (int64_t i = 0; i < z.rows(); ++i)
    for (float& x : z.row(i)) x = std::max(x, 0.0f);
}

/// 0 where the unit was off.
void rectify_backward(MatrixView h, MutableMatrixView gradient) {
  for (int64_t i = 0; i < h.rows(); ++i) {
    const float* const on = h.row(i).data();
    float* const g = gradient.row(i).data();
    for (int64_t j = 0; j < h.cols(); ++j) g[j] = on[j] > 0 ? g[j] : 0.0f;
  }
}

}  // namespace

ReluNetwork::ReluNetwork(const std::vector<Parameter>& parameters, const std::string& prefix,
                         ThreadPool& pool)
    : layers_(layer_parameters(parameters, prefix)),
      pool_(pool),
      begin_(layers_.front().weight.offset),
      end_(layers_.back().bias.offset + layers_.back().bias.size),
      forward_(layers_.size()),
      backward_(layers_.size()),
      biases_(layers_.size()),
      values_(layers_.size()),
      gradients_(layers_.size()) {}

void ReluNetwork::set(std::span<const float> parameters) {
  using Factor = kernels::PackedFloat::Factor;
  pool_.parallel_for(std::ssize(layers_), 1, [&](int64_t first, int64_t) {
    const auto l = static_cast<size_t>(first);
    const MatrixView weight = layers_[l].weight_in(parameters.data());
    forward_[l].pack(weight, Factor::kTransposedWeight);
    if (l > 0) backward_[l].pack(weight, Factor::kWeight);
    const auto bias = parameters.subspan(layers_[l].bias.offset, layers_[l].bias.size);
    biases_[l].assign(bias.begin(), bias.end());
  });
}

MatrixView ReluNetwork::forward(MatrixView inputs) {
  const size_t last = layers_.size() - 1;
  for (size_t l = 0; l <= last; ++l) grow(values_[l], inputs.rows(), layers_[l].weight.shape[0]);
  pool_.parallel_for(inputs.rows(), kForwardRows, [&](int64_t begin, int64_t end) {
    MatrixView below = inputs.rows_between(begin, end);
    for (size_t l = 0; l <= last; ++l) {
      const MutableMatrixView out = values_[l].mutable_view().rows_between(begin, end);
      kernels::multiply(below, forward_[l], biases_[l], out);
      if (l < last) rectify(out);
      below = out;
    }
  });
  return values_[last].view().rows_between(0, inputs.rows());
}

void ReluNetwork::backward(MatrixView inputs, MatrixView by_answers, std::span<float> gradient) {
  const int64_t rows = inputs.rows();
  const int64_t shard =
      std::max(kForwardRows, (rows + kMostNetworkShards - 1) / kMostNetworkShards);
  for (size_t l = 0; l + 1 < layers_.size(); ++l)
    grow(gradients_[l], rows, layers_[l].weight.shape[0]);
  shards_.resize((rows + shard - 1) / shard);
  pool_.parallel_for(rows, shard, [&](int64_t begin, int64_t end) {
    backward_rows(inputs, by_answers, begin, end, shards_[begin / shard]);
  });
  std::vector<const float*> parts;
  for (const std::vector<float>& part : shards_) parts.push_back(part.data());
  kernels::sum_all(parts, end_ - begin_, gradient.data() + begin_);
}

void ReluNetwork::backward_rows(MatrixView inputs, MatrixView by_answers, int64_t begin,
                                int64_t end, std::vector<float>& gradient) {
  gradient.assign(end_ - begin_, 0.0f);
  MatrixView above = by_answers.rows_between(begin, end);
  for (size_t l = layers_.size(); l-- > 0;) {
    const MatrixView below = (l == 0 ? inputs : values_[l - 1].view()).rows_between(begin, end);
    const auto& weight = layers_[l].weight;
    float* const by_weight = gradient.data() + (weight.offset - begin_);
    kernels::add_products(
        above, below,
        MutableMatrixView(by_weight, weight.shape[0], weight.shape[1], weight.shape[1]),
        kernels::Sum::kStart);
    kernels::add_rows(above, gradient.data() + (layers_[l].bias.offset - begin_));
    if (l == 0) return;
    const MutableMatrixView next = gradients_[l - 1].mutable_view().rows_between(begin, end);
    kernels::multiply(above, backward_[l], {}, next);
    rectify_backward(below, next);
    above = next;
  }
}

}  // namespace darp
