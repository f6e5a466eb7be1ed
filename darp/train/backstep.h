#pragma once
// Queries moved back against the motion. While learning, half of the queries are not the
// demonstrated s_t but
//   s_t + part x (s_t - s_(t+1)),
// about where the robot was a step before, with the action a_t asked for all the same. A policy
// that lags behind its demonstrations meets such states; the action that leads on from them is the
// one the expert took next. Nothing is learned or simulated for it: corrective labels without a
// model.
//
// That only makes sense where a step says something about the step before it. Where the motion
// turns around from step to step (its persistence is below 0) the place would be nowhere near any
// state.

#include <span>

#include "darp/core/fields.h"
#include "darp/core/matrix.h"

namespace darp {

struct BackstepSettings {
  enum class When { kSteady, kAlways };

  double part = 0;
  When when = When::kSteady;

  void visit_fields(FieldVisitor& v);
  bool operator==(const BackstepSettings&) const = default;

  bool wanted() const { return part > 0; }
};

/// How much steps keep their direction: the sum of d_t . d_(t-1) over that of |d_t|^2, where
/// d_t = s_(t+1) - s_t; 1 for a straight line at constant speed, 0 for random steps and where there
/// are none.
double persistence(MatrixView states, std::span<const int64_t> episode_ends);

/// part x (s_t - s_(t+1)) for every row; 0 for the last step of an episode. No rows at all if the
/// settings want none or the motion is not steady enough.
Matrix backsteps(const BackstepSettings& settings, MatrixView states,
                 std::span<const int64_t> episode_ends);

}  // namespace darp
