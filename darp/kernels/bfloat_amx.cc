// Compiled for AMX: called only where CPU and kernel have it (see bfloat_kernels.h).
#include "darp/kernels/bfloat_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

namespace darp::kernels::bfloat::amx {
namespace {

constexpr int64_t kTile = 16;                          // rows of a tile, and words in each
constexpr int64_t kMostSteps = 128;                    // of a turned block, which stays in cache
constexpr int64_t kTurnedStride = kMostSteps + kTile;  // an odd number of cache lines
constexpr auto kWord = static_cast<int64_t>(sizeof(uint32_t));

int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/// Makes what was written at `place` and elsewhere reach memory: GCC's tile intrinsics do not tell
/// the compiler that they read it.
inline void publish(const void* place) {
  __asm__ volatile("" : : "r"(place) : "memory");
}

/// What LDTILECFG reads.
struct alignas(64) TileConfig {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];

  void set(int tile, int64_t row_count, int64_t words) {
    rows[tile] = static_cast<uint8_t>(row_count);
    row_bytes[tile] = static_cast<uint16_t>(words * kWord);
  }
};

/// The shapes of the tiles: 0 to 3 are two by two of sums, 4 and 5 of a, 6 and 7 of b. Blocks at
/// the edges get smaller tiles, which then read and write nothing beyond.
class Tiles {
 public:
  Tiles() = default;
  ~Tiles() { _tile_release(); }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;

  /// For up to 32 rows and 32 columns of sums, at least one each. A second column of tiles that
  /// would be empty is full instead, and whoever multiplies does not load or store its sums.
  void shape(int64_t rows, int64_t cols) {
    if (rows == rows_ && cols == cols_) return;
    rows_ = rows;
    cols_ = cols;
    const int64_t height[2] = {smaller(rows, kTile), rows > kTile ? rows - kTile : kTile};
    const int64_t width[2] = {smaller(cols, kTile), cols > kTile ? cols - kTile : kTile};
    TileConfig config = {};
    config.palette = 1;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) config.set(2 * i + j, height[i], width[j]);
      config.set(4 + i, height[i], kTile);
      config.set(6 + i, kTile, width[i]);
    }
    publish(&config);
    _tile_loadconfig(&config);
  }

 private:
  int64_t rows_ = 0, cols_ = 0;
};

/// What up to 32 x 32 sums are made of, and where they start and end; strides in bytes.
struct Block {
  const uint32_t* a;
  const uint32_t* b;
  int64_t a_stride, b_stride, steps;
  const float* start;  // null: zero
  int64_t start_stride;
  float* out;
  int64_t out_stride;
  bool two_cols;  // of tiles
};

template <class T>
T* below(T* place, int64_t stride) {
  return place + kTile * stride / kWord;
}

template <bool kTwoRows>
void load_sums(const Block& block) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  if (block.start == nullptr) return;
  const float* const lower = below(block.start, block.start_stride);
  _tile_loadd(0, block.start, block.start_stride);
  if (block.two_cols) _tile_loadd(1, block.start + kTile, block.start_stride);
  if constexpr (kTwoRows) {
    _tile_loadd(2, lower, block.start_stride);
    if (block.two_cols) _tile_loadd(3, lower + kTile, block.start_stride);
  }
}

template <bool kTwoRows>
void add_products(const Block& block) {
  const uint32_t *a = block.a, *lower = below(a, block.a_stride), *b = block.b;
  for (int64_t s = 0; s < block.steps; s += kTile) {
    _tile_loadd(6, b, block.b_stride);
    _tile_loadd(4, a, block.a_stride);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, b + kTile, block.b_stride);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (kTwoRows) {
      _tile_loadd(5, lower, block.a_stride);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
    a += kTile;
    lower += kTile;
    b = below(b, block.b_stride);
  }
}

template <bool kTwoRows>
void store_sums(const Block& block) {
  float* const lower = below(block.out, block.out_stride);
  _tile_stored(0, block.out, block.out_stride);
  if (block.two_cols) _tile_stored(1, block.out + kTile, block.out_stride);
  if constexpr (kTwoRows) {
    _tile_stored(2, lower, block.out_stride);
    if (block.two_cols) _tile_stored(3, lower + kTile, block.out_stride);
  }
}

template <bool kTwoRows>
void multiply_block(const Block& block) {
  load_sums<kTwoRows>(block);
  add_products<kTwoRows>(block);
  store_sums<kTwoRows>(block);
}

/// The words of two tiles of rows, for as many steps, where they do not lie one after the other.
void turn(const Product& product, int64_t row, int64_t step, int64_t steps, uint32_t* to) {
  for (int64_t s = 0; s < steps; s += kTile)
    for (int64_t r = 0; r < 2 * kTile; r += kTile)
      avx512::transpose_words(product.a + (step + s) * product.a_step + row + r, product.a_step,
                              to + r * kTurnedStride + s, kTurnedStride);
}

/// All columns of up to 32 rows, for some of the steps.
void multiply_rows(const Product& product, int64_t row, int64_t step, int64_t steps, Tiles& tiles) {
  alignas(64) uint32_t turned[2 * kTile * kTurnedStride];
  const bool turn_it = product.a_step != 1;
  if (turn_it) turn(product, row, step, steps, turned);
  publish(turned);
  const int64_t rows = smaller(product.rows - row, 2 * kTile);
  const bool from_out = product.start == Product::Start::kOut || step > 0;
  for (int64_t c = 0; c < product.cols; c += kPanel) {
    const int64_t cols = smaller(product.cols - c, kPanel);
    float* const out = product.out + row * product.out_stride + c;
    const int64_t out_stride = product.out_stride * kWord;
    Block block = {turn_it ? turned : product.a + row * product.a_row + step,
                   product.b + c / kPanel * product.b_panel + step * product.b_step,
                   (turn_it ? kTurnedStride : product.a_row) * kWord,
                   product.b_step * kWord,
                   steps,
                   from_out ? out : nullptr,
                   out_stride,
                   out,
                   out_stride,
                   cols > kTile};
    if (!from_out && product.start == Product::Start::kBias) {
      // With a distance of 0 bytes between rows, tiles load the same row again and again.
      block.start = product.bias + c;
      block.start_stride = 0;
    }
    tiles.shape(rows, cols);
    if (rows > kTile)
      multiply_block<true>(block);
    else
      multiply_block<false>(block);
  }
}

}  // namespace

void multiply(const Product& product) {
  publish(&product);
  Tiles tiles;
  for (int64_t step = 0; step < product.steps; step += kMostSteps) {
    const int64_t left = smaller(product.steps - step, kMostSteps);
    const int64_t steps = (left + kTile - 1) / kTile * kTile;
    for (int64_t row = 0; row < product.rows; row += 2 * kTile)
      multiply_rows(product, row, step, steps, tiles);
  }
}

}  // namespace darp::kernels::bfloat::amx

#endif
