#include "darp/policy/noise_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "darp/core/error.h"

namespace darp {
namespace {

constexpr double kLargestBeta = 0.999;

/// What is left of the variance after this part of all steps, but for a constant factor.
double variance_left(double part) {
  const double root = std::cos((part + 0.008) / 1.008 * std::numbers::pi / 2);
  return root * root;
}

}  // namespace

double DdimStep::next(double x, double eps, double clip) const {
  double clean = (x - noise * eps) / signal;
  if (clip > 0) clean = std::clamp(clean, -clip, clip);
  return next_signal * clean + next_noise * eps;
}

NoiseSchedule::NoiseSchedule(int64_t steps) {
  DARP_CHECK(steps >= 1, "{} steps", steps);
  const auto all = static_cast<double>(steps);
  double left = 1;
  for (int64_t t = 0; t < steps; ++t) {
    const auto done = static_cast<double>(t);
    const double ratio = variance_left((done + 1) / all) / variance_left(done / all);
    betas_.push_back(std::min(1 - ratio, kLargestBeta));
    alpha_bars_.push_back(left *= 1 - betas_.back());
  }
}

double NoiseSchedule::signal(int64_t step) const {
  return std::sqrt(alpha_bar(step));
}

double NoiseSchedule::noise(int64_t step) const {
  return std::sqrt(1 - alpha_bar(step));
}

std::vector<DdimStep> NoiseSchedule::ddim_steps(int64_t count) const {
  DARP_CHECK(count >= 1 && count <= steps(), "{} of {} steps", count, steps());
  const int64_t stride = steps() / count;
  std::vector<DdimStep> way;
  for (int64_t t = (count - 1) * stride; t >= 0; t -= stride)
    way.push_back({.step = t,
                   .signal = signal(t),
                   .noise = noise(t),
                   .next_signal = signal(t - stride),
                   .next_noise = noise(t - stride)});
  return way;
}

NoiseSchedule::Posterior NoiseSchedule::posterior(int64_t step) const {
  const double before = alpha_bar(step - 1), noisy = 1 - alpha_bar(step);
  return {.clean = std::sqrt(before) * beta(step) / noisy,
          .noisy = std::sqrt(1 - beta(step)) * (1 - before) / noisy,
          .variance = beta(step) * (1 - before) / noisy};
}

}  // namespace darp
