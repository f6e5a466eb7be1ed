#include "darp/kernels/row_blocks.h"

namespace darp::kernels {

RowBlocks::RowBlocks(int64_t rows, int64_t cols)
    : storage_(Matrix::zeros((rows + kLanes - 1) / kLanes, cols * kLanes)),
      rows_(rows),
      cols_(cols) {}

RowBlocks::RowBlocks(MatrixView rows) : RowBlocks(rows.rows(), rows.cols()) {
  for (int64_t i = 0; i < rows_; ++i) set_row(i, rows.row(i));
}

void RowBlocks::set_row(int64_t row, std::span<const float> values) {
  DARP_CHECK(row >= 0 && row < rows_, "row {} of {}", row, rows_);
  DARP_CHECK(static_cast<int64_t>(values.size()) == cols_, "{} of {} columns", values.size(),
             cols_);
  float* lane = storage_.mutable_view().data() + row / kLanes * cols_ * kLanes + row % kLanes;
  for (const float value : values) {
    *lane = value;
    lane += kLanes;
  }
}

void RowBlocks::copy_row(int64_t row, std::span<float> out) const {
  DARP_CHECK(row >= 0 && row < rows_, "row {} of {}", row, rows_);
  DARP_CHECK(static_cast<int64_t>(out.size()) == cols_, "{} of {} columns", out.size(), cols_);
  for (int64_t j = 0; j < cols_; ++j) out[j] = (*this)(row, j);
}

}  // namespace darp::kernels
