#pragma once
// Matrix products of bfloat16 numbers, summed in float: what the layers of a small network need in
// training, for blocks of rows that fit into the cache. One thread a call, no allocation.
//
// Every sum runs over its terms in order, whichever tile of rows is asked for: a call gives the
// same bits each time on the same CPU. Levels differ: against the exact product of the rounded
// numbers the error is at most (terms + 1) * 2^-24 * (sum of the terms' magnitudes), plus
// terms * 2^-126 where numbers below the smallest normal one are taken for zero.

#include <span>

#include "darp/kernels/bfloat_rows.h"
#include "darp/kernels/float_products.h"

namespace darp::kernels {

/// The right factor of multiply(): a matrix [depth x cols], rounded (see bfloat_rows.h) and laid
/// out anew whenever its numbers change. No allocation after construction.
class PackedBfloat {
 public:
  PackedBfloat(int64_t depth, int64_t cols);

  /// The matrix itself: with weights [out x in], what takes gradients back to the inputs.
  void set(MatrixView matrix);
  /// Its transpose, [cols x depth]: with weights [out x in], what takes inputs forward.
  void set_transposed(MatrixView matrix);

  int64_t depth() const { return depth_; }
  int64_t cols() const { return cols_; }
  /// Memory held.
  size_t bytes() const { return words_.bytes(); }

  // For the products: panels of 32 columns, [panel][depth / 2][column] words of two rows.
  const uint32_t* words() const;
  int64_t panel_stride() const { return panel_stride_; }

 private:
  uint32_t* words();

  Matrix words_;  // bits in the place of floats, one long row
  int64_t depth_, cols_, panel_stride_;
};

/// Rows that multiply() does best with when callers work tile by tile.
int64_t bfloat_tile_rows();

/// out = a[first_row, first_row + rows) * b + bias. `bias` has b.cols() floats or none. All rows at
/// once are fastest.
void multiply(const BfloatRows& a, int64_t first_row, int64_t rows, const PackedBfloat& b,
              std::span<const float> bias, MutableMatrixView out);

/// sum += left^T * right (or, starting, =). Both have the same rows; `sum` is left.cols() x
/// right.cols().
void add_products(const BfloatRows& left, const BfloatRows& right, MutableMatrixView sum,
                  Sum mode = Sum::kAdd);

}  // namespace darp::kernels
