#include "darp/study/analysis/divergence_step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "darp/core/error.h"

namespace darp {

std::optional<int64_t> step_of_divergence(std::span<const double> a, std::span<const double> b,
                                          const DivergenceSettings& settings) {
  DARP_CHECK(settings.window > 0 && settings.share > 0, "a window of {} steps, a share of {}",
             settings.window, settings.share);
  const double gained = std::reduce(a.begin(), a.end()) - std::reduce(b.begin(), b.end());
  const std::span<const double> better = gained < 0 ? b : a, worse = gained < 0 ? a : b;
  const size_t steps = std::max(a.size(), b.size());
  double size = 0;
  for (const double reward : better) size += std::abs(reward);
  if (size == 0) return std::nullopt;
  const double theta = settings.share * size / static_cast<double>(better.size());

  // total[t]: the difference of all steps before t.
  const auto at = [](std::span<const double> rewards, size_t t) {
    return t < rewards.size() ? rewards[t] : 0.0;
  };
  std::vector<double> total(steps + 1, 0.0);
  for (size_t t = 0; t < steps; ++t) total[t + 1] = total[t] + at(better, t) - at(worse, t);
  std::vector<double> least = total;  // of total[t] and all after it
  for (size_t t = steps; t-- > 0;) least[t] = std::min(least[t], least[t + 1]);

  const auto window = static_cast<size_t>(settings.window);
  for (size_t t = 0; t + window <= steps; ++t)
    if (total[t + 1] - total[t] >= theta &&
        least[t + window] - total[t] >= theta * static_cast<double>(window))
      return static_cast<int64_t>(t);
  return std::nullopt;
}

}  // namespace darp
