#pragma once
// Straight pushes against the block, tried out in the room's physics.

#include <optional>
#include <vector>

#include "darp/core/rng.h"
#include "darp/expert/mpc/detour.h"
#include "darp/expert/mpc/t_outline.h"

namespace darp {

/// In the block's axes when the push begins, so that it means the same wherever the block is.
struct Push {
  int face = 0;
  double along = 0;   // where on the face, 0 to 1
  double turn = 0;    // direction, from straight into the face, in radians
  double length = 0;  // of the agent's way, from just before it touches
};

struct PushLine {
  Point start, direction;
};
PushLine line_of(const Push& push, const TPose& block);

struct PushTState {
  Point agent;
  TPose block;
};

/// Any push that makes sense.
Push random_push(Rng& rng, std::optional<int> face);
/// One much like it.
Push similar_push(const Push& push, double deviation, Rng& rng);

/// A push on its way: the state after each hundredth of a second or so.
struct PushTrace {
  struct Moment {
    double gone = 0;  // of the push's length
    TPose block;
  };
  PushLine line;
  double approach = 0;  // length of the way to the line's start
  std::vector<Moment> moments;
};
/// Pushes as far as `push.length` says, or until the block is much farther from the goal than it
/// once was. None where the agent cannot get to the start or would leave the room.
std::optional<PushTrace> traced(const Push& push, const PushTState& from);

/// Mean distance of the block's corners from where they shall be.
double goal_distance(const TPose& block);
/// Whether the episode is won with some margin.
bool is_solved(const TPose& block);

}  // namespace darp
