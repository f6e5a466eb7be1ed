#pragma once
// How people go through a script: not straight, not at one speed, not without stopping to look.

#include <span>

#include "darp/core/rng.h"
#include "darp/expert/scripted/script.h"

namespace darp {

/// Of one episode. Every phase has a speed of its own and may begin with a pause; long ways bend.
class HumanManner {
 public:
  /// Draws what belongs to the whole episode.
  explicit HumanManner(Rng rng);

  /// A new phase begins, from `now` to `target`.
  void begin(const Pose& now, const Pose& target);
  /// Whether it is not time to move yet; each call is a step.
  bool waits();
  /// Where to head for on the way to `target`: beside it on the first two thirds.
  Pose head_for(const Pose& now, const Pose& target) const;
  /// Nothing faster than the phase is: short steps stay as they are, and end where they should.
  void slow_down(std::span<float> action) const;
  /// By how much longer a phase may take.
  double patience() const { return 1 / speed_; }
  /// From where to take things: radians that the hand is turned by at first.
  double side() const { return side_; }

 private:
  Rng rng_;
  double side_ = 0, usual_speed_ = 1, speed_ = 1;
  int64_t pause_ = 0;
  Vec3 begun_ = {0, 0, 0}, bend_ = {0, 0, 0};
};

}  // namespace darp
