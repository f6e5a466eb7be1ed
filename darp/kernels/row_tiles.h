#pragma once
// How many rows are worked on at a time.

#include <cstdint>

namespace darp::kernels {

/// Calls body(begin, count) for tiles of nearly equal height, none above `most`: a last one of a
/// single row would cost nearly as much as a full one.
template <class Body>
void for_each_tile(int64_t rows, int64_t most, const Body& body) {
  const int64_t tiles = (rows + most - 1) / most;
  for (int64_t t = 0, begin = 0; t < tiles; ++t) {
    const int64_t end = rows * (t + 1) / tiles;
    body(begin, end - begin);
    begin = end;
  }
}

}  // namespace darp::kernels
