#pragma once
// What became of one step of a control loop.

#include <cstdint>

namespace darp {

/// Anything but kOk: the action given is the safe one (realtime_policy.h).
enum class ActStatus : int32_t {
  kOk = 0,
  kWrongSize = 1,    // an observation or action of another size than the policy's
  kNotFinite = 2,    // the observation holds NaN or infinity
  kTooLarge = 3,     // the observation is so far away that distances overflow
  kNoNeighbors = 4,  // no demonstrated step may be used
  kNoAction = 5,     // the network's answer is not finite
};

/// For people, e.g. "the observation holds NaN or infinity". A literal: lives for ever.
const char* describe(ActStatus status) noexcept;

}  // namespace darp
