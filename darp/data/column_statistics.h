#pragma once
// Minimum, maximum, mean and spread of every column: what normalizers and summaries are made of.

#include <vector>

#include "darp/core/matrix.h"

namespace darp {

struct ColumnStatistics {
  double min = 0, max = 0, mean = 0;
  double squared_deviations = 0;  // sum over rows of (x - mean)^2
  int64_t rows = 0;

  double population_std() const;
  /// n - 1 in the variance; a single row has no spread: 0.
  double sample_std() const;
  /// Tells exactly, where a standard deviation would only be small.
  bool constant() const { return min == max; }
};

/// Two passes in double, so that the deviations do not cancel however far the mean is from zero. At
/// least one row.
std::vector<ColumnStatistics> column_statistics(MatrixView values);

}  // namespace darp
