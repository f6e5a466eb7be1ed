#pragma once
// Products of weights with columns: what many items have in common is a row, each item a column.
// Made for tiles of a few vectors of columns, all of whose steps stay in the fastest cache; sums
// go as those of float_products.h do. No function allocates.

#include <cstdint>
#include <span>

#include "darp/core/matrix.h"

namespace darp::kernels {

/// Columns come in multiples of this many, which is two vectors on the widest CPUs.
inline constexpr int64_t kTileColumns = 32;

/// So many columns rounded up.
inline int64_t whole_tiles(int64_t columns) {
  return (columns + kTileColumns - 1) / kTileColumns * kTileColumns;
}

/// What becomes of a sum.
struct ColumnEnd {
  std::span<const float> bias = {};  // added to all columns, one number to each row
  MatrixView relu_onto = {};         // if given: this + ReLU(sum)
};

/// out = weight^T x; weight is inner x units, x inner x columns, out units x columns and not x.
void multiply_columns(MatrixView weight, MatrixView x, MutableMatrixView out,
                      const ColumnEnd& end = {});

/// out += weight^T x.
void add_columns(MatrixView weight, MatrixView x, MutableMatrixView out);

}  // namespace darp::kernels
