#pragma once
// Rows for scanning: 16 rows side by side, so that one register holds one column of 16 rows and
// every row's distance grows in its own lane, without sums across lanes.
//   block b holds rows 16 b .. 16 b + 15;
//   within a block, column j is 16 consecutive floats, one per row: [block][column][lane];
//   blocks lie end to end on 64-byte boundaries; lanes past the last row are zero.

#include <span>

#include "darp/core/matrix.h"

namespace darp::kernels {

/// Owns a copy of the rows in the layout above. Threads share it freely while none sets rows.
class RowBlocks {
 public:
  static constexpr int64_t kLanes = 16;

  explicit RowBlocks(MatrixView rows);
  /// Rows of zeros, to be filled by set_row.
  RowBlocks(int64_t rows, int64_t cols);

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  int64_t blocks() const { return storage_.rows(); }
  /// Rows rounded up to whole blocks: what a scan writes.
  int64_t padded_rows() const { return blocks() * kLanes; }
  /// Memory held.
  size_t bytes() const { return storage_.bytes(); }

  const float* block(int64_t index) const {
    return storage_.view().data() + index * cols_ * kLanes;
  }
  float operator()(int64_t row, int64_t col) const {
    return block(row / kLanes)[col * kLanes + row % kLanes];
  }
  /// One row, gathered; `out` has cols() floats.
  void copy_row(int64_t row, std::span<float> out) const;
  /// For scratch that is filled again and again; `values` has cols() floats.
  void set_row(int64_t row, std::span<const float> values);

 private:
  Matrix storage_;  // one block a row: the width is a multiple of 16, so nothing pads it
  int64_t rows_ = 0, cols_ = 0;
};

}  // namespace darp::kernels
