// Compiled for AVX512-BF16: called only where the CPU has it (see bfloat_kernels.h).
#include "darp/kernels/bfloat_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

namespace darp::kernels::bfloat::avx512 {
namespace {

constexpr int kMostRows = 14;  // with two registers of sums each, 28 of the 32 registers

__mmask16 lanes_below(int64_t count) {
  return count >= 16 ? __mmask16{0xFFFF}
         : count > 0 ? static_cast<__mmask16>((1u << count) - 1)
                     : __mmask16{0};
}

/// 32 floats, as many of them as there are, as 16 words of neighbours.
__m512i rounded(const float* from, int64_t count) {
  if (count >= 32)
    return (__m512i)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(from + 16), _mm512_loadu_ps(from));
  const __m512 low = _mm512_maskz_loadu_ps(lanes_below(count), from);
  const __m512 high = _mm512_maskz_loadu_ps(lanes_below(count - 16), from + (count > 16 ? 16 : 0));
  return (__m512i)_mm512_cvtne2ps_pbh(high, low);
}

void transpose_registers(__m512i (&row)[16]) {
  __m512i other[16];
  // Words, then pairs of words, within each quarter of the registers.
  for (int i = 0; i < 16; i += 2) {
    other[i] = _mm512_unpacklo_epi32(row[i], row[i + 1]);
    other[i + 1] = _mm512_unpackhi_epi32(row[i], row[i + 1]);
  }
  for (int i = 0; i < 16; i += 4)
    for (int half = 0; half < 2; ++half) {
      row[i + 2 * half] = _mm512_unpacklo_epi64(other[i + half], other[i + 2 + half]);
      row[i + 2 * half + 1] = _mm512_unpackhi_epi64(other[i + half], other[i + 2 + half]);
    }
  // Then the quarters themselves: quarter q of register 4 g + i holds column 4 q + i of four rows.
  for (int i = 0; i < 4; ++i)
    for (int half = 0; half < 2; ++half) {
      other[8 * half + i] = _mm512_shuffle_i32x4(row[8 * half + i], row[8 * half + 4 + i], 0x88);
      other[8 * half + 4 + i] =
          _mm512_shuffle_i32x4(row[8 * half + i], row[8 * half + 4 + i], 0xDD);
    }
  for (int i = 0; i < 8; ++i) {
    row[i] = _mm512_shuffle_i32x4(other[i], other[i + 8], 0x88);
    row[i + 8] = _mm512_shuffle_i32x4(other[i], other[i + 8], 0xDD);
  }
}

/// Where a block of sums reads and writes.
struct Block {
  const uint32_t* a;
  const uint32_t* b;
  float* out;
  const float* bias;
  __mmask16 columns[2];
};

template <int kRows>
void multiply_block(const Product& product, const Block& block) {
  constexpr int kGroups = (kRows + 2) / 3;
  const int64_t a_row = product.a_row, a_step = product.a_step, b_step = product.b_step;
  __m512 sum[kRows][2];
  for (int r = 0; r < kRows; ++r)
    for (int half = 0; half < 2; ++half) {
      const float* from = product.start == Product::Start::kOut
                              ? block.out + r * product.out_stride + 16 * half
                              : block.bias + 16 * half;
      sum[r][half] = product.start == Product::Start::kZero
                         ? _mm512_setzero_ps()
                         : _mm512_maskz_loadu_ps(block.columns[half], from);
    }

  // One pointer for three rows: x86 addresses the other two from it with one more register.
  const uint32_t* a[kGroups];
  for (int g = 0; g < kGroups; ++g) a[g] = block.a + 3 * g * a_row;
  const uint32_t* b = block.b;
  for (int64_t s = product.steps; s > 0; --s) {
    const __m512bh low = (__m512bh)_mm512_loadu_si512(b);
    const __m512bh high = (__m512bh)_mm512_loadu_si512(b + 16);
    b += b_step;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const auto word = static_cast<int>(a[r / 3][r % 3 * a_row]);
      const __m512bh both = (__m512bh)_mm512_set1_epi32(word);
      sum[r][0] = _mm512_dpbf16_ps(sum[r][0], both, low);
      sum[r][1] = _mm512_dpbf16_ps(sum[r][1], both, high);
    }
#pragma GCC unroll 16
    for (int g = 0; g < kGroups; ++g) a[g] += a_step;
  }

  for (int r = 0; r < kRows; ++r)
    for (int half = 0; half < 2; ++half)
      _mm512_mask_storeu_ps(block.out + r * product.out_stride + 16 * half, block.columns[half],
                            sum[r][half]);
}

/// kCount rows side by side, whose sums hide each other's latency. Everything in locals: what is
/// written could be what a reference points at, for all that the compiler knows.
template <int kCount, bool kGathered>
struct RowGroup {
  const float* z[kCount];
  uint32_t* words[kCount];
  const float *add, *scale, *shift;
  int64_t cols;

  RowGroup(const NormalizedRows& rows, int64_t row)
      : add(rows.add), scale(rows.scale), shift(rows.shift), cols(rows.cols) {
    for (int r = 0; r < kCount; ++r) {
      z[r] = rows.z + (kGathered ? rows.which[row + r] : row + r) * rows.stride;
      words[r] = rows.words + (row + r) * rows.words_stride;
    }
  }

  /// The lanes of 16 columns of a row that exist.
  __m512 load(int r, int64_t col, __mmask16 lanes) const {
    const __m512 x = _mm512_maskz_loadu_ps(lanes, z[r] + col);
    return kGathered ? _mm512_add_ps(x, _mm512_maskz_loadu_ps(lanes, add + col)) : x;
  }

  void find_factors(float epsilon, __m512 (&factor)[kCount]) const {
    for (int r = 0; r < kCount; ++r) factor[r] = _mm512_setzero_ps();
    for (int64_t c = 0; c < cols; c += 16) {
      const __mmask16 lanes = lanes_below(cols - c);
#pragma GCC unroll 4
      for (int r = 0; r < kCount; ++r) {
        const __m512 x = load(r, c, lanes);
        factor[r] = _mm512_fmadd_ps(x, x, factor[r]);
      }
    }
    for (int r = 0; r < kCount; ++r) {
      const float variance = _mm512_reduce_add_ps(factor[r]) / static_cast<float>(cols);
      factor[r] = _mm512_set1_ps(1.0f / __builtin_sqrtf(variance + epsilon));
    }
  }

  /// ReLU of 16 columns, after LayerNorm where there is one. Zero for columns that do not exist.
  template <bool kNorm>
  void finish(int64_t col, const __m512 (&factor)[kCount], __m512 (&h)[kCount]) const {
    const __mmask16 lanes = lanes_below(cols - col);
    const int64_t from = lanes != 0 ? col : 0;
    const __m512 zero = _mm512_setzero_ps();
    const __m512 by = kNorm ? _mm512_maskz_loadu_ps(lanes, scale + from) : zero;
    const __m512 plus = kNorm ? _mm512_maskz_loadu_ps(lanes, shift + from) : zero;
#pragma GCC unroll 4
    for (int r = 0; r < kCount; ++r) {
      const __m512 x = load(r, from, lanes);
      h[r] =
          _mm512_max_ps(zero, kNorm ? _mm512_fmadd_ps(_mm512_mul_ps(x, factor[r]), by, plus) : x);
    }
  }

  template <bool kNorm>
  void write(const __m512 (&factor)[kCount]) const {
    for (int64_t c = 0; c < cols; c += 32) {
      __m512 low[kCount], high[kCount];
      finish<kNorm>(c, factor, low);
      finish<kNorm>(c + 16, factor, high);
#pragma GCC unroll 4
      for (int r = 0; r < kCount; ++r)
        _mm512_storeu_si512(words[r] + c / 2, (__m512i)_mm512_cvtne2ps_pbh(high[r], low[r]));
    }
  }
};

template <int kCount, bool kGathered>
void normalize_group(const NormalizedRows& rows, int64_t row) {
  const RowGroup<kCount, kGathered> group(rows, row);
  __m512 factor[kCount] = {};
  if (rows.scale == nullptr) return group.template write<false>(factor);
  group.find_factors(rows.epsilon, factor);
  group.template write<true>(factor);
}

template <bool kGathered>
void normalize_all(const NormalizedRows& rows) {
  int64_t row = 0;
  for (; row + 4 <= rows.rows; row += 4) normalize_group<4, kGathered>(rows, row);
  if (rows.rows - row == 3) return normalize_group<3, kGathered>(rows, row);
  if (rows.rows - row == 2) return normalize_group<2, kGathered>(rows, row);
  if (rows.rows - row == 1) return normalize_group<1, kGathered>(rows, row);
}

using BlockFunction = void (*)(const Product&, const Block&);
constexpr BlockFunction kBlocks[kMostRows] = {
    multiply_block<1>,  multiply_block<2>,  multiply_block<3>,  multiply_block<4>,
    multiply_block<5>,  multiply_block<6>,  multiply_block<7>,  multiply_block<8>,
    multiply_block<9>,  multiply_block<10>, multiply_block<11>, multiply_block<12>,
    multiply_block<13>, multiply_block<14>};

}  // namespace

void round(const RowPair& pair) {
  // 16-bit numbers of two registers, alternately: the low halves of the words from one row.
  const __m512i first = _mm512_set_epi16(47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40,
                                         8, 39, 7, 38, 6, 37, 5, 36, 4, 35, 3, 34, 2, 33, 1, 32, 0);
  const __m512i second = _mm512_add_epi16(first, _mm512_set1_epi16(16));
  const __mmask32 kept =
      (pair.rows[0] != nullptr ? 0x55555555u : 0u) | (pair.rows[1] != nullptr ? 0xAAAAAAAAu : 0u);
  for (int64_t c = 0; c < pair.cols; c += 32) {
    __m512i row[2];
    for (int i = 0; i < 2; ++i) {
      row[i] = _mm512_setzero_si512();
      if (pair.rows[i] == nullptr) continue;
      row[i] = rounded(pair.rows[i] + c, pair.cols - c);
      if (pair.row_words[i] != nullptr) _mm512_storeu_si512(pair.row_words[i] + c / 2, row[i]);
    }
    uint32_t* const to = pair.pair_words + c / kPanel * pair.panel_stride;
    const __m512i low = _mm512_permutex2var_epi16(row[0], first, row[1]);
    const __m512i high = _mm512_permutex2var_epi16(row[0], second, row[1]);
    if (kept == 0xFFFFFFFFu) {
      _mm512_storeu_si512(to, low);
      _mm512_storeu_si512(to + 16, high);
    } else {
      _mm512_mask_storeu_epi16(to, kept, low);
      _mm512_mask_storeu_epi16(to + 16, kept, high);
    }
  }
}

void transpose(const Transposition& job) {
  for (int64_t r = 0; r < job.rows; r += 16)
    for (int64_t c = 0; c < job.cols; c += 32) {
      __m512i row[16];
      for (int64_t i = 0; i < 16; ++i)
        row[i] = r + i < job.rows ? rounded(job.matrix + (r + i) * job.stride + c, job.cols - c)
                                  : _mm512_setzero_si512();
      transpose_registers(row);
      uint32_t* const to = job.words + r / kPanel * job.panel_stride + c / 2 * kPanel + r % kPanel;
      for (int64_t i = 0; i < 16; ++i) _mm512_storeu_si512(to + i * kPanel, row[i]);
    }
}

void transpose_words(const uint32_t* from, int64_t from_stride, uint32_t* to, int64_t to_stride) {
  __m512i row[16];
  for (int64_t i = 0; i < 16; ++i) row[i] = _mm512_loadu_si512(from + i * from_stride);
  transpose_registers(row);
  for (int64_t i = 0; i < 16; ++i) _mm512_storeu_si512(to + i * to_stride, row[i]);
}

void multiply(const Product& product) {
  // Blocks of about the same height, so that none is too low to hide the latency of the sums.
  const int64_t blocks = (product.rows + kMostRows - 1) / kMostRows;
  for (int64_t c = 0; c < product.cols; c += kPanel)
    for (int64_t i = 0; i < blocks; ++i) {
      const int64_t r = product.rows * i / blocks, end = product.rows * (i + 1) / blocks;
      const Block block = {product.a + r * product.a_row,
                           product.b + c / kPanel * product.b_panel,
                           product.out + r * product.out_stride + c,
                           product.bias != nullptr ? product.bias + c : nullptr,
                           {lanes_below(product.cols - c), lanes_below(product.cols - c - 16)}};
      kBlocks[end - r - 1](product, block);
    }
}

void normalize(const NormalizedRows& rows) {
  rows.which != nullptr ? normalize_all<true>(rows) : normalize_all<false>(rows);
}

}  // namespace darp::kernels::bfloat::avx512

#endif
