#include "darp/kernels/float_products.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "darp/kernels/float_products.cc"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace darp::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Two vectors of columns by as many rows as the registers hold: 24 sums of 32 registers with
// AVX-512, 12 of 16 otherwise.
constexpr int64_t kRows = HWY_TARGET <= HWY_AVX3 ? 12 : 6;
static_assert(kTileRows % kRows == 0);

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

int64_t panel_width() {
  return 2 * static_cast<int64_t>(hn::Lanes(Tag()));
}

/// Where one tile of the result lies and what it starts from.
struct Tile {
  float* out;
  int64_t stride, columns;  // columns beyond the panel's end are not written
  const float* bias;        // null: none
  bool add = false;         // to what is there
};

template <size_t kCount>
struct Sums {
  Vector first[kCount], second[kCount];
};

/// Writes the columns of one row that exist.
HWY_INLINE void store_row(Vector first, Vector second, float* out, int64_t columns) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (columns >= 2 * lanes) {
    hn::StoreU(first, d, out);
    hn::StoreU(second, d, out + lanes);
    return;
  }
  HWY_ALIGN float row[2 * hn::MaxLanes(d)];
  hn::Store(first, d, row);
  hn::Store(second, d, row + lanes);
  std::copy(row, row + columns, out);
}

HWY_INLINE void load_row(const float* in, int64_t columns, Vector& first, Vector& second) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (columns >= 2 * lanes) {
    first = hn::LoadU(d, in);
    second = hn::LoadU(d, in + lanes);
    return;
  }
  HWY_ALIGN float row[2 * hn::MaxLanes(d)] = {};
  std::copy(in, in + columns, row);
  first = hn::Load(d, row);
  second = hn::Load(d, row + lanes);
}

/// The sums over k of left[i * row_step + k * term_step] x right[k * right_step + (two vectors)].
template <size_t... kRow>
HWY_INLINE void accumulate(std::index_sequence<kRow...>, Sums<sizeof...(kRow)>& sums,
                           const float* HWY_RESTRICT left, int64_t row_step, int64_t term_step,
                           const float* HWY_RESTRICT right, int64_t right_step, int64_t terms) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  Sums<sizeof...(kRow)> s = sums;
  for (int64_t k = 0; k < terms; ++k) {
    const Vector first = hn::LoadU(d, right), second = hn::LoadU(d, right + lanes);
    (
        [&]() HWY_ATTR {
          const Vector x = hn::Set(d, left[static_cast<int64_t>(kRow) * row_step]);
          s.first[kRow] = hn::MulAdd(x, first, s.first[kRow]);
          s.second[kRow] = hn::MulAdd(x, second, s.second[kRow]);
        }(),
        ...);
    left += term_step;
    right += right_step;
  }
  sums = s;
}

template <size_t kCount>
void multiply_tile(const float* a, int64_t a_stride, const float* panel, int64_t inner, Tile tile) {
  const Tag d;
  Sums<kCount> sums;
  Vector first = hn::Zero(d), second = hn::Zero(d);
  if (tile.bias) load_row(tile.bias, tile.columns, first, second);
  for (size_t i = 0; i < kCount; ++i) sums.first[i] = first, sums.second[i] = second;
  accumulate(std::make_index_sequence<kCount>(), sums, a, a_stride, 1, panel, panel_width(), inner);
  for (size_t i = 0; i < kCount; ++i)
    store_row(sums.first[i], sums.second[i], tile.out + static_cast<int64_t>(i) * tile.stride,
              tile.columns);
}

template <size_t kCount>
void add_tile(const float* left, int64_t left_stride, const float* right, int64_t right_stride,
              int64_t terms, Tile tile) {
  Sums<kCount> sums;
  for (size_t i = 0; i < kCount; ++i) {
    sums.first[i] = sums.second[i] = hn::Zero(Tag());
    if (tile.add)
      load_row(tile.out + static_cast<int64_t>(i) * tile.stride, tile.columns, sums.first[i],
               sums.second[i]);
  }
  accumulate(std::make_index_sequence<kCount>(), sums, left, 1, left_stride, right, right_stride,
             terms);
  for (size_t i = 0; i < kCount; ++i)
    store_row(sums.first[i], sums.second[i], tile.out + static_cast<int64_t>(i) * tile.stride,
              tile.columns);
}

using MultiplyTile = void (*)(const float*, int64_t, const float*, int64_t, Tile);
using AddTile = void (*)(const float*, int64_t, const float*, int64_t, int64_t, Tile);

template <size_t... kIndex>
MultiplyTile multiply_tile_of(int64_t rows, std::index_sequence<kIndex...>) {
  static constexpr MultiplyTile kTiles[] = {multiply_tile<kIndex + 1>...};
  return kTiles[rows - 1];
}
template <size_t... kIndex>
AddTile add_tile_of(int64_t rows, std::index_sequence<kIndex...>) {
  static constexpr AddTile kTiles[] = {add_tile<kIndex + 1>...};
  return kTiles[rows - 1];
}

/// Calls body(begin, count) for tiles of nearly equal height: a last tile of one row would waste
/// eleven twelfths of its time.
template <class Body>
HWY_INLINE void for_each_tile(int64_t rows, const Body& body) {
  const int64_t tiles = (rows + kRows - 1) / kRows;
  for (int64_t t = 0, begin = 0; t < tiles; ++t) {
    const int64_t end = rows * (t + 1) / tiles;
    body(begin, end - begin);
    begin = end;
  }
}

void multiply(MatrixView a, const float* panels, int64_t panel_stride, const float* bias,
              MutableMatrixView out) {
  const int64_t width = panel_width();
  for_each_tile(a.rows(), [&](int64_t row, int64_t count) HWY_ATTR {
    const auto tile = multiply_tile_of(count, std::make_index_sequence<kRows>());
    for (int64_t c = 0, p = 0; c < out.cols(); c += width, ++p)
      tile(a.data() + row * a.stride(), a.stride(), panels + p * panel_stride, a.cols(),
           {out.data() + row * out.stride() + c, out.stride(), out.cols() - c,
            bias ? bias + c : nullptr});
  });
}

void add_products(MatrixView left, MatrixView right, MutableMatrixView sum, bool add,
                  float* last_columns) {
  const int64_t width = panel_width(), terms = left.rows();
  for (int64_t c = 0; c < right.cols(); c += width) {
    // The last vectors of columns may reach beyond the rows of `right`: they are copied out.
    const float* columns = right.data() + c;
    int64_t stride = right.stride();
    if (c + width > right.cols()) {
      for (int64_t k = 0; k < terms; ++k) {
        float* row = last_columns + k * width;
        std::fill(std::copy(columns + k * stride, right.data() + k * stride + right.cols(), row),
                  row + width, 0.0f);
      }
      columns = last_columns;
      stride = width;
    }
    for_each_tile(left.cols(), [&](int64_t n, int64_t count) HWY_ATTR {
      add_tile_of(count, std::make_index_sequence<kRows>())(
          left.data() + n, left.stride(), columns, stride, terms,
          {sum.data() + n * sum.stride() + c, sum.stride(), sum.cols() - c, nullptr, add});
    });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace darp::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace darp::kernels {
namespace {

HWY_EXPORT(panel_width);
HWY_EXPORT(multiply);
HWY_EXPORT(add_products);

}  // namespace

void PackedFloat::pack(MatrixView weight, Factor factor) {
  const bool transposed = factor == Factor::kTransposedWeight;
  const int64_t width = HWY_DYNAMIC_DISPATCH(panel_width)();
  inner_ = transposed ? weight.cols() : weight.rows();
  outer_ = transposed ? weight.rows() : weight.cols();
  const int64_t count = (outer_ + width - 1) / width;
  if (panels_.rows() != count || panels_.cols() != inner_ * width)
    panels_ = Matrix::zeros(count, inner_ * width);
  for (int64_t p = 0; p < count; ++p) {
    float* panel = panels_.row(p).data();
    const int64_t columns = std::min(width, outer_ - p * width);
    if (!transposed) {
      for (int64_t k = 0; k < inner_; ++k)
        std::copy_n(weight.data() + k * weight.stride() + p * width, columns, panel + k * width);
      continue;
    }
    // Eight terms of every column at a time: whole cache lines on both sides.
    for (int64_t begin = 0; begin < inner_; begin += 8)
      for (int64_t c = 0; c < columns; ++c) {
        const float* from = weight.data() + (p * width + c) * weight.stride();
        const int64_t end = std::min(begin + 8, inner_);
        for (int64_t k = begin; k < end; ++k) panel[k * width + c] = from[k];
      }
  }
}

void multiply(MatrixView a, const PackedFloat& b, std::span<const float> bias,
              MutableMatrixView out) {
  DARP_CHECK(a.cols() == b.inner() && out.cols() == b.outer() && out.rows() == a.rows(),
             "{}x{} times {}x{} into {}x{}", a.rows(), a.cols(), b.inner(), b.outer(), out.rows(),
             out.cols());
  const int64_t width = HWY_DYNAMIC_DISPATCH(panel_width)();
  HWY_DYNAMIC_DISPATCH(multiply)
  (a, b.panels(), Matrix::stride_for(b.inner() * width), bias.empty() ? nullptr : bias.data(), out);
}

void add_products(MatrixView left, MatrixView right, MutableMatrixView sum, Sum mode) {
  DARP_CHECK(left.rows() == right.rows() && sum.rows() == left.cols() && sum.cols() == right.cols(),
             "{}x{} and {}x{} into {}x{}", left.rows(), left.cols(), right.rows(), right.cols(),
             sum.rows(), sum.cols());
  const int64_t width = HWY_DYNAMIC_DISPATCH(panel_width)();
  thread_local std::vector<float> last_columns;
  if (right.cols() % width != 0) last_columns.resize(right.rows() * width);
  HWY_DYNAMIC_DISPATCH(add_products)
  (left, right, sum, mode == Sum::kAdd, last_columns.data());
}

namespace scalar {

void multiply(MatrixView a, MatrixView b, std::span<const float> bias, MutableMatrixView out) {
  for (int64_t i = 0; i < out.rows(); ++i)
    for (int64_t j = 0; j < out.cols(); ++j) {
      float sum = bias.empty() ? 0 : bias[j];
      for (int64_t k = 0; k < a.cols(); ++k) sum = std::fma(a(i, k), b(k, j), sum);
      out(i, j) = sum;
    }
}

void add_products(MatrixView left, MatrixView right, MutableMatrixView sum) {
  for (int64_t n = 0; n < sum.rows(); ++n)
    for (int64_t m = 0; m < sum.cols(); ++m)
      for (int64_t i = 0; i < left.rows(); ++i)
        sum(n, m) = std::fma(left(i, n), right(i, m), sum(n, m));
}

}  // namespace scalar
}  // namespace darp::kernels
#endif  // HWY_ONCE
