#pragma once
// Distances of past steps, kept so that a history costs loads and adds instead of distances.
//
// What is summed for row i at time t is distance(t - n, i - n) for n = 0, 1, ...: one step back in
// time is one row back. Along that diagonal i - t is constant, so the ring is stored by diagonals:
// diagonal c = (i - t) mod diagonals, [c / 16][time mod slots][c % 16]. The terms of 16
// neighbouring rows lie end to end in memory.
//
// Sums run from the newest step to the oldest, every product and sum rounded to float: all SIMD
// levels and a plain loop give the same bits.

#include <span>
#include <vector>

#include "darp/core/matrix.h"

namespace darp::kernels {

struct HistoryStep;

/// Distances of one step to all rows, with the margins that shifted vector reads need.
class DistanceRow {
 public:
  static constexpr int64_t kMargin = 16;

  explicit DistanceRow(int64_t rows) : storage_(Matrix::zeros(1, rows + 3 * kMargin)) {}
  float* data() { return storage_.mutable_view().data() + kMargin; }
  const float* data() const { return storage_.view().data() + kMargin; }
  size_t bytes() const { return storage_.bytes(); }

 private:
  Matrix storage_;
};

/// Weights by age and how they are used.
struct HistoryWeights {
  std::span<const float> weight;      // of the step n ago; as many as the lookback
  std::span<const float> weight_sum;  // of the first n + 1 weights
  bool renormalize = false;           // divide by the sum of the weights used
};

/// The ring. Rows belong to episodes, which end before the rows `episode_ends` (ascending).
class DistanceHistory {
 public:
  /// @param slots     how many past steps are kept: lookback - 1, or 0
  /// @param most_rows how many rows sums() will be asked for at most
  DistanceHistory(int64_t rows, int64_t slots, std::span<const int64_t> episode_ends,
                  int64_t most_rows);

  /// Keeps the distances of step `time`; times count up from 0 without gaps.
  void store(const DistanceRow& distances, int64_t time);

  /// sums[j] = sum over n of weight[n] * distance(time - n, rows[j] - n), as far back as the row's
  /// episode, the query's past (time + 1 steps) and the weights go. `now` has the distances of
  /// `time`; those before it are in the ring. `rows` ascend. At most once a step, before store():
  /// it works in the room of the oldest step, which the next takes over.
  void sums(const DistanceRow& now, int64_t time, const HistoryWeights& weights,
            std::span<const int32_t> rows, std::span<float> sums);
  /// The same for all rows.
  void sums_of_all(const DistanceRow& now, int64_t time, const HistoryWeights& weights,
                   DistanceRow& sums);

  size_t bytes() const { return storage_.bytes() + firsts_.size() * sizeof(int32_t); }

 private:
  static constexpr int64_t kMargin = DistanceRow::kMargin;

  HistoryStep step(const DistanceRow& now, int64_t time, const HistoryWeights& weights);

  Matrix storage_;               // one group of 16 diagonals a row
  std::vector<int32_t> firsts_;  // scratch: where the groups that were asked for start
  int64_t summed_time_ = -1;
  int64_t rows_, slots_;
  std::span<const int64_t> episode_ends_;
};

}  // namespace darp::kernels
