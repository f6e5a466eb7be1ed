#pragma once
// Quantiles of measured values.

#include <algorithm>
#include <span>

#include "darp/core/error.h"

namespace darp {

/// The value that `part` (0 to 1) of the values do not exceed. `sorted` is ascending and not empty.
inline double quantile(std::span<const double> sorted, double part) {
  DARP_CHECK(!sorted.empty(), "a quantile of nothing");
  const auto index = static_cast<size_t>(part * static_cast<double>(sorted.size()));
  return sorted[std::min(index, sorted.size() - 1)];
}

}  // namespace darp
