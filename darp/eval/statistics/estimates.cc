#include "darp/eval/statistics/estimates.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "darp/core/error.h"

namespace darp {

double mean(std::span<const double> values) {
  DARP_CHECK(!values.empty(), "mean of nothing");
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  if (values.size() == 1) return 0;
  const double center = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double median(std::span<const double> values) {
  DARP_CHECK(!values.empty(), "median of nothing");
  std::vector<double> copy(values.begin(), values.end());
  const auto middle = copy.begin() + static_cast<int64_t>(copy.size() / 2);
  std::nth_element(copy.begin(), middle, copy.end());
  if (copy.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(copy.begin(), middle), *middle);
}

double interquartile_mean(std::span<const double> values) {
  DARP_CHECK(!values.empty(), "interquartile mean of nothing");
  if (values.size() == 1) return values[0];
  // A quarter of n falls away on each side: `cut` values as a whole, and a part of the next.
  const double quarter = static_cast<double>(values.size()) / 4;
  const auto cut = static_cast<int64_t>(quarter);
  std::vector<double> copy(values.begin(), values.end());
  const auto first = copy.begin() + cut, last = copy.end() - 1 - cut;
  std::nth_element(copy.begin(), first, copy.end());
  std::nth_element(first + 1, last, copy.end());
  const double outer = (*first + *last) * (1 - (quarter - static_cast<double>(cut)));
  return std::accumulate(first + 1, last, outer) / (2 * quarter);
}

Interval normal_interval(std::span<const double> values, double confidence) {
  const double center = mean(values);
  const double margin = normal_quantile(0.5 + confidence / 2) * standard_deviation(values) /
                        std::sqrt(static_cast<double>(values.size()));
  return {center - margin, center + margin};
}

Interval wilson_interval(int64_t successes, int64_t trials, double confidence) {
  DARP_CHECK(0 <= successes && successes <= trials && trials > 0, "{} of {}", successes, trials);
  // Those p whose own standard error, sqrt(p (1 - p) / n), explains the distance to the rate.
  const double z = normal_quantile(0.5 + confidence / 2), n = static_cast<double>(trials);
  const double rate = static_cast<double>(successes) / n;
  const double center = (rate + z * z / (2 * n)) / (1 + z * z / n);
  const double margin =
      z / (1 + z * z / n) * std::sqrt(rate * (1 - rate) / n + z * z / (4 * n * n));
  return {successes == 0 ? 0 : std::max(0.0, center - margin),
          successes == trials ? 1 : std::min(1.0, center + margin)};
}

double normal_probability(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

double normal_quantile(double p) {
  DARP_CHECK(0 < p && p < 1, "no quantile for {}", p);
  if (p > 0.5) return -normal_quantile(1 - p);
  // A start that is good to three digits (Hastings, 1955) ...
  const double t = std::sqrt(-2 * std::log(p));
  double z = (2.515517 + t * (0.802853 + t * 0.010328)) /
                 (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
             t;
  // ... and Halley's method, which triples the digits at each step. Next to the middle the
  // difference is taken from there, where nothing cancels.
  for (int step = 0; step < 3; ++step) {
    const double excess =
        p > 0.25 ? 0.5 * std::erf(z / std::numbers::sqrt2) - (p - 0.5) : normal_probability(z) - p;
    const double newton = excess * std::sqrt(2 * std::numbers::pi) * std::exp(z * z / 2);
    z -= newton / (1 + z * newton / 2);
  }
  return z;
}

}  // namespace darp
