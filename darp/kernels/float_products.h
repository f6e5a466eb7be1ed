#pragma once
// Matrix products of the sizes that small networks have: blocks of rows that stay in cache, times
// weights that were laid out for it once. Every entry of a result is one sum in ascending order of
// its terms, with fused multiply-adds where the CPU has them: results do not depend on how rows
// are cut into calls, nor on threads.

#include <cstdint>
#include <span>

#include "darp/core/matrix.h"

namespace darp::kernels {

/// Rows that the inner loop takes at once: callers that work tile by tile, to keep results in the
/// fastest cache, do best with about this many.
inline constexpr int64_t kTileRows = 12;

/// The right factor B of a product, inner x outer, laid out in panels of columns.
class PackedFloat {
 public:
  enum class Factor { kWeight, kTransposedWeight };

  /// B = weight or its transpose. Allocates only when the size changes.
  void pack(MatrixView weight, Factor factor);

  int64_t inner() const { return inner_; }
  int64_t outer() const { return outer_; }
  const float* panels() const { return panels_.view().data(); }

 private:
  int64_t inner_ = 0, outer_ = 0;
  Matrix panels_;  // one row per panel: inner x panel width, zeros behind the last column
};

/// out = a B + bias (to every row; may be empty). a is rows x inner, out rows x outer; the floats
/// of out between its columns and its stride are left alone.
void multiply(MatrixView a, const PackedFloat& b, std::span<const float> bias,
              MutableMatrixView out);

/// Whether a sum goes on from what is there or starts anew.
enum class Sum { kStart, kAdd };

/// sum += left^T right (or, starting, =), for left rows x n, right rows x m, sum n x m.
void add_products(MatrixView left, MatrixView right, MutableMatrixView sum, Sum mode = Sum::kAdd);

namespace scalar {
/// The same, entry by entry.
void multiply(MatrixView a, MatrixView b, std::span<const float> bias, MutableMatrixView out);
void add_products(MatrixView left, MatrixView right, MutableMatrixView sum);
}  // namespace scalar

}  // namespace darp::kernels
