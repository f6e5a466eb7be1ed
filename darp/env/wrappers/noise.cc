#include "darp/env/wrappers/noise.h"

#include <algorithm>

#include "darp/core/finite.h"
#include "darp/core/rng.h"

namespace darp {
namespace {

// Streams of their own, so that the two noises have nothing to do with each other.
constexpr uint64_t kObservationStream = 1, kActionStream = 2;

void add_noise(Rng rng, double deviation, std::span<float> values) {
  for (float& value : values) value += static_cast<float>(deviation * rng.normal());
}

}  // namespace

void ObservationNoise::observe(std::span<float> observation) const {
  CountingWrapper::observe(observation);
  add_noise(Rng(seed(), kObservationStream).split(static_cast<uint64_t>(steps())), deviation_,
            observation);
}

Step ActionNoise::advance(std::span<const float> action) {
  std::copy(action.begin(), action.end(), noisy_.begin());
  add_noise(Rng(seed(), kActionStream).split(static_cast<uint64_t>(steps())), deviation_, noisy_);
  if (!all_finite(noisy_)) return {.end = EpisodeEnd::kActionNotFinite};  // noise beyond floats
  return CountingWrapper::advance(noisy_);
}

}  // namespace darp
