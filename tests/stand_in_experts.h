#pragma once
// Experts that are none, for tests of what is done with experts.

#include <algorithm>
#include <memory>
#include <vector>

#include "darp/core/error.h"
#include "darp/env/environment.h"
#include "darp/expert/expert.h"

namespace darp {

/// Brings the dummy environment's puck to rest, in a way that chance has a say in.
class PuckExpert : public Expert {
 public:
  void start(const Environment& environment, Rng rng) override {
    if (environment.info().name != "dummy")
      throw Error("puck expert", "does not know this environment", "give it the dummy");
    gain_ = rng.uniform(0.5, 2);
  }
  void act(const Environment&, std::span<const float> observation,
           std::span<float> action) override {
    for (size_t i = 0; i < 2; ++i) {
      const double wish = -gain_ * static_cast<double>(observation[i]) -
                          2 * static_cast<double>(observation[i + 2]);
      action[i] = static_cast<float>(std::clamp(wish, -1.0, 1.0));
    }
  }

 private:
  double gain_ = 0;
};

/// Does the same thing all the time, in any environment with limits: a share of each upper one.
class ConstantExpert : public Expert {
 public:
  explicit ConstantExpert(float share) : share_(share) {}
  void start(const Environment& environment, Rng) override {
    high_ = environment.info().actions.high;
  }
  void act(const Environment&, std::span<const float>, std::span<float> action) override {
    for (size_t i = 0; i < action.size(); ++i) action[i] = share_ * high_[i];
  }

 private:
  float share_;
  std::vector<float> high_;
};

}  // namespace darp
