#pragma once
// Small symmetric systems of equations: Cholesky's way, without allocation.

#include <array>
#include <cmath>

namespace darp {

/// A^-1 b for symmetric A whose eigenvalues are not below 0. Directions that A takes to nothing are
/// left alone, as a pseudo-inverse would (an arm that is stretched out has such).
template <int N>
class SymmetricSolver {
 public:
  using Vector = std::array<double, N>;

  explicit SymmetricSolver(const std::array<Vector, N>& a) {
    constexpr double kNothing = 1e-12;
    double largest = 0;
    for (int i = 0; i < N; ++i) largest = std::max(largest, a[i][i]);
    for (int j = 0; j < N; ++j) {
      double pivot = a[j][j];
      for (int k = 0; k < j; ++k) pivot -= factor_[j][k] * factor_[j][k];
      inverse_[j] = pivot > kNothing * largest ? 1 / std::sqrt(pivot) : 0;
      for (int i = j + 1; i < N; ++i) {
        double sum = a[i][j];
        for (int k = 0; k < j; ++k) sum -= factor_[i][k] * factor_[j][k];
        factor_[i][j] = sum * inverse_[j];
      }
    }
  }

  Vector solve(Vector b) const {
    for (int i = 0; i < N; ++i) {
      for (int k = 0; k < i; ++k) b[i] -= factor_[i][k] * b[k];
      b[i] *= inverse_[i];
    }
    for (int i = N - 1; i >= 0; --i) {
      for (int k = i + 1; k < N; ++k) b[i] -= factor_[k][i] * b[k];
      b[i] *= inverse_[i];
    }
    return b;
  }

 private:
  std::array<Vector, N> factor_ = {};  // below the diagonal
  Vector inverse_ = {};                // of the diagonal
};

}  // namespace darp
