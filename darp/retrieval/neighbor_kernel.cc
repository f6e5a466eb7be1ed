#include "darp/retrieval/neighbor_kernel.h"

#include <algorithm>
#include <cmath>

namespace darp {
namespace {

/// The kernel is e^-exponent.
double exponent(double distance, GraphKernel kernel, double bandwidth) {
  const double ratio = distance / bandwidth;
  switch (kernel) {
    case GraphKernel::kGaussian:
      return ratio * ratio / 2;
    case GraphKernel::kUniform:
      return 0;
    case GraphKernel::kExponential:
      return ratio;
  }
  return 0;
}

void check_bandwidth(double bandwidth) {
  if (!(bandwidth > 0) || std::isinf(bandwidth))
    throw Error("graph bandwidth", fmt::format("is {}, not a positive number", bandwidth),
                "set it to a typical distance between neighbours");
}

void check_distance(double distance) {
  if (!(distance >= 0) || std::isinf(distance))
    throw Error("neighbour table", fmt::format("holds the distance {}", distance),
                "build it again from finite observations");
}

void check_has_distances(const NeighborTable& table) {
  if (!table.has_distances() && table.width() > 0 && table.queries() > 0)
    throw Error("neighbour table", "holds no distances",
                "build it with distances, or use the uniform kernel");
}

}  // namespace

double median_last_distance(const NeighborTable& table) {
  check_has_distances(table);
  std::vector<double> last;
  for (int64_t query = 0; query < table.queries(); ++query) {
    if (table.count(query) == 0) continue;
    last.push_back(table.distances(query).back());
    check_distance(last.back());
  }
  if (last.empty())
    throw Error("neighbour table", "gives no query a neighbour",
                "use more data, or exclude less from the search");
  const auto middle = last.begin() + static_cast<int64_t>(last.size() / 2);
  std::nth_element(last.begin(), middle, last.end());
  if (last.size() % 2 == 1) return *middle;
  return (*std::max_element(last.begin(), middle) + *middle) / 2;
}

double resolve_bandwidth(const NeighborTable& table, const GraphSettings& settings) {
  if (settings.kernel == GraphKernel::kUniform) return 1;
  check_has_distances(table);
  if (settings.bandwidth != 0) {
    check_bandwidth(settings.bandwidth);
    return settings.bandwidth;
  }
  const double median = median_last_distance(table);
  if (median == 0)
    throw Error("graph bandwidth", "is 0: for most rows even the last neighbour is a copy",
                "set a bandwidth, use more neighbours or the uniform kernel, or remove copies");
  return median;
}

double kernel_weight(double distance, GraphKernel kernel, double bandwidth) {
  check_distance(distance);
  return std::exp(-exponent(distance, kernel, bandwidth));
}

void neighbor_weights(std::span<const float> distances, GraphKernel kernel, double bandwidth,
                      std::span<float> out) {
  DARP_CHECK(out.size() == distances.size(), "{} weights for {} neighbours", out.size(),
             distances.size());
  if (kernel != GraphKernel::kUniform) check_bandwidth(bandwidth);
  if (distances.empty()) return;
  for (const float distance : distances) check_distance(distance);
  // Relative to the nearest, so that the sum is at least 1 even where every exponential underflows.
  // A ratio that overflows would give infinity less infinity; the cap keeps those weights equal.
  constexpr double kCap = 1e300;
  const auto capped = [&](double d) { return std::min(exponent(d, kernel, bandwidth), kCap); };
  const double least = capped(*std::min_element(distances.begin(), distances.end()));
  double sum = 0;
  for (const float distance : distances) sum += std::exp(least - capped(distance));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(std::exp(least - capped(distances[i])) / sum);
}

}  // namespace darp
