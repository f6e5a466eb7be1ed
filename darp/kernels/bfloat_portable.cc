// bfloat16 products in float arithmetic, for CPUs without instructions for them. A product of two
// bfloat16 numbers is exact in float, so that every SIMD level gives the same bits, with fused
// additions or without.
#include <string.h>

#include "darp/kernels/bfloat_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "darp/kernels/bfloat_portable.cc"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace darp::kernels::bfloat {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = HWY_CAPPED(float, 16);
using WordTag = hn::RebindToUnsigned<FloatTag>;
using FloatVec = hn::Vec<FloatTag>;
using WordVec = hn::Vec<WordTag>;

// Rows of sums at once: with two registers each they leave room for the factors in 16 or 32.
#if HWY_TARGET <= HWY_AVX3
constexpr int kMostRows = 12;
#else
constexpr int kMostRows = 6;
#endif
constexpr int64_t kMostSteps = 128;

/// The bfloat16 bits in the low halves.
HWY_INLINE WordVec rounded(const float* from) {
  const WordTag d;
  const WordVec bits = hn::BitCast(d, hn::LoadU(FloatTag(), from));
  const WordVec magnitude = hn::And(bits, hn::Set(d, 0x7FFFFFFFu));
  const WordVec upper = hn::ShiftRight<16>(bits);
  const WordVec odd = hn::And(upper, hn::Set(d, 1));
  const WordVec near = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(d, 0x7FFFu))));
  const WordVec quiet = hn::Or(upper, hn::Set(d, 0x40u));
  const WordVec zero = hn::And(upper, hn::Set(d, 0x8000u));
  const auto is_nan = hn::Gt(magnitude, hn::Set(d, 0x7F800000u));
  const auto is_small = hn::Lt(magnitude, hn::Set(d, 0x00800000u));
  return hn::IfThenElse(is_nan, quiet, hn::IfThenElse(is_small, zero, near));
}

/// One group of columns of a pair; `rows` have kPanel floats.
HWY_INLINE void round_panel(const float* const (&rows)[2], uint32_t* const (&row_words)[2],
                            uint32_t* pair_words) {
  const WordTag d;
  const hn::Rebind<uint16_t, WordTag> halves;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t c = 0; c < kPanel; c += lanes) {
    WordVec words = hn::LoadU(d, pair_words + c);
    for (int i = 0; i < 2; ++i) {
      if (rows[i] == nullptr) continue;
      const WordVec row = rounded(rows[i] + c);
      words = i == 0 ? hn::Or(hn::And(words, hn::Set(d, 0xFFFF0000u)), row)
                     : hn::Or(hn::And(words, hn::Set(d, 0x0000FFFFu)), hn::ShiftLeft<16>(row));
      if (row_words[i] != nullptr)
        hn::StoreU(hn::TruncateTo(halves, row), halves,
                   reinterpret_cast<uint16_t*>(row_words[i]) + c);
    }
    hn::StoreU(words, d, pair_words + c);
  }
}

void round_rows(const RowPair& pair) {
  float padded[2][kPanel] = {};
  for (int64_t c = 0; c < pair.cols; c += kPanel) {
    const float* rows[2] = {};
    uint32_t* row_words[2] = {};
    for (int i = 0; i < 2; ++i) {
      if (pair.rows[i] == nullptr) continue;
      rows[i] = pair.rows[i] + c;
      if (pair.row_words[i] != nullptr) row_words[i] = pair.row_words[i] + c / 2;
      if (pair.cols - c >= kPanel) continue;
      memcpy(padded[i], rows[i], static_cast<size_t>(pair.cols - c) * sizeof(float));
      rows[i] = padded[i];
    }
    round_panel(rows, row_words, pair.pair_words + c / kPanel * pair.panel_stride);
  }
}

/// The numbers of some rows for some steps, as floats: first, second of step 0, row by row, ...
struct Unpacked {
  alignas(64) float numbers[kMostSteps][2][kMostRows];

  template <int kRows>
  HWY_INLINE void fill(const uint32_t* words, int64_t row, int64_t step, int64_t steps) {
    for (int64_t s = 0; s < steps; ++s)
      for (int r = 0; r < kRows; ++r) {
        const uint32_t word = words[r * row + s * step];
        const uint32_t first = word << 16, second = word & 0xFFFF0000u;
        memcpy(&numbers[s][0][r], &first, sizeof(float));
        memcpy(&numbers[s][1][r], &second, sizeof(float));
      }
  }
};

/// Adds to the sums of kRows rows and two registers of columns.
template <int kRows>
HWY_INLINE void add_block(const Unpacked& a, const uint32_t* b, int64_t b_step, int64_t steps,
                          FloatVec (&sum)[kRows][2]) {
  const FloatTag d;
  const WordTag words;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const WordVec upper = hn::Set(words, 0xFFFF0000u);
  for (int64_t s = 0; s < steps; ++s, b += b_step) {
    const WordVec low = hn::LoadU(words, b), high = hn::LoadU(words, b + lanes);
    const FloatVec first[2] = {hn::BitCast(d, hn::ShiftLeft<16>(low)),
                               hn::BitCast(d, hn::ShiftLeft<16>(high))};
    for (int r = 0; r < kRows; ++r) {
      const FloatVec number = hn::Set(d, a.numbers[s][0][r]);
      sum[r][0] = hn::MulAdd(number, first[0], sum[r][0]);
      sum[r][1] = hn::MulAdd(number, first[1], sum[r][1]);
    }
    const FloatVec second[2] = {hn::BitCast(d, hn::And(low, upper)),
                                hn::BitCast(d, hn::And(high, upper))};
    for (int r = 0; r < kRows; ++r) {
      const FloatVec number = hn::Set(d, a.numbers[s][1][r]);
      sum[r][0] = hn::MulAdd(number, second[0], sum[r][0]);
      sum[r][1] = hn::MulAdd(number, second[1], sum[r][1]);
    }
  }
}

/// Two registers of columns from `start` (rows that far apart) to `out`.
template <int kRows>
HWY_INLINE void multiply_block(const Unpacked& a, const uint32_t* b, int64_t b_step, int64_t steps,
                               const float* start, int64_t start_stride, float* out,
                               int64_t out_stride) {
  const FloatTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  FloatVec sum[kRows][2];
  for (int r = 0; r < kRows; ++r)
    for (int i = 0; i < 2; ++i) sum[r][i] = hn::LoadU(d, start + r * start_stride + i * lanes);
  add_block<kRows>(a, b, b_step, steps, sum);
  for (int r = 0; r < kRows; ++r)
    for (int i = 0; i < 2; ++i) hn::StoreU(sum[r][i], d, out + r * out_stride + i * lanes);
}

/// One panel of kRows rows: a panel that is not full goes through memory of its own.
template <int kRows>
HWY_INLINE void multiply_panel(const Product& product, const Unpacked& a, int64_t row, int64_t col,
                               int64_t step, int64_t steps) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(FloatTag()));
  const int64_t cols = HWY_MIN(product.cols - col, kPanel);
  const uint32_t* const b = product.b + col / kPanel * product.b_panel + step * product.b_step;
  float* out = product.out + row * product.out_stride + col;
  const bool from_out = product.start == Product::Start::kOut || step > 0;
  const bool from_bias = !from_out && product.start == Product::Start::kBias;
  const auto bytes = static_cast<size_t>(cols) * sizeof(float);

  float edge[kRows][kPanel], first_row[kPanel] = {};
  const float* start = first_row;
  int64_t start_stride = 0, out_stride = product.out_stride;
  if (from_bias) memcpy(first_row, product.bias + col, bytes);
  if (from_out) {
    start = out;
    start_stride = out_stride;
  }
  const bool full = cols == kPanel;
  if (!full) {
    for (int r = 0; r < kRows; ++r) {
      memset(edge[r], 0, sizeof(edge[r]));
      memcpy(edge[r], start + r * start_stride, bytes);
    }
    start = edge[0];
    start_stride = out_stride = kPanel;
  }
  for (int64_t c = 0; c < kPanel; c += 2 * lanes)
    multiply_block<kRows>(a, b + c, product.b_step, steps, start + c, start_stride,
                          (full ? out : edge[0]) + c, out_stride);
  for (int r = 0; r < kRows && !full; ++r) memcpy(out + r * product.out_stride, edge[r], bytes);
}

template <int kRows>
void multiply_rows(const Product& product, int64_t row, int64_t step, int64_t steps) {
  Unpacked a;
  a.fill<kRows>(product.a + row * product.a_row + step * product.a_step, product.a_row,
                product.a_step, steps);
  for (int64_t c = 0; c < product.cols; c += kPanel)
    multiply_panel<kRows>(product, a, row, c, step, steps);
}

using RowsFunction = void (*)(const Product&, int64_t row, int64_t step, int64_t steps);

/// The function for up to kRows rows.
template <int kRows>
HWY_INLINE RowsFunction function_for(int64_t rows) {
  if constexpr (kRows == 1)
    return multiply_rows<1>;
  else
    return rows == kRows ? multiply_rows<kRows> : function_for<kRows - 1>(rows);
}

void multiply_all(const Product& product) {
  // Blocks of about the same height, so that none is too low to hide the latency of the sums.
  const int64_t blocks = (product.rows + kMostRows - 1) / kMostRows;
  for (int64_t step = 0; step < product.steps; step += kMostSteps)
    for (int64_t i = 0; i < blocks; ++i) {
      const int64_t row = product.rows * i / blocks, end = product.rows * (i + 1) / blocks;
      function_for<kMostRows>(end - row)(product, row, step,
                                         HWY_MIN(product.steps - step, kMostSteps));
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace darp::kernels::bfloat
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace darp::kernels::bfloat {
namespace {

HWY_EXPORT(round_rows);
HWY_EXPORT(multiply_all);

}  // namespace

namespace portable {

void round(const RowPair& pair) {
  HWY_DYNAMIC_DISPATCH(round_rows)(pair);
}

void transpose(const Transposition& job) {
  // Rounding one row of a pair that consists of it alone gives its words of neighbours.
  constexpr int64_t kCols = 8 * kPanel;
  uint32_t words[kCols / 2], unused[kCols];
  for (int64_t c = 0; c < job.cols; c += kCols)
    for (int64_t r = 0; r < job.rows; ++r) {
      const int64_t cols = HWY_MIN(job.cols - c, kCols);
      const float* const row = job.matrix + r * job.stride + c;
      portable::round({{row, nullptr}, cols, {words, nullptr}, unused, kPanel});
      uint32_t* const to = job.words + r / kPanel * job.panel_stride + c / 2 * kPanel + r % kPanel;
      for (int64_t w = 0; w < (cols + 1) / 2; ++w) to[w * kPanel] = words[w];
    }
}

void multiply(const Product& product) {
  HWY_DYNAMIC_DISPATCH(multiply_all)(product);
}

void normalize(const NormalizedRows& rows) {
  uint32_t unused[kPanel];
  for (int64_t r = 0; r < rows.rows; ++r) {
    const float* const row = rows.z + (rows.which != nullptr ? rows.which[r] : r) * rows.stride;
    const auto z = [&](int64_t c) { return rows.add != nullptr ? row[c] + rows.add[c] : row[c]; };
    float squares = 0;
    for (int64_t c = 0; c < rows.cols; ++c) squares += z(c) * z(c);
    const float inverse =
        1.0f / __builtin_sqrtf(squares / static_cast<float>(rows.cols) + rows.epsilon);
    for (int64_t begin = 0; begin < rows.cols; begin += kPanel) {
      float h[kPanel];
      const int64_t cols = HWY_MIN(rows.cols - begin, kPanel);
      for (int64_t i = 0; i < cols; ++i) {
        const int64_t c = begin + i;
        const float y =
            rows.scale != nullptr ? rows.scale[c] * (z(c) * inverse) + rows.shift[c] : z(c);
        h[i] = y < 0 ? 0 : y;  // NaN stays
      }
      uint32_t* const words = rows.words + r * rows.words_stride + begin / 2;
      portable::round({{h, nullptr}, cols, {words, nullptr}, unused, kPanel});
    }
  }
}

}  // namespace portable
}  // namespace darp::kernels::bfloat
#endif
