#pragma once
// Those who can do a task and make demonstrations of it: learned by trial and error, planned, or
// written by hand.

#include <span>

#include "darp/core/rng.h"
#include "darp/env/environment.h"

namespace darp {

/// One episode after the other. Unlike a policy, an expert may look at anything in the environment,
/// and knows what it is for. Not for two threads at once.
class Expert {
 public:
  virtual ~Expert() = default;

  /// An episode begins: the environment has just been reset. All that this expert leaves to chance
  /// in the episode comes from `rng`, so that an episode depends on its seed and nothing else.
  /// Throws Error for environments that it does not know.
  virtual void start(const Environment& environment, Rng rng) = 0;

  /// What to do in the present state, of which `observation` is what a policy would see; `action`
  /// lies within the limits of the action space.
  virtual void act(const Environment& environment, std::span<const float> observation,
                   std::span<float> action) = 0;
};

}  // namespace darp
