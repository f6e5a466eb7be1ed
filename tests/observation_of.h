#pragma once
// What a policy would see.

#include <vector>

#include "darp/env/environment.h"

namespace darp {

inline std::vector<float> observation_of(const Environment& environment) {
  std::vector<float> observation(environment.info().observations.dim());
  environment.observe(observation);
  return observation;
}

}  // namespace darp
