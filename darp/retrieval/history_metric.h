#pragma once
// How much a step of the past counts.
//   distance(query, row) = sum over n < lookback of weight(n) * distance(query n ago, row n before)
// as far back as both have a past: a row's episode begins somewhere, and so did the query's.

#include <span>
#include <vector>

#include "darp/kernels/distance_history.h"
#include "darp/retrieval/retrieval_settings.h"

namespace darp {

/// Immutable: threads share it freely.
class HistoryMetric {
 public:
  /// Throws Error for a lookback below 1 or a rate of the wrong sign.
  explicit HistoryMetric(const HistorySettings& settings);

  const HistorySettings& settings() const { return settings_; }
  int64_t lookback() const { return settings_.lookback; }
  kernels::HistoryWeights weights() const { return {weight_, sum_, settings_.renormalize}; }

  /// The formula as it stands: distances of the same step, newest first; at least one, at most
  /// `lookback` are used.
  float distance(std::span<const float> newest_first) const;

 private:
  HistorySettings settings_;
  std::vector<float> weight_, sum_;
};

}  // namespace darp
