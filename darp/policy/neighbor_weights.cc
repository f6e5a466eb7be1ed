#include "darp/policy/neighbor_weights.h"

#include <algorithm>
#include <cmath>

namespace darp {

void neighbor_weights(double bandwidth, std::span<const float> distances,
                      std::span<float> weights) noexcept {
  if (distances.empty()) return;
  double total = 0;
  for (const float d : distances) total += d;
  const double reach = bandwidth * total / static_cast<double>(distances.size());
  if (!(reach > 0)) {
    std::ranges::fill(weights, 1.0f / static_cast<float>(distances.size()));
    return;
  }
  // From the nearest on, which counts 1: the sum cannot vanish.
  const float nearest = *std::ranges::min_element(distances);
  double sum = 0;
  for (size_t i = 0; i < distances.size(); ++i) {
    weights[i] = static_cast<float>(std::exp(-(double{distances[i]} - nearest) / reach));
    sum += weights[i];
  }
  for (float& w : weights) w = static_cast<float>(w / sum);
}

}  // namespace darp
