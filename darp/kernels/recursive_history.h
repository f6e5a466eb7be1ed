#pragma once
// The history sum of all rows in one pass, whatever the lookback, for weights a^n:
//   sum(t, i) = distance(t, i) + a * sum(t - 1, i - 1) - a^lookback * distance(t - lookback, i -
//   lookback)
// Sums are kept in double: what subtracting leaves behind stays below 1e-12 of them, and the
// result, rounded to float, is the rounded exact sum but for the rarest cases.

#include <span>
#include <vector>

#include "darp/kernels/distance_history.h"

namespace darp::kernels {

class RecursiveHistory {
 public:
  /// @param rate weights are e^(-rate n)
  RecursiveHistory(int64_t rows, int64_t lookback, double rate, bool renormalize,
                   std::span<const int64_t> episode_ends);

  /// Takes the distances of step `time` (times count up from 0 without gaps) and gives the history
  /// sums of all rows. The same limits at an episode's start as DistanceHistory.
  void advance(const DistanceRow& distances, int64_t time, DistanceRow& sums);

  size_t bytes() const { return ring_.bytes() + sums_.bytes(); }

 private:
  Matrix ring_;  // distances of the last `lookback` steps, by diagonals
  Matrix sums_;  // doubles, one per diagonal
  int64_t rows_, lookback_;
  double factor_, last_factor_;
  std::vector<double> weight_sum_;  // of the first n + 1 weights; empty: do not renormalize
  std::span<const int64_t> episode_ends_;
};

}  // namespace darp::kernels
