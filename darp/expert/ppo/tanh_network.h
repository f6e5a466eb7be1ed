#pragma once
// A small network with hyperbolic tangents between its layers, forward and back, over one flat
// vector of parameters: for each layer its weights (outputs x inputs, row by row), then its biases.

#include <cstdint>
#include <span>
#include <vector>

#include "darp/core/matrix.h"
#include "darp/core/rng.h"
#include "darp/kernels/float_products.h"

namespace darp {

/// That a network may have.
inline constexpr int64_t kMostLayers = 16;

/// Inputs, hidden layers, outputs.
struct NetworkShape {
  std::vector<int64_t> widths;

  int64_t layers() const { return static_cast<int64_t>(widths.size()) - 1; }
  int64_t inputs() const { return widths.front(); }
  int64_t outputs() const { return widths.back(); }
  int64_t parameters() const;
  /// Where a layer's weights begin; its biases follow them.
  int64_t offset(int64_t layer) const;

  template <class T>
  BasicMatrixView<T> weight(int64_t layer, std::span<T> parameters) const {
    const int64_t in = widths[layer], out = widths[layer + 1];
    return {parameters.data() + offset(layer), out, in, in};
  }
  template <class T>
  std::span<T> bias(int64_t layer, std::span<T> parameters) const {
    const int64_t in = widths[layer], out = widths[layer + 1];
    return parameters.subspan(static_cast<size_t>(offset(layer) + in * out),
                              static_cast<size_t>(out));
  }
};

/// Orthogonal weights times the square root of 2, the last layer's times `output_gain`; biases 0.
void initialize(const NetworkShape& shape, double output_gain, Rng rng,
                std::span<float> parameters);

/// Parameters as the products want them. Immutable between calls of pack(): threads share it.
class PackedNetwork {
 public:
  explicit PackedNetwork(NetworkShape shape);

  /// `backward`: also what NetworkPass::backward needs.
  void pack(std::span<const float> parameters, bool backward);

  const NetworkShape& shape() const { return shape_; }
  const kernels::PackedFloat& forward(int64_t layer) const { return forward_[layer]; }
  const kernels::PackedFloat& backward(int64_t layer) const { return backward_[layer]; }
  std::span<const float> bias(int64_t layer) const { return biases_[layer]; }

 private:
  NetworkShape shape_;
  std::vector<kernels::PackedFloat> forward_, backward_;
  std::vector<std::vector<float>> biases_;
};

/// Room for a block of rows; one thread's.
class NetworkPass {
 public:
  /// @param most_rows that a call has
  NetworkPass(const NetworkShape& shape, int64_t most_rows);

  /// One row of outputs for each of inputs; valid until the next call.
  MutableMatrixView forward(const PackedNetwork& network, MatrixView inputs);

  /// After forward() of the same inputs: `gradient` becomes that of the sum over rows of outputs
  /// times `output_gradient`, which is overwritten.
  void backward(const PackedNetwork& network, MatrixView inputs, MutableMatrixView output_gradient,
                std::span<float> gradient);

 private:
  MutableMatrixView rows(Matrix& matrix, int64_t count) {
    return matrix.mutable_view().rows_between(0, count);
  }

  std::vector<Matrix> values_;     // after each layer
  std::vector<Matrix> gradients_;  // of hidden layers' values
};

}  // namespace darp
