#pragma once
// What acts.

#include <cstdint>
#include <span>

namespace darp {

/// One rollout: reset() starts an episode, act() continues it. Not for two threads at once; same
/// policy, same observations, same actions.
class Policy {
 public:
  virtual ~Policy() = default;

  virtual int64_t observation_dim() const = 0;
  virtual int64_t action_dim() const = 0;

  virtual void reset() = 0;
  /// `observation` as the environment gives it, `action` as it takes it. Throws Error for
  /// observations of the wrong size or not finite; never gives an action that is not finite.
  virtual void act(std::span<const float> observation, std::span<float> action) = 0;
};

}  // namespace darp
