#include "darp/retrieval/metric_space.h"

#include <cmath>

namespace darp {
namespace {

void check_size(std::string_view name, size_t size, int64_t width) {
  if (size != 0 && static_cast<int64_t>(size) != width)
    throw Error(name, fmt::format("has {} entries for rows of {} columns", size, width),
                "give one per column, or none");
}

}  // namespace

MetricSpace::MetricSpace(const MetricSettings& settings, int64_t width)
    : width_(width), cosine_(settings.kind == MetricSettings::Kind::kCosine) {
  check_size("metric.weights", settings.weights.size(), width);
  check_size("metric.periods", settings.periods.size(), width);
  const auto weight = [&](int64_t j) { return settings.weights.empty() ? 1 : settings.weights[j]; };
  const auto period = [&](int64_t j) { return settings.periods.empty() ? 0 : settings.periods[j]; };
  for (int64_t j = 0; j < width; ++j) {
    if (!std::isfinite(weight(j)) || weight(j) < 0)
      throw Error("metric.weights", fmt::format("entry {} is {}", j, weight(j)),
                  "weights are finite and at least 0");
    if (!std::isfinite(period(j)) || period(j) < 0)
      throw Error("metric.periods", fmt::format("entry {} is {}", j, period(j)),
                  "a period is the length of a circle, or 0 for a line");
    if (cosine_ && period(j) > 0)
      throw Error("metric.periods", "angles have no cosine distance",
                  "use the euclidean metric, or give sine and cosine columns instead of the angle");
  }
  for (const bool circles : {false, true})
    for (int64_t j = 0; j < width; ++j) {
      if (weight(j) == 0 || (period(j) > 0) != circles) continue;
      const double factor = std::sqrt(weight(j));
      columns_.push_back({j, static_cast<float>(factor)});
      if (circles) periods_.push_back(static_cast<float>(period(j) * factor));
    }
  if (columns_.empty())
    throw Error("metric", "no column is left to compare",
                width == 0 ? "the rows have no columns" : "give at least one weight above 0");
}

QueryStatus MetricSpace::prepare(std::span<const float> observation, float* out) const noexcept {
  if (static_cast<int64_t>(observation.size()) != width_) return QueryStatus::kWrongWidth;
  for (const float x : observation)
    if (!std::isfinite(x)) return QueryStatus::kNotFinite;
  double square = 0;
  for (size_t j = 0; j < columns_.size(); ++j) {
    const float x = observation[columns_[j].source] * columns_[j].factor;
    if (!(std::abs(x) <= kLargestCoordinate)) return QueryStatus::kTooLarge;
    square += static_cast<double>(x) * static_cast<double>(x);
    out[j] = x;
  }
  if (cosine_) {
    const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
    for (size_t j = 0; j < columns_.size(); ++j)
      out[j] = static_cast<float>(static_cast<double>(out[j]) * scale);
    out[columns_.size()] = square > 0 ? 0.0f : 1.0f;
  }
  return QueryStatus::kOk;
}

Matrix MetricSpace::prepare(MatrixView rows) const {
  Matrix prepared = Matrix::uninitialized(rows.rows(), dim());
  for (int64_t i = 0; i < rows.rows(); ++i)
    if (const QueryStatus status = prepare(rows.row(i), prepared.row(i).data());
        status != QueryStatus::kOk)
      throw Error(fmt::format("row {}", i), describe(status),
                  "mend or leave out the row, or normalise the data");
  return prepared;
}

std::string describe(QueryStatus status) {
  switch (status) {
    case QueryStatus::kOk:
      return "good";
    case QueryStatus::kWrongWidth:
      return "has another width than the rows";
    case QueryStatus::kNotFinite:
      return "contains NaN or infinity";
    case QueryStatus::kTooLarge:
      return fmt::format("contains numbers beyond {:g}, whose squares overflow",
                         MetricSpace::kLargestCoordinate);
    case QueryStatus::kNoneLeft:
      return "has no row left to retrieve after exclusion";
  }
  return "unknown";
}

}  // namespace darp
