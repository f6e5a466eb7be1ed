#pragma once
// Turns observations into the coordinates that kernels compare (kernels/distances.h).

#include <span>
#include <vector>

#include "darp/kernels/distances.h"
#include "darp/retrieval/retrieval_settings.h"

namespace darp {

/// Why a query cannot be answered.
enum class QueryStatus {
  kOk,
  kWrongWidth,  // not as many numbers as the rows have columns
  kNotFinite,   // NaN or infinite
  kTooLarge,    // beyond kLargestCoordinate: squares would overflow
  kNoneLeft,    // every row is excluded
};

/// Immutable: threads share it freely.
class MetricSpace {
 public:
  /// Larger numbers (after weighting) are refused, so that no distance overflows.
  static constexpr float kLargestCoordinate = 1e15f;

  /// For rows of `width` columns. Throws Error for settings that do not fit.
  MetricSpace(const MetricSettings& settings, int64_t width);

  /// Columns of an observation.
  int64_t width() const { return width_; }
  /// Coordinates after preparation: columns of weight 0 are gone; cosine has one more, in which a
  /// zero vector is a direction of its own.
  int64_t dim() const { return static_cast<int64_t>(columns_.size()) + (cosine_ ? 1 : 0); }

  /// Writes the dim() coordinates of an observation. No allocation.
  QueryStatus prepare(std::span<const float> observation, float* out) const noexcept;
  /// All rows; throws Error that names the first bad row.
  Matrix prepare(MatrixView rows) const;

  /// Lives as long as this object.
  kernels::Comparison comparison() const { return {periods_, cosine_}; }

 private:
  struct Column {
    int64_t source;
    float factor;
  };
  int64_t width_;
  bool cosine_;
  std::vector<Column> columns_;  // lines first, then circles
  std::vector<float> periods_;   // of the circles, in prepared units
};

/// What is wrong with a query, for people.
std::string describe(QueryStatus status);

}  // namespace darp
