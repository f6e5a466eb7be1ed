#include "darp/kernels/bfloat_rows.h"

#include "darp/core/half.h"
#include "darp/kernels/bfloat_kernels.h"

namespace darp::kernels {
namespace {

using bfloat::kPadding;

constexpr int64_t kLine = 16;  // words in a cache line

int64_t padded(int64_t count) {
  return (count + kPadding - 1) / kPadding * kPadding;
}

/// The fewest words in an odd number of cache lines.
int64_t odd_lines(int64_t words) {
  return ((words + kLine - 1) / kLine | 1) * kLine;
}
int64_t row_stride_for(int64_t cols) {
  return odd_lines(padded(cols) / 2);
}
int64_t pair_stride_for(int64_t cols) {
  return odd_lines(padded(cols));
}

}  // namespace

BfloatRows::BfloatRows(int64_t most_rows, int64_t most_cols, Layouts layouts)
    : layouts_(layouts),
      row_words_(Matrix::zeros(1, padded(most_rows) * row_stride_for(most_cols))),
      pair_words_(Matrix::zeros(layouts == Layouts::kBoth ? 1 : 0,
                                padded(most_rows) / 2 * pair_stride_for(most_cols))),
      most_rows_(most_rows),
      most_cols_(most_cols) {}

void BfloatRows::resize(int64_t rows, int64_t cols) {
  DARP_CHECK(rows >= 0 && rows <= most_rows_ && cols >= 0 && cols <= most_cols_,
             "{}x{} numbers in room for {}x{}", rows, cols, most_rows_, most_cols_);
  if (rows == rows_ && cols == cols_) return;
  rows_ = rows;
  cols_ = cols;
  row_stride_ = row_stride_for(cols);
  pair_stride_ = pair_stride_for(cols);
  const int64_t row_padding = padded(rows) - rows, pair_padding = padded(rows) / 2 - rows / 2;
  std::memset(row_words(rows), 0,
              static_cast<size_t>(row_padding * row_stride_) * sizeof(uint32_t));
  if (layouts_ == Layouts::kRows) return;
  std::memset(pair_words(rows / 2), 0,
              static_cast<size_t>(pair_padding * pair_stride_) * sizeof(uint32_t));
}

void BfloatRows::set(int64_t first_row, MatrixView floats) {
  const int64_t end = first_row + floats.rows();
  DARP_CHECK(first_row >= 0 && end <= rows_ && floats.cols() == cols_,
             "rows {}..{} of width {} into {}x{}", first_row, end, floats.cols(), rows_, cols_);
  DARP_CHECK(layouts_ == Layouts::kBoth, "rows that have one layout");
  const auto round = bfloat::kernels().round;
  for (int64_t pair = first_row / 2; 2 * pair < end; ++pair) {
    bfloat::RowPair job = {{}, cols_, {}, pair_words(pair), bfloat::kPanel};
    for (int64_t i = 0; i < 2; ++i) {
      const int64_t row = 2 * pair + i;
      if (row < first_row || row >= end) continue;
      job.rows[i] = floats.data() + (row - first_row) * floats.stride();
      job.row_words[i] = row_words(row);
    }
    round(job);
  }
}

void BfloatRows::set_centered_norm_relu(MatrixView z, LayerNormWeights weights) {
  DARP_CHECK(z.rows() == rows_ && z.cols() == cols_, "{}x{} into {}x{}", z.rows(), z.cols(), rows_,
             cols_);
  normalize(z, nullptr, nullptr, weights);
}

void BfloatRows::set_centered_norm_relu(const GatheredRows& z, LayerNormWeights weights) {
  DARP_CHECK(static_cast<int64_t>(z.which.size()) == rows_ && z.rows.cols() == cols_,
             "{}x{} into {}x{}", z.which.size(), z.rows.cols(), rows_, cols_);
  normalize(z.rows, z.which.data(), z.add, weights);
}

void BfloatRows::normalize(MatrixView z, const int32_t* which, const float* add,
                           LayerNormWeights weights) {
  DARP_CHECK(layouts_ == Layouts::kRows, "rows that have both layouts");
  bfloat::kernels().normalize({.z = z.data(),
                               .stride = z.stride(),
                               .which = which,
                               .add = add,
                               .rows = rows_,
                               .cols = cols_,
                               .scale = weights.scale,
                               .shift = weights.shift,
                               .epsilon = kLayerNormEpsilon,
                               .words = row_words(0),
                               .words_stride = row_stride_});
}

float BfloatRows::operator()(int64_t row, int64_t col) const {
  const uint32_t word = row_words(row)[col / 2];
  return bfloat16_to_float(static_cast<uint16_t>(col % 2 == 0 ? word : word >> 16));
}

const uint32_t* BfloatRows::row_words(int64_t row) const {
  return reinterpret_cast<const uint32_t*>(row_words_.view().data()) + row * row_stride_;
}
uint32_t* BfloatRows::row_words(int64_t row) {
  return reinterpret_cast<uint32_t*>(row_words_.mutable_view().data()) + row * row_stride_;
}
const uint32_t* BfloatRows::pair_words() const {
  return reinterpret_cast<const uint32_t*>(pair_words_.view().data());
}
uint32_t* BfloatRows::pair_words(int64_t pair) {
  return reinterpret_cast<uint32_t*>(pair_words_.mutable_view().data()) + pair * pair_stride_;
}

}  // namespace darp::kernels
