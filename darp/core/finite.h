#pragma once
// Neither NaN nor infinite.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

namespace darp {

/// A float is NaN or infinite exactly when its exponent bits are all ones. Integer arithmetic
/// without branches lets the compiler use full vector width, so that the check runs at the speed of
/// memory.
inline bool all_finite(std::span<const float> values) {
  uint32_t found = 0;
  for (const float value : values)
    found |= ((std::bit_cast<uint32_t>(value) & 0x7F800000u) == 0x7F800000u) ? 1u : 0u;
  return found == 0;
}

/// The same for a simulator's state, which is short.
inline bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace darp
