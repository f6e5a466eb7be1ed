#pragma once
// The matrix products of hidden layers in one precision, as the fused block asks for them: rows are
// written tile by tile as floats, kept in whatever form the products take.

#include <algorithm>
#include <optional>

#include "darp/core/matrix.h"
#include "darp/kernels/bfloat_level.h"
#include "darp/kernels/bfloat_products.h"
#include "darp/kernels/float_products.h"
#include "darp/kernels/row_tiles.h"

namespace darp {

/// A matrix for a block's rows. Rows are a cache line apart from a power of two, which would put
/// all of a column's entries into the same few places of the cache.
class BlockMatrix {
 public:
  void reserve(int64_t rows, int64_t cols) {
    if (rows > numbers_.rows() || cols != cols_) numbers_ = Matrix::zeros(rows, cols + kGap);
    cols_ = cols;
  }
  MutableMatrixView rows(int64_t begin, int64_t count) {
    return numbers_.mutable_view().cols_between(0, cols_).rows_between(begin, begin + count);
  }

 private:
  static constexpr int64_t kGap = 16;
  Matrix numbers_;
  int64_t cols_ = 0;
};

/// fp32: rows are used where they are written.
struct FloatProducts {
  using Weights = kernels::PackedFloat;

  /// Most rows of a tile.
  static int64_t tile_rows() { return kernels::kTileRows; }
  template <class Body>
  static void for_each_tile(int64_t rows, const Body& body) {
    kernels::for_each_tile(rows, tile_rows(), body);
  }

  class Rows {
   public:
    void reserve(int64_t rows, int64_t cols) { numbers_.reserve(rows, cols); }
    /// Starts a block of this many rows.
    void start(int64_t rows) { count_ = rows; }
    /// Where to write these rows; keep() then takes them.
    MutableMatrixView tile(int64_t begin, int64_t count) { return numbers_.rows(begin, count); }
    void keep(int64_t /*begin*/, int64_t /*count*/) {}
    MatrixView all() { return numbers_.rows(0, count_); }

   private:
    BlockMatrix numbers_;
    int64_t count_ = 0;
  };

  static void pack(Weights& packed, MatrixView weight, bool transposed) {
    packed.pack(weight, transposed ? Weights::Factor::kTransposedWeight : Weights::Factor::kWeight);
  }
  static void multiply(Rows& a, int64_t begin, int64_t count, const Weights& b,
                       std::span<const float> bias, MutableMatrixView out) {
    kernels::multiply(a.tile(begin, count), b, bias, out);
  }
  static void add_products(Rows& left, Rows& right, MutableMatrixView sum, kernels::Sum mode) {
    kernels::add_products(left.all(), right.all(), sum, mode);
  }
};

/// bfloat16: rows are rounded as soon as a tile of them is written.
struct BfloatProducts {
  using Weights = std::optional<kernels::PackedBfloat>;

  static int64_t tile_rows() { return kernels::bfloat_tile_rows(); }
  /// Tiles of an even height, for two rows are rounded together, and of nearly the same one, except
  /// for AMX, whose tiles have theirs.
  template <class Body>
  static void for_each_tile(int64_t rows, const Body& body) {
    int64_t height = tile_rows();
    if (kernels::bfloat_level() != kernels::BfloatLevel::kAmx) {
      const int64_t tiles = (rows + height - 1) / height;
      height = ((rows + tiles - 1) / tiles + 1) / 2 * 2;
    }
    for (int64_t begin = 0; begin < rows; begin += height)
      body(begin, std::min(height, rows - begin));
  }

  class Rows {
   public:
    void reserve(int64_t rows, int64_t cols) {
      if (rows > most_rows_ || cols != cols_) {
        numbers_.emplace(rows, cols);
        most_rows_ = rows;
        cols_ = cols;
      }
      tile_.reserve(tile_rows(), cols);
    }
    void start(int64_t rows) { numbers_->resize(rows, cols_); }
    MutableMatrixView tile(int64_t /*begin*/, int64_t count) { return tile_.rows(0, count); }
    void keep(int64_t begin, int64_t count) { numbers_->set(begin, tile_.rows(0, count)); }
    const kernels::BfloatRows& all() const { return *numbers_; }

   private:
    std::optional<kernels::BfloatRows> numbers_;
    BlockMatrix tile_;
    int64_t most_rows_ = 0, cols_ = 0;
  };

  static void pack(Weights& packed, MatrixView weight, bool transposed) {
    const int64_t depth = transposed ? weight.cols() : weight.rows();
    if (!packed) packed.emplace(depth, transposed ? weight.rows() : weight.cols());
    transposed ? packed->set_transposed(weight) : packed->set(weight);
  }
  static void multiply(Rows& a, int64_t begin, int64_t count, const Weights& b,
                       std::span<const float> bias, MutableMatrixView out) {
    kernels::multiply(a.all(), begin, count, *b, bias, out);
  }
  static void add_products(Rows& left, Rows& right, MutableMatrixView sum, kernels::Sum mode) {
    kernels::add_products(left.all(), right.all(), sum, mode);
  }
};

}  // namespace darp
