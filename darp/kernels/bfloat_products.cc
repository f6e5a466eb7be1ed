#include "darp/kernels/bfloat_products.h"

#include "darp/kernels/bfloat_kernels.h"
#include "darp/kernels/bfloat_level.h"

namespace darp::kernels {
namespace {

using bfloat::kPanel;
using bfloat::Product;

int64_t panels(int64_t cols) {
  return (cols + kPanel - 1) / kPanel;
}
int64_t panel_words(int64_t depth) {
  return (depth + bfloat::kPadding - 1) / bfloat::kPadding * bfloat::kPadding / 2 * kPanel;
}

}  // namespace

PackedBfloat::PackedBfloat(int64_t depth, int64_t cols)
    : words_(Matrix::zeros(1, panels(cols) * panel_words(depth))),
      depth_(depth),
      cols_(cols),
      panel_stride_(panel_words(depth)) {
  DARP_CHECK(depth > 0 && cols > 0, "a factor of {}x{}", depth, cols);
}

void PackedBfloat::set(MatrixView matrix) {
  DARP_CHECK(matrix.rows() == depth_ && matrix.cols() == cols_, "{}x{} into {}x{}", matrix.rows(),
             matrix.cols(), depth_, cols_);
  const auto round = bfloat::kernels().round;
  for (int64_t row = 0; row < depth_; row += 2) {
    const float* const first = matrix.data() + row * matrix.stride();
    // A row that is not there keeps its zeros.
    const float* const second = row + 1 < depth_ ? first + matrix.stride() : nullptr;
    round({{first, second}, cols_, {}, words() + row / 2 * kPanel, panel_stride_});
  }
}

void PackedBfloat::set_transposed(MatrixView matrix) {
  DARP_CHECK(matrix.rows() == cols_ && matrix.cols() == depth_, "the transpose of {}x{} into {}x{}",
             matrix.rows(), matrix.cols(), depth_, cols_);
  bfloat::kernels().transpose(
      {matrix.data(), matrix.stride(), cols_, depth_, words(), panel_stride_});
}

const uint32_t* PackedBfloat::words() const {
  return reinterpret_cast<const uint32_t*>(words_.view().data());
}
uint32_t* PackedBfloat::words() {
  return reinterpret_cast<uint32_t*>(words_.mutable_view().data());
}

int64_t bfloat_tile_rows() {
  return bfloat_level() == BfloatLevel::kAmx ? 32 : 14;
}

void multiply(const BfloatRows& a, int64_t first_row, int64_t rows, const PackedBfloat& b,
              std::span<const float> bias, MutableMatrixView out) {
  DARP_CHECK(first_row >= 0 && rows >= 0 && rows <= a.rows() - first_row, "rows {}..{} of {}",
             first_row, first_row + rows, a.rows());
  DARP_CHECK(a.cols() == b.depth() && out.rows() == rows && out.cols() == b.cols() &&
                 (bias.empty() || static_cast<int64_t>(bias.size()) == b.cols()),
             "{}x{} times {}x{} plus {} into {}x{}", rows, a.cols(), b.depth(), b.cols(),
             bias.size(), out.rows(), out.cols());
  bfloat::kernels().multiply({.a = a.row_words(first_row),
                              .a_row = a.row_stride(),
                              .a_step = 1,
                              .b = b.words(),
                              .b_panel = b.panel_stride(),
                              .b_step = kPanel,
                              .out = out.data(),
                              .out_stride = out.stride(),
                              .rows = rows,
                              .cols = out.cols(),
                              .steps = (a.cols() + 1) / 2,
                              .start = bias.empty() ? Product::Start::kZero : Product::Start::kBias,
                              .bias = bias.data()});
}

void add_products(const BfloatRows& left, const BfloatRows& right, MutableMatrixView sum,
                  Sum mode) {
  DARP_CHECK(left.rows() == right.rows() && sum.rows() == left.cols() && sum.cols() == right.cols(),
             "{}x{} transposed times {}x{} into {}x{}", left.rows(), left.cols(), right.rows(),
             right.cols(), sum.rows(), sum.cols());
  bfloat::kernels().multiply(
      {.a = left.pair_words(),
       .a_row = 1,
       .a_step = left.pair_stride(),
       .b = right.pair_words(),
       .b_panel = kPanel,
       .b_step = right.pair_stride(),
       .out = sum.data(),
       .out_stride = sum.stride(),
       .rows = sum.rows(),
       .cols = sum.cols(),
       .steps = (left.rows() + 1) / 2,
       .start = mode == Sum::kAdd ? Product::Start::kOut : Product::Start::kZero,
       .bias = nullptr});
}

}  // namespace darp::kernels
