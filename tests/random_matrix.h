#pragma once
// Seeded random numbers in a matrix, for tests.

#include "darp/core/matrix.h"
#include "darp/core/rng.h"

namespace darp {

/// Gaussians of standard deviation `scale`.
inline Matrix random_matrix(Rng& rng, int64_t rows, int64_t cols, double scale = 1) {
  Matrix matrix = Matrix::zeros(rows, cols);
  for (int64_t i = 0; i < rows; ++i)
    for (float& x : matrix.row(i)) x = static_cast<float>(scale * rng.normal());
  return matrix;
}

}  // namespace darp
