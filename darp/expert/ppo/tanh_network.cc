#include "darp/expert/ppo/tanh_network.h"

#include <algorithm>
#include <cmath>

#include "darp/core/error.h"
#include "darp/kernels/tanh.h"

namespace darp {
namespace {

/// Rows (or, if there are more of them than columns, columns) that are orthonormal: Gram and
/// Schmidt on normal numbers.
std::vector<double> orthonormal(int64_t rows, int64_t cols, Rng& rng) {
  const int64_t vectors = std::min(rows, cols), length = std::max(rows, cols);
  std::vector<double> q(static_cast<size_t>(vectors * length));
  for (int64_t i = 0; i < vectors; ++i) {
    double* const v = q.data() + i * length;
    for (int64_t j = 0; j < length; ++j) v[j] = rng.normal();
    // Twice, for the first time leaves rounding behind.
    for (int64_t pass = 0; pass < 2; ++pass)
      for (int64_t other = 0; other < i; ++other) {
        const double* const u = q.data() + other * length;
        double dot = 0;
        for (int64_t j = 0; j < length; ++j) dot += u[j] * v[j];
        for (int64_t j = 0; j < length; ++j) v[j] -= dot * u[j];
      }
    double norm = 0;
    for (int64_t j = 0; j < length; ++j) norm += v[j] * v[j];
    for (int64_t j = 0; j < length; ++j) v[j] /= std::sqrt(norm);
  }
  if (rows <= cols) return q;
  std::vector<double> transposed(q.size());
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j)
      transposed[static_cast<size_t>(i * cols + j)] = q[static_cast<size_t>(j * rows + i)];
  return transposed;
}

}  // namespace

int64_t NetworkShape::offset(int64_t layer) const {
  int64_t sum = 0;
  for (int64_t l = 0; l < layer; ++l) sum += (widths[l] + 1) * widths[l + 1];
  return sum;
}

int64_t NetworkShape::parameters() const {
  return offset(layers());
}

void initialize(const NetworkShape& shape, double output_gain, Rng rng,
                std::span<float> parameters) {
  for (int64_t layer = 0; layer < shape.layers(); ++layer) {
    const auto weight = shape.weight(layer, parameters);
    const double gain = layer + 1 == shape.layers() ? output_gain : std::sqrt(2.0);
    const std::vector<double> q = orthonormal(weight.rows(), weight.cols(), rng);
    for (int64_t i = 0; i < weight.rows(); ++i)
      for (int64_t j = 0; j < weight.cols(); ++j)
        weight(i, j) = static_cast<float>(gain * q[static_cast<size_t>(i * weight.cols() + j)]);
    std::ranges::fill(shape.bias(layer, parameters), 0.0f);
  }
}

PackedNetwork::PackedNetwork(NetworkShape shape)
    : shape_(std::move(shape)),
      forward_(static_cast<size_t>(shape_.layers())),
      backward_(static_cast<size_t>(shape_.layers())),
      biases_(static_cast<size_t>(shape_.layers())) {}

void PackedNetwork::pack(std::span<const float> parameters, bool backward) {
  using Factor = kernels::PackedFloat::Factor;
  for (int64_t layer = 0; layer < shape_.layers(); ++layer) {
    const MatrixView weight = shape_.weight(layer, parameters);
    forward_[layer].pack(weight, Factor::kTransposedWeight);
    if (backward && layer > 0) backward_[layer].pack(weight, Factor::kWeight);
    const auto bias = shape_.bias(layer, parameters);
    biases_[layer].assign(bias.begin(), bias.end());
  }
}

NetworkPass::NetworkPass(const NetworkShape& shape, int64_t most_rows) {
  for (int64_t layer = 0; layer < shape.layers(); ++layer) {
    values_.push_back(Matrix::zeros(most_rows, shape.widths[layer + 1]));
    if (layer + 1 < shape.layers())
      gradients_.push_back(Matrix::zeros(most_rows, shape.widths[layer + 1]));
  }
}

MutableMatrixView NetworkPass::forward(const PackedNetwork& network, MatrixView inputs) {
  const int64_t last = network.shape().layers() - 1;
  MatrixView below = inputs;
  for (int64_t layer = 0; layer <= last; ++layer) {
    const MutableMatrixView out = rows(values_[layer], inputs.rows());
    kernels::multiply(below, network.forward(layer), network.bias(layer), out);
    if (layer < last) kernels::apply_tanh(out);
    below = out;
  }
  return rows(values_[last], inputs.rows());
}

void NetworkPass::backward(const PackedNetwork& network, MatrixView inputs,
                           MutableMatrixView output_gradient, std::span<float> gradient) {
  const NetworkShape& shape = network.shape();
  MutableMatrixView above = output_gradient;
  for (int64_t layer = shape.layers() - 1; layer >= 0; --layer) {
    const MatrixView below =
        layer == 0 ? inputs : MatrixView(rows(values_[layer - 1], inputs.rows()));
    kernels::add_products(above, below, shape.weight(layer, gradient), kernels::Sum::kStart);
    const auto bias = shape.bias(layer, gradient);
    std::ranges::fill(bias, 0.0f);
    for (int64_t i = 0; i < above.rows(); ++i) {
      const float* const row = above.data() + i * above.stride();
      for (size_t j = 0; j < bias.size(); ++j) bias[j] += row[j];
    }
    if (layer == 0) return;
    const MutableMatrixView next = rows(gradients_[layer - 1], inputs.rows());
    kernels::multiply(above, network.backward(layer), {}, next);
    kernels::backpropagate_tanh(below, next);
    above = next;
  }
}

}  // namespace darp
