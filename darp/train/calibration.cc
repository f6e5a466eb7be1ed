#include "darp/train/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "darp/core/quantile.h"

namespace darp {
namespace {

float above_zero(double x) {
  const auto rounded = static_cast<float>(x);
  return std::isnormal(rounded) && rounded > 0 ? rounded : 1.0f;
}

double euclidean(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t j = 0; j < a.size(); ++j) {
    const double step = static_cast<double>(a[j]) - static_cast<double>(b[j]);
    sum += step * step;
  }
  return std::sqrt(sum);
}

std::vector<float> context_distance(const MemoryRows& memory, const Examples& examples) {
  std::vector<double> distances;
  for (int64_t q = 0; q < examples.states.rows(); ++q) {
    const std::span<const int32_t> rows = examples.neighbors->rows(q);
    const std::span<const float> nearest = memory.states.row(rows.front());
    for (const int32_t row : rows) distances.push_back(euclidean(nearest, memory.states.row(row)));
    distances.push_back(euclidean(nearest, examples.states.row(q)));
  }
  std::ranges::sort(distances);
  return {above_zero(quantile(distances, 0.95))};
}

std::vector<float> difference_range(const MemoryRows& memory, const Examples& examples) {
  const auto columns = static_cast<size_t>(examples.states.cols());
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> least(columns, kInfinity), most(columns, -kInfinity), half(columns);
  for (int64_t q = 0; q < examples.states.rows(); ++q)
    for (const int32_t row : examples.neighbors->rows(q))
      for (size_t j = 0; j < columns; ++j) {
        const auto column = static_cast<int64_t>(j);
        const float difference = memory.states(row, column) - examples.states(q, column);
        least[j] = std::min(least[j], difference);
        most[j] = std::max(most[j], difference);
      }
  for (size_t j = 0; j < columns; ++j)
    half[j] = above_zero((static_cast<double>(most[j]) - static_cast<double>(least[j])) / 2);
  return half;
}

}  // namespace

std::vector<float> calibrate(const PolicySpec& spec, const MemoryRows& memory,
                             const Examples& examples) {
  if (spec.as<RegentSpec>() != nullptr) return context_distance(memory, examples);
  if (spec.as<DarpDiffusionSpec>() != nullptr) return difference_range(memory, examples);
  return {};
}

}  // namespace darp
