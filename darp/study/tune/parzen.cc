#include "darp/study/tune/parzen.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace darp {
namespace {

constexpr double kPriorCenter = 0.5, kPriorWidth = 1;

double normal_below(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

}  // namespace

ParzenEstimator::ParzenEstimator(const SearchDimension& dimension, std::span<const double> units) {
  const auto count = static_cast<double>(units.size());
  if (!dimension.choices.empty()) {
    const double one = 1 / (count + static_cast<double>(dimension.choices.size()));
    shares_.assign(dimension.choices.size(), one);
    for (const double unit : units) shares_[choice_at(unit)] += one;
    return;
  }
  std::vector<double> centers(units.begin(), units.end());
  centers.push_back(kPriorCenter);
  std::sort(centers.begin(), centers.end());
  // Values that happen to lie close together must not make a needle, the less the fewer they are.
  const double narrowest = 1 / std::min(100.0, count + 2);
  bool prior_is_in = false;
  for (size_t i = 0; i < centers.size(); ++i) {
    const double before = i == 0 ? 0 : centers[i] - centers[i - 1];
    const double after = i + 1 == centers.size() ? 0 : centers[i + 1] - centers[i];
    const bool is_prior = !prior_is_in && centers[i] == kPriorCenter;
    prior_is_in = prior_is_in || is_prior;
    Kernel kernel{centers[i],
                  is_prior ? kPriorWidth : std::clamp(std::max(before, after), narrowest, 1.0)};
    kernel.mass = normal_below((1 - kernel.center) / kernel.width) -
                  normal_below(-kernel.center / kernel.width);
    kernels_.push_back(kernel);
  }
}

size_t ParzenEstimator::choice_at(double unit) const {
  const auto count = static_cast<double>(shares_.size());
  return static_cast<size_t>(std::clamp(std::floor(unit * count), 0.0, count - 1));
}

double ParzenEstimator::density(double unit) const {
  if (!shares_.empty()) return shares_[choice_at(unit)] * static_cast<double>(shares_.size());
  double sum = 0;
  for (const Kernel& kernel : kernels_) {
    const double z = (unit - kernel.center) / kernel.width;
    sum += std::exp(-0.5 * z * z) / (kernel.width * kernel.mass);
  }
  return sum * std::numbers::inv_sqrtpi / std::numbers::sqrt2 /
         static_cast<double>(kernels_.size());
}

double ParzenEstimator::sample(Rng& rng) const {
  if (!shares_.empty()) {
    double left = rng.uniform();
    size_t choice = 0;
    while (choice + 1 < shares_.size() && left >= shares_[choice]) left -= shares_[choice++];
    return (static_cast<double>(choice) + 0.5) / static_cast<double>(shares_.size());
  }
  const Kernel& kernel = kernels_[rng.below(kernels_.size())];
  // Centers lie within and widths are at most 1, so a third or more of the draws does too.
  for (;;)
    if (const double unit = kernel.center + kernel.width * rng.normal(); unit >= 0 && unit <= 1)
      return unit;
}

}  // namespace darp
