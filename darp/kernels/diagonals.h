#pragma once
// Arithmetic of the diagonal layout (see distance_history.h), for the kernels that use it.

#include <cstdint>
#include <span>

#include "darp/kernels/distance_history.h"

namespace darp::kernels {

/// The groups of 16 diagonals at one time.
class Diagonals {
 public:
  static constexpr int64_t kLanes = 16;

  /// One group more than rows need: a group then never holds rows of both ends.
  static int64_t groups_for(int64_t rows) { return (rows + kLanes - 1) / kLanes + 1; }

  Diagonals(int64_t rows, int64_t time)
      : all_(groups_for(rows) * kLanes), shift_((all_ - time % all_) % all_), time_(time) {}

  /// The lane that a row has.
  int64_t lane(int64_t row) const { return (row - time_) & (kLanes - 1); }
  int64_t count() const { return all_; }
  /// The diagonal of a row, from -15 to the last; those of a group differ only in the lane.
  int64_t diagonal(int64_t row) const {
    const int64_t shifted = row + shift_;
    return shifted >= all_ ? shifted - all_ : shifted < 0 ? shifted + all_ : shifted;
  }
  /// The group whose lane 0 has this row, or would have it.
  int64_t group_from(int64_t row) const { return diagonal(row) / kLanes; }
  /// The first rows of groups run from here in steps of 16, as long as they are below the number
  /// of rows.
  int64_t lowest() const { return -lane(0); }

 private:
  int64_t all_, shift_, time_;
};

/// All that the history sums of one step read.
struct HistoryStep {
  const float* now;  // distances of this step
  float* ring;       // and of those before it
  int64_t rows, time, slots;
  const HistoryWeights& weights;
  std::span<const int64_t> episode_ends;

  /// The slot of the step `lookback - 1` ago, which this step will take over.
  int64_t oldest_slot() const { return slots > 0 ? time % slots : 0; }
};

/// All that one step of the recursive history reads and writes.
struct RecursionStep {
  const float* now;  // distances of this step
  float* ring;       // distances of the last `lookback` steps
  double* sums;      // by diagonals
  float* out;        // sums by rows
  int64_t rows, time, lookback;
  double factor, last_factor;          // of the past, and of what leaves it
  std::span<const double> weight_sum;  // of the first n + 1 weights; empty: do not renormalize
  std::span<const int64_t> episode_ends;
};

}  // namespace darp::kernels
