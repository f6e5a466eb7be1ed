#include "darp/train/ccil/spectral_norm.h"

#include <algorithm>
#include <cmath>

namespace darp {
namespace {

void make_unit(std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  const double norm = std::max(std::sqrt(sum), 1e-12);
  for (double& x : v) x /= norm;
}

/// out = W^T u.
void multiply_transposed(MatrixView weight, const std::vector<double>& u,
                         std::vector<double>& out) {
  std::ranges::fill(out, 0.0);
  for (int64_t i = 0; i < weight.rows(); ++i) {
    const float* const row = weight.row(i).data();
    const double factor = u[i];
    for (size_t j = 0; j < out.size(); ++j) out[j] += factor * static_cast<double>(row[j]);
  }
}

/// out = W v.
void multiply_plain(MatrixView weight, const std::vector<double>& v, std::vector<double>& out) {
  for (int64_t i = 0; i < weight.rows(); ++i) {
    const float* const row = weight.row(i).data();
    double sum = 0;
    for (size_t j = 0; j < v.size(); ++j) sum += static_cast<double>(row[j]) * v[j];
    out[i] = sum;
  }
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

SpectralNorm::SpectralNorm(const std::vector<LayerParameters>& layers, double constant, Rng rng)
    : constant_(constant) {
  for (const LayerParameters& parameters : layers) {
    Layer& layer = layers_.emplace_back();
    layer.parameters = parameters;
    layer.left.resize(parameters.weight.shape[0]);
    layer.right.resize(parameters.weight.shape[1]);
    for (double& x : layer.left) x = rng.normal();
    make_unit(layer.left);
  }
}

void SpectralNorm::apply(std::span<const float> parameters, std::span<float> used, int iterations) {
  std::ranges::copy(parameters, used.begin());
  for (Layer& layer : layers_) {
    const MatrixView weight = layer.parameters.weight_in(parameters.data());
    std::vector<double> product(layer.left.size());
    for (int i = 0; i < iterations; ++i) {
      multiply_transposed(weight, layer.left, layer.right);
      make_unit(layer.right);
      multiply_plain(weight, layer.right, product);
      layer.left = product;
      make_unit(layer.left);
    }
    layer.sigma = dot(layer.left, product);
    const double divisor = std::max(layer.sigma / constant_, 1.0);
    for (float& x : used.subspan(layer.parameters.weight.offset, layer.parameters.weight.size))
      x = static_cast<float>(static_cast<double>(x) / divisor);
  }
}

void SpectralNorm::backward(std::span<const float> parameters, std::span<float> gradient) const {
  for (const Layer& layer : layers_) {
    if (layer.sigma <= constant_) continue;
    // With W used as c W / sigma: c / sigma (G - <G, W> / sigma u v^T).
    const MatrixView weight = layer.parameters.weight_in(parameters.data());
    const MutableMatrixView by_weight = layer.parameters.weight_in(gradient.data());
    double along = 0;
    for (int64_t i = 0; i < weight.rows(); ++i)
      for (int64_t j = 0; j < weight.cols(); ++j)
        along += static_cast<double>(weight(i, j)) * static_cast<double>(by_weight(i, j));
    const double factor = constant_ / layer.sigma;
    for (int64_t i = 0; i < weight.rows(); ++i)
      for (int64_t j = 0; j < weight.cols(); ++j) {
        const double across = along / layer.sigma * layer.left[i] * layer.right[j];
        by_weight(i, j) =
            static_cast<float>(factor * (static_cast<double>(by_weight(i, j)) - across));
      }
  }
}

}  // namespace darp
