#pragma once
// What acts.

#include <cstdint>
#include <span>

namespace darp {

/// One neighbour of the last step: where it was demonstrated and how far away it is.
struct ExplainedNeighbor {
  int64_t row = 0, episode = 0, time = 0;  // all from 0; time counts steps within the episode
  float distance = 0;                      // the one that ranked it, in standardised units
};

/// One rollout: reset() starts an episode, act() continues it. Not for two threads at once; same
/// policy, same seed, same observations, same actions.
class Policy {
 public:
  virtual ~Policy() = default;

  virtual int64_t observation_dim() const = 0;
  virtual int64_t action_dim() const = 0;

  /// All that is drawn at random until the next reset depends on the seed and the steps since.
  virtual void reset(uint64_t seed) = 0;
  /// `observation` as the environment gives it, `action` as it takes it. Throws Error for
  /// observations of the wrong size or not finite; never gives an action that is not finite.
  virtual void act(std::span<const float> observation, std::span<float> action) = 0;

  /// How unusual the observation of the last step was (policy/novelty.h); -1 for policies that
  /// retrieve nothing or do not measure it.
  virtual float novelty() const { return -1; }
  /// The neighbours of the last step, nearest first, as many as fit; returns how many. None for
  /// policies that retrieve nothing or do not tell.
  virtual int64_t explain(std::span<ExplainedNeighbor> neighbors) {
    (void)neighbors;
    return 0;
  }
};

}  // namespace darp
