#pragma once
// What an arm does one after the other, as data: poses to go to, found anew in every step, and when
// it is time for the next.

#include <functional>
#include <optional>
#include <vector>

#include "darp/env/manipulation/manipulation_task.h"

namespace darp {

/// How a phase stands.
struct Moment {
  Pose entry;        // the grip's pose when the phase began
  double wrist = 0;  // its last joint then
  int64_t step = 0;  // since then
  /// From where to take things that can be taken from several sides: radians that the hand is
  /// turned by at first; without it the nearest.
  std::optional<double> side = {};
};

inline constexpr float kOpen = -1, kClose = 1;

struct Phase {
  /// Where the grip is to be.
  std::function<Pose(const ManipulationTask&, const Moment&)> target;
  float gripper = kOpen;
  /// It is there when nearer and turned by less than that (metres, radians); 0: whatever it is.
  double near = 0, turned = 0;
  /// It is over as soon as this holds, too.
  std::function<bool(const ManipulationTask&)> until = {};
  int64_t least_steps = 0, most_steps = 60;  // before it goes on; and then in any case
  /// Which phase follows, from this one; without it the next.
  std::function<int64_t(const ManipulationTask&)> next = {};
};

using Script = std::vector<Phase>;
using Target = decltype(Phase::target);

/// Where the grip was when the phase began.
Pose stay(const ManipulationTask& task, const Moment& moment);
/// Straight up or down from there to this height.
Target rise_to(double height);

/// The task that the environment is about; throws Error, by this expert's name, if it is no arm's.
const ManipulationTask& arm_task(const Environment& environment, std::string_view expert);

/// Where the grip must go for a held object to be at `wanted`: slips in the hand do not matter.
Pose grip_for_object(const ManipulationTask& task, const std::string& object, const Pose& wanted);

/// Fingers straight down, closing along the horizontal direction of this angle to the x axis.
Mat3 pointing_down(double closing_angle);
/// That angle of a grip.
double closing_angle(const Mat3& grip);
/// Of the angles at which something can be taken, `angle` up to multiples of `period`, the one of
/// the wanted side.
double grasp_angle(const ManipulationTask& task, const Moment& moment, double angle, double period);
/// The angle of an object's x axis, seen from above.
double yaw_of(const Mat3& rotation);
/// Of the angles that are `angle` up to multiples of `period`, the one that is nearest to `to`.
double nearest_angle(double angle, double period, double to);

/// The action that goes to `target` as fast as it can and stops there.
void servo(const Pose& now, const Pose& target, std::span<float> action);

}  // namespace darp
