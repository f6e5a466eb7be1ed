#pragma once
// One pass over many values each: what selection is made of.

#include <cstdint>

namespace darp::kernels {

/// Values with their indices. The values are not NaN and not negative.
struct Segment {
  const float* values;
  const int32_t* indices;  // null: first, first + 1, ...
  int32_t first;
  int64_t count;
};

/// How many of values[0, count) are at most `limit`.
int64_t count_at_most(const float* values, int64_t count, float limit);

/// Smallest and largest of the finite values, and how many there are.
struct FiniteRange {
  float least, most;
  int64_t count;
};
FiniteRange finite_range(const float* values, int64_t count);

/// Writes the pairs with above < value <= limit to the outputs and returns how many there are.
/// Stops early, at a number above `most`, when they become too many. The outputs have room for
/// `most` and 16 more; they may be the segment's own memory.
int64_t gather_between(const Segment& segment, float above, float limit, int64_t most,
                       float* out_values, int32_t* out_indices);

}  // namespace darp::kernels
