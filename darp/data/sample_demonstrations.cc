#include "darp/data/sample_demonstrations.h"

#include <cmath>
#include <numbers>

#include "darp/core/rng.h"

namespace darp {

SampleDemonstrations::SampleDemonstrations(uint64_t task, uint64_t seed, int64_t episodes,
                                           int64_t steps, int64_t cols) {
  constexpr int kHidden = 4;
  Rng shape(task);
  std::vector<double> mix(cols * kHidden), shift(cols);
  for (double& x : mix) x = shape.normal();
  for (double& x : shift) x = shape.uniform(0, 2 * std::numbers::pi);
  rows = Matrix::uninitialized(episodes * steps, cols);
  for (int64_t e = 0; e < episodes; ++e) {
    Rng rng = Rng(seed).split(static_cast<uint64_t>(e));
    double start[kHidden], speed[kHidden];
    for (int h = 0; h < kHidden; ++h) {
      start[h] = rng.uniform(0, 2 * std::numbers::pi);
      speed[h] = rng.uniform(0.5, 1.5) * 0.06;
    }
    for (int64_t t = 0; t < steps; ++t) {
      double hidden[kHidden];
      for (int h = 0; h < kHidden; ++h)
        hidden[h] = std::sin(start[h] + speed[h] * static_cast<double>(t));
      for (int64_t j = 0; j < cols; ++j) {
        double x = shift[j];
        for (int h = 0; h < kHidden; ++h) x += mix[j * kHidden + h] * hidden[h];
        rows(e * steps + t, j) = static_cast<float>(std::sin(x) + 0.02 * rng.normal());
      }
    }
    ends.push_back((e + 1) * steps);
  }
}

}  // namespace darp
