#pragma once
// LayerNorm and ReLU, forward and backward, over a few rows that are hot in cache:
//
//   x = (z - mean(z)) / sqrt(var(z) + epsilon)      y = scale x + shift      h = max(0, y)
//
// The variance is computed from the differences to the mean: the shorter formula cancels for
// inputs that are nearly equal. Sums over rows are taken row after row, so results do not depend on
// how rows are cut into calls. Without `scale` there is no normalisation: h = max(0, z), x = z.

#include <cstdint>
#include <span>

#include "darp/core/matrix.h"

namespace darp::kernels {

inline constexpr float kLayerNormEpsilon = 1e-5f;

/// One number per column each, or null both: no normalisation.
struct LayerNormWeights {
  const float* scale = nullptr;
  const float* shift = nullptr;
};

/// Turns z into x in place, keeps 1 / sqrt(var + epsilon) of each row in `inverse` (left alone
/// without normalisation), and writes h.
void normalize_relu(MutableMatrixView z, LayerNormWeights weights, float* inverse,
                    MutableMatrixView h);
/// The same, but adds the rows of h, each times its number in `factors` (null: 1), to `sum` (one
/// number per column).
void normalize_relu_sum(MutableMatrixView z, LayerNormWeights weights, float* inverse,
                        const float* factors, float* sum);

/// Rows that need not be written down: row which[i] of `rows` plus `add`, for every i.
struct GatheredRows {
  MatrixView rows;
  std::span<const int32_t> which;
  const float* add;
};

/// For acting, where nothing is kept for a way back: rows that have no mean, because it was taken
/// out of the weights that made them. h = max(0, scale z / sqrt(mean(z^2) + epsilon) + shift), into
/// `h`, which may be the memory of `z`. NaN stays NaN.
void centered_norm_relu(MatrixView z, LayerNormWeights weights, MutableMatrixView h);
void centered_norm_relu(const GatheredRows& z, LayerNormWeights weights, MutableMatrixView h);
/// The same, but adds the rows of h, each times its number in `factors` (null: 1), to `sum` (one
/// number per column).
void centered_norm_relu_sum(MatrixView z, LayerNormWeights weights, const float* factors,
                            float* sum);
void centered_norm_relu_sum(const GatheredRows& z, LayerNormWeights weights, const float* factors,
                            float* sum);

/// Sums over rows, one number per column each, that a backward pass adds to. Those of scale and
/// shift are not touched without normalisation.
struct LayerNormGradient {
  float* scale = nullptr;
  float* shift = nullptr;
  float* bias = nullptr;  // of what z came from: sum of dz
};

/// From the gradient by h to the gradient by z. `dh` may have stride 0 (one row for all) and may be
/// the memory of `dz`.
void normalize_relu_backward(MatrixView dh, MatrixView x, LayerNormWeights weights,
                             const float* inverse, MutableMatrixView dz,
                             LayerNormGradient gradient);

}  // namespace darp::kernels
