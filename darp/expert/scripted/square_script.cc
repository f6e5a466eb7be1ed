#include <algorithm>
#include <cmath>
#include <numbers>

#include "darp/expert/scripted/scripts.h"

namespace darp {
namespace {

using Task = ManipulationTask;
constexpr const char* kNut = "nut";

/// On the handle, farther out than its middle: there is room for fingers at the bar, and for the
/// hand at the peg.
constexpr Vec3 kGrasped = {0.064, 0, 0};
constexpr double kLowestGrip = 0.832;
constexpr double kFarthestWrist = 1.9;  // from its neutral angle

/// Fingers across the handle.
double grasp_angle(const Task& task) {
  return nearest_angle(yaw_of(task.body(kNut).rotation) + std::numbers::pi / 2, std::numbers::pi,
                       closing_angle(task.grip().rotation));
}

Pose above_nut_handle(const Task& task, double height) {
  return {task.body(kNut) * kGrasped + Vec3{0, 0, height}, pointing_down(grasp_angle(task))};
}

/// The least turn that leaves the handle to a side or towards the robot; beyond the peg the hand
/// would not reach.
double nut_yaw(const Task& task) {
  const double now = yaw_of(task.body(kNut).rotation),
               wrist = closing_angle(task.grip().rotation) - std::numbers::pi / 2;
  double best = now, least = 1e9;
  for (const double yaw : {std::numbers::pi / 2, std::numbers::pi, -std::numbers::pi / 2}) {
    const double to = nearest_angle(yaw, 2 * std::numbers::pi, now), turn = std::abs(to - now);
    const double after = nearest_angle(wrist, 2 * std::numbers::pi, 0) + (to - now);
    if (turn < least && std::abs(after) < kFarthestWrist) {
      least = turn;
      best = to;
    }
  }
  return best;
}

Pose nut_at_peg(const Task& task, double height) {
  Vec3 place = task.body("peg").position;
  place[2] = height;
  return grip_for_object(task, kNut, {place, yaw_rotation(nut_yaw(task))});
}

}  // namespace

Script square_script() {
  const auto nut_at = [](double height) {
    return [height](const Task& task, const Moment&) { return nut_at_peg(task, height); };
  };
  return {
      // The nut falls.
      {.target = stay, .least_steps = 5, .most_steps = 5},
      {.target = [](const Task& task, const Moment&) { return above_nut_handle(task, 0.06); },
       .near = 0.012,
       .turned = 0.06,
       .most_steps = 70},
      {.target =
           [](const Task& task, const Moment&) {
             Pose down = above_nut_handle(task, 0);
             down.position[2] = std::max(kLowestGrip, task.body(kNut).position[2]);
             return down;
           },
       .near = 0.004,
       .turned = 0.05,
       .most_steps = 40},
      {.target = stay, .gripper = kClose, .least_steps = 10, .most_steps = 10},
      {.target = rise_to(1.02),
       .gripper = kClose,
       .near = 0.02,
       .most_steps = 40,
       .next = [](const Task& task) { return task.body(kNut).position[2] < 0.9 ? -4 : 1; }},
      {.target = nut_at(0.985), .gripper = kClose, .near = 0.004, .turned = 0.04, .most_steps = 90},
      {.target = nut_at(0.90), .gripper = kClose, .near = 0.01, .most_steps = 30},
      {.target = nut_at(0.86), .gripper = kClose, .near = 0.006, .most_steps = 30},
      {.target = stay,
       .gripper = kOpen,
       .least_steps = 15,
       .most_steps = 15,
       .next = [](const Task&) { return int64_t{-7}; }},
  };
}

}  // namespace darp
