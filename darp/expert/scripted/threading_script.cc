#include <algorithm>
#include <cmath>
#include <numbers>

#include "darp/env/manipulation/table_tasks.h"
#include "darp/expert/scripted/scripts.h"

namespace darp {
namespace {

using Task = ManipulationTask;
constexpr const char* kNeedle = "needle";
constexpr Vec3 kHandle = {0, 0.06, 0};

/// Fingers across the handle.
Pose above_needle_handle(const Task& task, double height) {
  const Pose needle = task.body(kNeedle);
  const double angle =
      nearest_angle(yaw_of(needle.rotation), std::numbers::pi, closing_angle(task.grip().rotation));
  return {needle * kHandle + Vec3{0, 0, height}, pointing_down(angle)};
}

/// The needle level and along the ring's axis, its handle on the near side, and its middle `away`
/// before the ring's.
Pose needle_before_ring(const Task& task, double away) {
  const Pose tripod = task.body("tripod");
  const Vec3 ring = tripod * kTripodRing;
  Vec3 axis = tripod.rotation.column(0);
  axis[2] = 0;
  axis = unit(axis);
  if (axis[1] < 0) axis = -1.0 * axis;
  // The needle's y axis, from tip to handle, is the ring's.
  const Mat3 level = yaw_rotation(std::atan2(axis[1], axis[0]) - std::numbers::pi / 2);
  const Vec3 middle = ring + away * axis;
  return grip_for_object(task, kNeedle, {middle - level * kNeedleShaft, level});
}

}  // namespace

Script threading_script() {
  const auto before = [](double away) {
    return [away](const Task& task, const Moment&) { return needle_before_ring(task, away); };
  };
  return {
      {.target = [](const Task& task, const Moment&) { return above_needle_handle(task, 0.08); },
       .near = 0.012,
       .turned = 0.06,
       .most_steps = 70},
      {.target = [](const Task& task, const Moment&) { return above_needle_handle(task, 0.003); },
       .near = 0.005,
       .most_steps = 40},
      {.target = stay, .gripper = kClose, .least_steps = 10, .most_steps = 10},
      {.target = rise_to(1.03),
       .gripper = kClose,
       .near = 0.02,
       .most_steps = 40,
       .next = [](const Task& task) { return task.body(kNeedle).position[2] < 0.9 ? -3 : 1; }},
      {.target = before(0.16), .gripper = kClose, .near = 0.01, .turned = 0.08, .most_steps = 90},
      {.target = before(0.085), .gripper = kClose, .near = 0.002, .turned = 0.02},
      // 4 mm a step, from there to the ring.
      {.target =
           [](const Task& task, const Moment& moment) {
             return needle_before_ring(
                 task, std::max(0.0, 0.085 - 0.004 * static_cast<double>(moment.step)));
           },
       .gripper = kClose,
       .most_steps = 45,
       .next = [](const Task&) { return int64_t{-2}; }},
  };
}

}  // namespace darp
