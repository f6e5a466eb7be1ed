#pragma once
// Rows of numbers rounded to bfloat16, laid out for the products of bfloat_products.h.
//
// Rounding: to the nearest, ties to even. What is too large becomes infinite, what is below the
// smallest normal number becomes zero with its sign, NaN stays NaN: what the CPUs' own
// instructions do, and the same bits on every level.

#include <cstdint>

#include "darp/core/matrix.h"
#include "darp/kernels/layer_norm.h"

namespace darp::kernels {

/// Holds the numbers by rows and, if wanted, a second time with the rows 2 i and 2 i + 1
/// interleaved, which is what a product over the rows reads (add_products). Not for two threads at
/// once while one changes it.
class BfloatRows {
 public:
  enum class Layouts { kBoth, kRows };

  /// Room for up to this much; throws std::bad_alloc. Has no rows until resize().
  BfloatRows(int64_t most_rows, int64_t most_cols, Layouts layouts = Layouts::kBoth);

  /// Another shape leaves the numbers undefined until set() has given all rows; the same shape
  /// keeps them. No allocation.
  void resize(int64_t rows, int64_t cols);
  /// Rounds the rows from `first_row` on; tiles of an even number of rows that start at an even row
  /// are fastest. No allocation.
  void set(int64_t first_row, MatrixView floats);
  /// centered_norm_relu (layer_norm.h) of as many rows as there are, rounded. Only with
  /// Layouts::kRows. No allocation.
  void set_centered_norm_relu(MatrixView z, LayerNormWeights weights);
  void set_centered_norm_relu(const GatheredRows& z, LayerNormWeights weights);

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  /// The rounded number.
  float operator()(int64_t row, int64_t col) const;
  /// Memory held.
  size_t bytes() const { return row_words_.bytes() + pair_words_.bytes(); }

  // For the products. Words hold two numbers (see bfloat_kernels.h); columns and rows are padded
  // with zeros to multiples of 32. Strides are odd numbers of cache lines: a power of two would
  // crowd a column into a few sets of the cache.

  /// Columns 2 i and 2 i + 1 of a row in word i.
  const uint32_t* row_words(int64_t row) const;
  int64_t row_stride() const { return row_stride_; }
  /// Rows 2 i and 2 i + 1 in line i, one word a column.
  const uint32_t* pair_words() const;
  int64_t pair_stride() const { return pair_stride_; }

 private:
  uint32_t* row_words(int64_t row);
  uint32_t* pair_words(int64_t pair);
  void normalize(MatrixView z, const int32_t* which, const float* add, LayerNormWeights weights);

  Layouts layouts_;
  Matrix row_words_, pair_words_;  // bits in the place of floats, one long row each
  int64_t most_rows_, most_cols_;
  int64_t rows_ = 0, cols_ = 0;
  int64_t row_stride_ = 0, pair_stride_ = 0;
};

}  // namespace darp::kernels
