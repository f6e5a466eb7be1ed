#pragma once
// Expert networks that know nothing.

#include <string>
#include <vector>

#include "darp/expert/ppo/expert_network.h"

namespace darp {

inline ExpertNetwork random_expert(const std::string& environment,
                                   const std::vector<int64_t>& widths, uint64_t seed) {
  Rng rng(seed);
  ExpertNetwork network;
  network.environment = environment;
  network.shape.widths = widths;
  const auto fill = [&](std::vector<float>& to, int64_t size, double mean, double deviation) {
    for (int64_t i = 0; i < size; ++i)
      to.push_back(static_cast<float>(mean + deviation * rng.normal()));
  };
  fill(network.parameters, network.shape.parameters(), 0, 0.7);
  fill(network.shift, network.shape.inputs(), 0, 1);
  fill(network.scale, network.shape.inputs(), 2, 0.5);
  fill(network.log_std, network.shape.outputs(), -1, 0.1);
  network.about = {{"version", "1"}, {"steps", "12"}};
  return network;
}

}  // namespace darp
