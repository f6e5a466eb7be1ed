// Bootstrap intervals of estimates.h.

#include <algorithm>
#include <cmath>
#include <vector>

#include "darp/core/error.h"
#include "darp/core/rng.h"
#include "darp/eval/statistics/estimates.h"

namespace darp {
namespace {

/// Leaving out more parts than this one after another gains nothing, and takes long.
constexpr size_t kMostLeftOut = 1000;

bool is_constant(std::span<const double> values) {
  return std::ranges::all_of(values, [&](double value) { return value == values[0]; });
}

void draw_resample(std::span<const double> values, Rng& rng, std::span<double> resample) {
  for (double& value : resample) value = values[rng.below(values.size())];
}

/// Between the two values next to place `part` x (count - 1): mirrored samples have mirrored
/// quantiles, which a step function would not give.
double interpolated_quantile(std::span<const double> sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  return std::lerp(sorted[below], sorted[below + 1], place - static_cast<double>(below));
}

/// How far the statistic moves when values are left out, one after another (the jackknife); large
/// samples in groups, whose influences add up to the same skewness.
void append_influences(std::span<const double> values, const Statistic& statistic,
                       std::vector<double>& influences) {
  const size_t n = values.size(), groups = std::min(n, kMostLeftOut), begin = influences.size();
  if (n < 2) return;
  std::vector<double> rest;
  double sum = 0;
  for (size_t g = 0; g < groups; ++g) {
    rest.assign(values.begin(), values.begin() + static_cast<int64_t>(g * n / groups));
    rest.insert(rest.end(), values.begin() + static_cast<int64_t>((g + 1) * n / groups),
                values.end());
    influences.push_back(statistic(rest));
    sum += influences.back();
  }
  // What is left out when the statistic falls has pulled it up. Of n values each weighs (n - 1) / n
  // of what the jackknife shows: no matter for one sample, but for two of different sizes.
  const double center = sum / static_cast<double>(groups);
  const double weight = static_cast<double>(groups - 1) / static_cast<double>(groups);
  for (size_t g = begin; g < influences.size(); ++g)
    influences[g] = weight * (center - influences[g]);
}

/// A sixth of the skewness of the influences: how the standard error changes with the statistic.
double acceleration(std::span<const double> influences) {
  double largest = 0, squares = 0, cubes = 0;
  for (const double u : influences) largest = std::max(largest, std::abs(u));
  if (largest == 0) return 0;
  for (const double u : influences) {
    squares += (u / largest) * (u / largest);
    cubes += (u / largest) * (u / largest) * (u / largest);
  }
  return cubes / (6 * squares * std::sqrt(squares));
}

/// The quantile of the bootstrap distribution that stands for normal quantile `z`.
double adjusted_part(double z, double bias, double acceleration) {
  const double shifted = bias + z, stretch = 1 - acceleration * shifted;
  // Beyond the pole the formula comes back from the other side; its limit is the last value.
  if (stretch <= 0) return shifted > 0 ? 1 : 0;
  return normal_probability(bias + shifted / stretch);
}

Interval bca_interval(double estimate, std::vector<double> resampled,
                      std::span<const double> influences, double confidence) {
  std::ranges::sort(resampled);
  // Equal but for rounding counts as a tie, half of which lies below.
  const double slack = 1e-9 * (resampled.back() - resampled.front());
  const auto below = std::ranges::lower_bound(resampled, estimate - slack) - resampled.begin();
  const auto up_to = std::ranges::upper_bound(resampled, estimate + slack) - resampled.begin();
  const double count = static_cast<double>(resampled.size());
  const double part = static_cast<double>(below + up_to) / 2 / count;
  // All on one side would be an infinite bias: nothing beyond half a resample can be told.
  const double bias = normal_quantile(std::clamp(part, 0.5 / count, 1 - 0.5 / count));
  const double skew = acceleration(influences), z = normal_quantile(0.5 + confidence / 2);
  const double low = interpolated_quantile(resampled, adjusted_part(-z, bias, skew));
  const double high = interpolated_quantile(resampled, adjusted_part(z, bias, skew));
  return {std::min(low, estimate), std::max(high, estimate)};
}

}  // namespace

Interval bootstrap_interval(std::span<const double> values, const Statistic& statistic,
                            const BootstrapOptions& options) {
  DARP_CHECK(!values.empty() && options.resamples > 0, "nothing to resample");
  const double estimate = statistic(values);
  if (is_constant(values)) return {estimate, estimate};
  Rng rng(options.seed);
  std::vector<double> resample(values.size()), resampled(static_cast<size_t>(options.resamples));
  for (double& result : resampled) {
    draw_resample(values, rng, resample);
    result = statistic(resample);
  }
  std::vector<double> influences;
  append_influences(values, statistic, influences);
  return bca_interval(estimate, std::move(resampled), influences, options.confidence);
}

Interval bootstrap_difference_interval(std::span<const double> a, std::span<const double> b,
                                       const BootstrapOptions& options) {
  DARP_CHECK(!a.empty() && !b.empty() && options.resamples > 0, "nothing to resample");
  const double estimate = mean(b) - mean(a);
  if (is_constant(a) && is_constant(b)) return {estimate, estimate};
  Rng rng(options.seed);
  std::vector<double> from_a(a.size()), from_b(b.size());
  std::vector<double> resampled(static_cast<size_t>(options.resamples));
  for (double& result : resampled) {
    draw_resample(a, rng, from_a);
    draw_resample(b, rng, from_b);
    result = mean(from_b) - mean(from_a);
  }
  std::vector<double> influences;
  append_influences(
      a, [](std::span<const double> part) { return -mean(part); }, influences);
  append_influences(b, mean, influences);
  return bca_interval(estimate, std::move(resampled), influences, options.confidence);
}

}  // namespace darp
