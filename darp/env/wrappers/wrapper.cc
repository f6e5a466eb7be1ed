#include "darp/env/wrappers/wrapper.h"

#include <cmath>

#include "darp/core/error.h"

namespace darp {
namespace {

constexpr size_t kCounted = 3;
constexpr double kHalf = 4294967296.0;  // 2^32: each half of a seed is exact in a double

bool is_count(double x, double bound) {
  return x >= 0 && x < bound && x == std::floor(x);
}

}  // namespace

void CountingWrapper::reset(uint64_t seed) {
  seed_ = seed;
  steps_ = 0;
  EnvironmentWrapper::reset(seed);
}

Step CountingWrapper::advance(std::span<const float> action) {
  ++steps_;
  return EnvironmentWrapper::advance(action);
}

void CountingWrapper::save(std::vector<double>& state) const {
  EnvironmentWrapper::save(state);
  state.push_back(static_cast<double>(seed_ & 0xFFFFFFFFu));
  state.push_back(static_cast<double>(seed_ >> 32));
  state.push_back(static_cast<double>(steps_));
}

void CountingWrapper::restore(std::span<const double> state) {
  const auto own = state.last(std::min(kCounted, state.size()));
  if (own.size() < kCounted || !is_count(own[0], kHalf) || !is_count(own[1], kHalf) ||
      !is_count(own[2], 0x1p53))
    throw Error("saved state", "does not end with a seed and a number of steps",
                "restore only what this environment saved");
  EnvironmentWrapper::restore(state.first(state.size() - kCounted));
  seed_ = static_cast<uint64_t>(own[0]) | static_cast<uint64_t>(own[1]) << 32;
  steps_ = static_cast<int64_t>(own[2]);
}

}  // namespace darp
