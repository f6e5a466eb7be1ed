#pragma once
// Sums of whole rows of numbers. Every entry is added in the order given: the same bits on every
// CPU.

#include <cstdint>
#include <span>

#include "darp/core/matrix.h"

namespace darp::kernels {

/// Asks for a row's numbers ahead of their use. Rows that are met in no order are what the CPU
/// cannot foresee.
inline void prefetch(const float* row, int64_t count) {
  constexpr int64_t kCacheLine = 16;  // floats
  for (int64_t j = 0; j < count; j += kCacheLine) __builtin_prefetch(row + j);
}

/// to += from.
void add(std::span<const float> from, float* to);
/// to = a + b.
void sum(const float* a, const float* b, int64_t count, float* to);
/// to += the rows of `rows` numbered `which`, one after another.
void add_rows(MatrixView rows, std::span<const int32_t> which, float* to);
/// to += all rows, one after another.
void add_rows(MatrixView rows, float* to);
/// to = the sum of these vectors of `count` numbers, one after another.
void sum_all(std::span<const float* const> vectors, int64_t count, float* to);

}  // namespace darp::kernels
