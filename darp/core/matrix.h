#pragma once
// The one memory layout for tables of numbers, stated here and nowhere else:
//   row-major float32; every row of a Matrix starts on a 64-byte boundary (one cache line, one
//   AVX-512 register), so the distance between rows, `stride`, is `cols` rounded up to 16 floats;
//   the padding floats are zero.
// Views carry their own stride and promise no alignment: they also look at packed foreign memory
// and at column ranges.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "darp/core/error.h"

namespace darp {

/// A window on rows x cols numbers that somebody else owns. Cheap to copy; valid as long as the
/// owner is.
template <class T>
class BasicMatrixView {
 public:
  BasicMatrixView() = default;
  BasicMatrixView(T* data, int64_t rows, int64_t cols, int64_t stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  /// A mutable view is also a view.
  operator BasicMatrixView<const T>() const requires(!std::is_const_v<T>) {
    return {data_, rows_, cols_, stride_};
  }

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  int64_t stride() const { return stride_; }
  T* data() const { return data_; }
  bool packed() const { return stride_ == cols_; }

  std::span<T> row(int64_t i) const {
    DARP_CHECK(i >= 0 && i < rows_, "row {} of {}", i, rows_);
    return {data_ + i * stride_, static_cast<size_t>(cols_)};
  }
  T& operator()(int64_t i, int64_t j) const { return data_[i * stride_ + j]; }

  /// Rows [begin, end).
  BasicMatrixView rows_between(int64_t begin, int64_t end) const {
    DARP_CHECK(0 <= begin && begin <= end && end <= rows_, "rows {}..{} of {}", begin, end, rows_);
    return {data_ + begin * stride_, end - begin, cols_, stride_};
  }
  /// Columns [begin, end).
  BasicMatrixView cols_between(int64_t begin, int64_t end) const {
    DARP_CHECK(0 <= begin && begin <= end && end <= cols_, "columns {}..{} of {}", begin, end,
               cols_);
    return {data_ + begin, rows_, end - begin, stride_};
  }

 private:
  T* data_ = nullptr;
  int64_t rows_ = 0, cols_ = 0, stride_ = 0;
};

using MatrixView = BasicMatrixView<const float>;
using MutableMatrixView = BasicMatrixView<float>;

/// Same shape and the same bits (so -0.0 differs from 0.0, and a NaN equals itself).
inline bool same_bits(MatrixView a, MatrixView b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (int64_t i = 0; i < a.rows(); ++i)
    if (a.cols() > 0 && std::memcmp(a.row(i).data(), b.row(i).data(), a.row(i).size_bytes()) != 0)
      return false;
  return true;
}

/// Copies `from` into `to`; the shapes must be equal.
inline void copy(MatrixView from, MutableMatrixView to) {
  DARP_CHECK(from.rows() == to.rows() && from.cols() == to.cols(), "{}x{} into {}x{}", from.rows(),
             from.cols(), to.rows(), to.cols());
  for (int64_t i = 0; i < from.rows(); ++i)
    if (from.cols() > 0)
      std::memcpy(to.row(i).data(), from.row(i).data(), from.row(i).size_bytes());
}

/// Owns its numbers in the layout above. Movable, not copyable: copies of large data are made on
/// purpose, with copy().
class Matrix {
 public:
  static constexpr int64_t kRowAlignment = 64;  // bytes

  Matrix() = default;
  /// What was moved from is empty.
  Matrix(Matrix&& other) noexcept
      : data_(std::move(other.data_)),
        rows_(std::exchange(other.rows_, 0)),
        cols_(std::exchange(other.cols_, 0)) {}
  Matrix& operator=(Matrix&& other) noexcept {
    data_ = std::move(other.data_);
    rows_ = std::exchange(other.rows_, 0);
    cols_ = std::exchange(other.cols_, 0);
    return *this;
  }
  /// Allocates without setting the rows x cols entries (padding is zero); large matrices ask for
  /// huge pages. Throws std::bad_alloc.
  static Matrix uninitialized(int64_t rows, int64_t cols) { return Matrix(rows, cols); }
  static Matrix zeros(int64_t rows, int64_t cols) {
    Matrix m(rows, cols);
    if (m.bytes() > 0) std::memset(m.data_.get(), 0, m.bytes());
    return m;
  }
  static Matrix copy_of(MatrixView from) {
    Matrix m(from.rows(), from.cols());
    copy(from, m.mutable_view());
    return m;
  }
  /// Floats from one row's start to the next for a matrix this wide.
  static int64_t stride_for(int64_t cols) {
    constexpr int64_t kFloats = kRowAlignment / sizeof(float);
    return (cols + kFloats - 1) / kFloats * kFloats;
  }

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  int64_t stride() const { return stride_for(cols_); }
  /// Memory held, padding included.
  size_t bytes() const { return static_cast<size_t>(rows_ * stride()) * sizeof(float); }

  MatrixView view() const { return {data_.get(), rows_, cols_, stride()}; }
  MutableMatrixView mutable_view() { return {data_.get(), rows_, cols_, stride()}; }
  operator MatrixView() const { return view(); }
  std::span<const float> row(int64_t i) const { return view().row(i); }
  std::span<float> row(int64_t i) { return mutable_view().row(i); }
  float operator()(int64_t i, int64_t j) const { return view()(i, j); }
  float& operator()(int64_t i, int64_t j) { return mutable_view()(i, j); }

 private:
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };

  Matrix(int64_t rows, int64_t cols);

  std::unique_ptr<float, Free> data_;
  int64_t rows_ = 0, cols_ = 0;
};

}  // namespace darp
