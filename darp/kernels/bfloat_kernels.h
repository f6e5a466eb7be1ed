#pragma once
// What every bfloat16 level provides, in plain pointers. This header goes into sources that are
// compiled for CPUs which not every user has: nothing in it may make code that generic sources
// could share, so no standard C++ header.
//
// A word is two bfloat16 numbers that are multiplied one after the other: the first in its low
// half. Sums run over words; the number of words is the number of steps.

#include <stdint.h>

namespace darp::kernels::bfloat {

/// Columns side by side: two AVX-512 registers, or two AMX tiles.
inline constexpr int64_t kPanel = 32;
/// Rows and columns are padded to whole multiples of this.
inline constexpr int64_t kPadding = 32;

/// A row, or two that become words together, to be rounded.
struct RowPair {
  const float* rows[2];    // null: this row's half of the words stays
  int64_t cols;            // zeros follow up to the padding
  uint32_t* row_words[2];  // words of neighbouring columns; null: not wanted
  uint32_t* pair_words;    // words of the two rows, in groups of kPanel columns
  int64_t panel_stride;    // words from group to group
};

/// A matrix [rows x cols] whose neighbouring columns become words, word w of row r at
/// words[r / kPanel * panel_stride + w * kPanel + r % kPanel].
struct Transposition {
  const float* matrix;
  int64_t stride, rows, cols;
  uint32_t* words;
  int64_t panel_stride;
};

/// out[r][c] = start + sum over steps s of a(r, s) * b(s, c), where a word times a word is the sum
/// of two products.
struct Product {
  const uint32_t* a;  // word (r, s) at r * a_row + s * a_step
  int64_t a_row, a_step;
  const uint32_t* b;  // word (s, c) at c / kPanel * b_panel + s * b_step + c % kPanel
  int64_t b_panel, b_step;
  float* out;
  int64_t out_stride;
  int64_t rows, cols, steps;  // the words up to a multiple of 16 steps exist and are zero
  enum class Start { kZero, kBias, kOut } start;
  const float* bias;  // of the columns
};

/// LayerNorm and ReLU of rows that have no mean (centered_norm_relu in layer_norm.h), rounded.
struct NormalizedRows {
  const float* z;  // row i at z + i * stride; with `which`, at z + which[i] * stride, plus `add`
  int64_t stride;
  const int32_t* which;
  const float* add;
  int64_t rows, cols;
  const float* scale;  // null: ReLU alone
  const float* shift;
  float epsilon;
  uint32_t* words;  // of neighbouring columns; zeros follow up to the padding
  int64_t words_stride;
};

/// The functions of one level. All round to the same bits.
struct Kernels {
  void (*round)(const RowPair&);
  void (*transpose)(const Transposition&);
  void (*multiply)(const Product&);
  void (*normalize)(const NormalizedRows&);
};

namespace portable {
void round(const RowPair& pair);
void transpose(const Transposition& job);
void multiply(const Product& product);
void normalize(const NormalizedRows& rows);
}  // namespace portable

#if defined(__x86_64__)
namespace avx512 {
void round(const RowPair& pair);
void transpose(const Transposition& job);
void multiply(const Product& product);
void normalize(const NormalizedRows& rows);
/// 16 x 16 words, rows to columns.
void transpose_words(const uint32_t* from, int64_t from_stride, uint32_t* to, int64_t to_stride);
}  // namespace avx512

namespace amx {
void multiply(const Product& product);
}  // namespace amx
#endif

/// The functions of bfloat_level().
const Kernels& kernels();

}  // namespace darp::kernels::bfloat
