#pragma once
// Distances from queries to all rows. Every metric comes down to one sum of squared differences
// over prepared coordinates (retrieval/metric_space.h prepares them): weights are folded into the
// coordinates, cosine is half the squared distance of unit vectors, and columns that are circles
// take the shorter way round.
//
// Rounding: each row's sum runs over the columns in order, every product and sum rounded to float.
// All SIMD levels and the scalar twin therefore give the same bits. Against the exact value the
// relative error is at most (cols + 4) * 2^-24 plus that of the differences.

#include <span>

#include "darp/kernels/row_blocks.h"

namespace darp::kernels {

/// How prepared coordinates are compared.
struct Comparison {
  /// Lengths of the circles that the last periods.size() columns live on.
  std::span<const float> periods;
  /// The sum is halved (cosine) instead of taking its square root.
  bool half_square = false;
};

/// out[i] = distance of row i, for rows.padded_rows() rows (those past the last are meaningless).
/// Query and rows are finite. No allocation.
void distances(const RowBlocks& rows, const Comparison& comparison, const float* query, float* out);

/// The same for several queries at once, which reads the rows once for every four of them; the
/// same bits as one at a time.
void distances(const RowBlocks& rows, const Comparison& comparison,
               std::span<const float* const> queries, std::span<float* const> outs);

namespace scalar {
/// The obvious version of the above, for tests.
void distances(const RowBlocks& rows, const Comparison& comparison, const float* query, float* out);
}  // namespace scalar

}  // namespace darp::kernels
