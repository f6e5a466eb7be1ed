#include "darp/kernels/column_products.h"

#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "darp/kernels/column_products.cc"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#ifndef DARP_KERNELS_COLUMN_PRODUCTS_JOB_
#define DARP_KERNELS_COLUMN_PRODUCTS_JOB_
namespace darp::kernels {
namespace {

/// Pointers to one tile's first entries; null: none.
struct ColumnJob {
  MatrixView weight, x;
  MutableMatrixView out;
  const float* bias;
  MatrixView relu_onto;
  bool add;
};

}  // namespace
}  // namespace darp::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace darp::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Two vectors of columns by as many rows as the registers hold.
constexpr int64_t kRows = HWY_TARGET <= HWY_AVX3 ? 12 : 6;

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

/// Some rows of two vectors of columns. Every index is a constant: an array that a loop goes over
/// would be kept in memory.
template <size_t... kRow>
HWY_INLINE void multiply_tile(std::index_sequence<kRow...>, const ColumnJob& job, int64_t row,
                              int64_t column) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t out_stride = job.out.stride(), onto_stride = job.relu_onto.stride();
  float* const out = job.out.data() + row * out_stride + column;
  Vector first[sizeof...(kRow)], second[sizeof...(kRow)];
  if (job.add)
    ((first[kRow] = hn::LoadU(d, out + kRow * out_stride),
      second[kRow] = hn::LoadU(d, out + kRow * out_stride + lanes)),
     ...);
  else if (job.bias)
    ((first[kRow] = second[kRow] = hn::Set(d, job.bias[row + kRow])), ...);
  else
    ((first[kRow] = second[kRow] = hn::Zero(d)), ...);

  const float* HWY_RESTRICT weight = job.weight.data() + row;
  const float* HWY_RESTRICT x = job.x.data() + column;
  const int64_t weight_stride = job.weight.stride(), x_stride = job.x.stride();
  for (int64_t k = job.x.rows(); k > 0; --k) {
    const Vector a = hn::LoadU(d, x), b = hn::LoadU(d, x + lanes);
    (
        [&]() HWY_ATTR {
          const Vector w = hn::Set(d, weight[kRow]);
          first[kRow] = hn::MulAdd(w, a, first[kRow]);
          second[kRow] = hn::MulAdd(w, b, second[kRow]);
        }(),
        ...);
    weight += weight_stride;
    x += x_stride;
  }

  if (job.relu_onto.data()) {
    const float* const onto = job.relu_onto.data() + row * onto_stride + column;
    const Vector zero = hn::Zero(d);
    ((first[kRow] = hn::Add(hn::LoadU(d, onto + kRow * onto_stride), hn::Max(first[kRow], zero)),
      second[kRow] =
          hn::Add(hn::LoadU(d, onto + kRow * onto_stride + lanes), hn::Max(second[kRow], zero))),
     ...);
  }
  ((hn::StoreU(first[kRow], d, out + kRow * out_stride),
    hn::StoreU(second[kRow], d, out + kRow * out_stride + lanes)),
   ...);
}

template <size_t kCount>
void multiply_rows(const ColumnJob& job, int64_t row) {
  const int64_t width = 2 * static_cast<int64_t>(hn::Lanes(Tag()));
  for (int64_t column = 0; column < job.out.cols(); column += width)
    multiply_tile(std::make_index_sequence<kCount>(), job, row, column);
}

template <size_t... kIndex>
HWY_INLINE void multiply_some_rows(std::index_sequence<kIndex...>, const ColumnJob& job,
                                   int64_t row, int64_t count) {
  using Function = void (*)(const ColumnJob&, int64_t);
  static constexpr Function kFunctions[] = {multiply_rows<kIndex + 1>...};
  kFunctions[count - 1](job, row);
}

/// Tiles of nearly equal height: one row costs nearly as much as several.
void multiply_columns(const ColumnJob& job) {
  const int64_t rows = job.out.rows(), tiles = (rows + kRows - 1) / kRows;
  if (rows == 0) return;
  const int64_t height = rows / tiles, higher = rows % tiles;
  for (int64_t t = 0, row = 0; t < tiles; ++t) {
    const int64_t count = height + (t < higher ? 1 : 0);
    multiply_some_rows(std::make_index_sequence<kRows>(), job, row, count);
    row += count;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace darp::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace darp::kernels {
namespace {

HWY_EXPORT(multiply_columns);

void check(MatrixView weight, MatrixView x, MatrixView out) {
  DARP_CHECK(weight.rows() == x.rows() && out.rows() == weight.cols() && out.cols() == x.cols() &&
                 x.cols() % kTileColumns == 0,
             "the transpose of {}x{} times {}x{} into {}x{}", weight.rows(), weight.cols(),
             x.rows(), x.cols(), out.rows(), out.cols());
}

}  // namespace

void multiply_columns(MatrixView weight, MatrixView x, MutableMatrixView out,
                      const ColumnEnd& end) {
  check(weight, x, out);
  const MatrixView onto = end.relu_onto;
  DARP_CHECK(end.bias.empty() || std::ssize(end.bias) == out.rows(), "{} biases for {} rows",
             end.bias.size(), out.rows());
  DARP_CHECK(!onto.data() || (onto.rows() == out.rows() && onto.cols() == out.cols()),
             "{}x{} onto {}x{}", out.rows(), out.cols(), onto.rows(), onto.cols());
  HWY_DYNAMIC_DISPATCH(multiply_columns)
  ({weight, x, out, end.bias.empty() ? nullptr : end.bias.data(), onto, false});
}

void add_columns(MatrixView weight, MatrixView x, MutableMatrixView out) {
  check(weight, x, out);
  HWY_DYNAMIC_DISPATCH(multiply_columns)({weight, x, out, nullptr, {}, true});
}

}  // namespace darp::kernels
#endif
