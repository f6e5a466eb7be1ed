#pragma once
// Tables of doubles for linear algebra: spectra lose too much in float32. Row-major and packed,
// which is what LAPACK takes; core/matrix.h stays the layout of everything else.

#include <cstdint>
#include <vector>

#include "darp/core/matrix.h"

namespace darp {

using DoubleView = BasicMatrixView<const double>;
using MutableDoubleView = BasicMatrixView<double>;

/// Owns rows x cols doubles. Movable and copyable.
class DoubleMatrix {
 public:
  DoubleMatrix() = default;
  /// All zero.
  DoubleMatrix(int64_t rows, int64_t cols) : rows_(rows), cols_(cols) {
    DARP_CHECK(rows >= 0 && cols >= 0, "a {}x{} matrix", rows, cols);
    numbers_.resize(static_cast<size_t>(rows) * static_cast<size_t>(cols));
  }
  /// The same numbers as doubles.
  static DoubleMatrix of(MatrixView from) {
    DoubleMatrix m(from.rows(), from.cols());
    for (int64_t i = 0; i < from.rows(); ++i)
      for (int64_t j = 0; j < from.cols(); ++j) m(i, j) = from(i, j);
    return m;
  }

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  const double* data() const { return numbers_.data(); }
  double* data() { return numbers_.data(); }

  DoubleView view() const { return {numbers_.data(), rows_, cols_, cols_}; }
  MutableDoubleView mutable_view() { return {numbers_.data(), rows_, cols_, cols_}; }
  operator DoubleView() const { return view(); }
  std::span<const double> row(int64_t i) const { return view().row(i); }
  std::span<double> row(int64_t i) { return mutable_view().row(i); }
  double operator()(int64_t i, int64_t j) const { return numbers_[i * cols_ + j]; }
  double& operator()(int64_t i, int64_t j) { return numbers_[i * cols_ + j]; }

  bool operator==(const DoubleMatrix&) const = default;

 private:
  int64_t rows_ = 0, cols_ = 0;
  std::vector<double> numbers_;
};

}  // namespace darp
