#pragma once
// Distances between single rows, for graphs that jump from row to row. What decides neighbours in
// the end is the scan of distances.h; this only has to find candidates fast.
//
// Rounding: the differences, also those on circles, have the same bits on every SIMD level; the
// order of the sum and whether its products are rounded differ. Two levels, or a level and the
// scalar twin, therefore differ by a factor of at most 1 + (cols + 2) * 2^-23.

#include <cstdint>
#include <span>

#include "darp/core/matrix.h"

namespace darp::kernels {

/// Sum of the squared differences of two rows of `cols` finite numbers. The last periods.size()
/// columns are circles of those lengths (> 0), on which the shorter way round counts. Nothing
/// needs alignment; whole multiples of 16 lines and of 16 circles are fastest.
float squared_distance(const float* a, const float* b, int64_t cols,
                       std::span<const float> periods);

/// out[i] = squared_distance of `query` and row which[i], with the same bits. No allocation.
void squared_distances(const float* query, MatrixView rows, std::span<const int32_t> which,
                       std::span<const float> periods, float* out);

namespace scalar {
/// The obvious version of the above, for tests.
float squared_distance(const float* a, const float* b, int64_t cols,
                       std::span<const float> periods);
}  // namespace scalar

}  // namespace darp::kernels
