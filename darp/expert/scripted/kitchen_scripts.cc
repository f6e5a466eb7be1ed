#include <algorithm>
#include <cmath>
#include <numbers>

#include "darp/env/manipulation/kitchen_tasks.h"
#include "darp/expert/scripted/scripts.h"

namespace darp {
namespace {

using Task = ManipulationTask;

/// Where the robot's side of the drawer is, as seen from its middle.
double robot_side(const Task& task) {
  return task.base().position[1] > 0 ? 1 : -1;
}

/// Before the drawer's handle, on the robot's side of its middle; the hand's long side along the
/// handle.
Pose before_handle(const Task& task, double away, double height) {
  const double handle = task.body("drawer").position[0] - kDrawerHandle;
  const double angle =
      nearest_angle(std::numbers::pi / 2, std::numbers::pi, closing_angle(task.grip().rotation));
  return {{handle - away, 0.03 * robot_side(task), height}, pointing_down(angle)};
}

/// Fingers towards the wall and a little down, which keeps the wrist from its limit; `roll` turns
/// them about that way, 0 has them close sideways.
Mat3 pointing_forward(double roll) {
  constexpr double kDown = 0.25;
  return rotation_of(Vec3{0, kDown, 0}) * rotation_of(Vec3{roll, 0, 0}) *
         from_columns({0, 1, 0}, {0, 0, 1}, {1, 0, 0});
}

/// The hand on edge: its long side upright.
Mat3 pointing_forward_upright() {
  return from_columns({0, 0, -1}, {0, 1, 0}, {1, 0, 0});
}

/// On the door's line from its hinge, `outside` before its outer face, as if it were at `angle`.
Vec3 at_door(const Task& task, double angle, double radius, double outside, double height) {
  const Vec3 hinge = task.body("door").position;
  const Vec3 along = {std::sin(angle), -std::cos(angle), 0},
             out = {-std::cos(angle), -std::sin(angle), 0};
  Vec3 place = hinge + radius * along + outside * out;
  place[2] = height;
  return place;
}

Target beside_door(double radius, double outside, double height) {
  return [=](const Task& task, const Moment&) {
    return Pose{at_door(task, task.joint("door"), radius, outside, height),
                pointing_forward_upright()};
  };
}

/// The nearest of the rolls that are the same for gripper and knob.
double roll_for(const Task& task, double angle) {
  const Vec3 x = task.grip().rotation.column(0);
  return nearest_angle(angle, std::numbers::pi, std::atan2(x[2], x[1]));
}

Target before_knob(double away) {
  return [away](const Task& task, const Moment&) {
    const int knob = wanted_knob(task);
    const Vec3 place = task.body(fmt::format("knob_{}", knob)).position;
    return Pose{place - Vec3{away, 0, 0}, pointing_forward(roll_for(task, knob_angle(task, knob)))};
  };
}

/// Rolls the hand about the knob's axis, by 0.04 a step.
Target roll_knob(bool turn_on) {
  return [turn_on](const Task& task, const Moment& moment) {
    const Vec3 x = moment.entry.rotation.column(0);
    const double begun = std::atan2(x[2], x[1]);
    const double knob = knob_angle(task, wanted_knob(task));
    const double turned = 0.04 * static_cast<double>(moment.step + 1);
    const double way = turn_on ? 0.9 : std::numbers::pi / 2 + 0.2;
    // On is either way: that in which the wrist has more room.
    const double direction = (turn_on ? moment.wrist : knob) > 0 ? -1 : 1;
    return Pose{moment.entry.position, pointing_forward(begun + direction * std::min(turned, way))};
  };
}

Script stove_script(bool turn_on) {
  return {
      // Fingers forward first, in the open: turning on the way may take the elbow to the wrong
      // side.
      {.target =
           [](const Task& task, const Moment&) {
             const double y = task.body(fmt::format("knob_{}", wanted_knob(task))).position[1];
             return Pose{{0.5, 0.6 * y, 1.3}, pointing_forward(roll_for(task, 0))};
           },
       .near = 0.06,
       .turned = 0.3},
      {.target = before_knob(0.12), .near = 0.01, .turned = 0.06, .most_steps = 120},
      {.target = before_knob(0.004), .near = 0.006},
      {.target = stay, .gripper = kClose, .least_steps = 8, .most_steps = 8},
      {.target = roll_knob(turn_on), .gripper = kClose, .most_steps = 70},
      {.target = stay, .least_steps = 8, .most_steps = 8},
      {.target =
           [](const Task&, const Moment& moment) {
             return Pose{moment.entry.position - Vec3{0.1, 0, 0}, moment.entry.rotation};
           },
       .near = 0.02,
       .next = [](const Task&) { return int64_t{-5}; }},
  };
}

}  // namespace

Script close_drawer_script() {
  return {
      {.target = [](const Task& task, const Moment&) { return before_handle(task, 0.1, 1.15); },
       .gripper = kClose,
       .near = 0.03,
       .turned = 0.2,
       .most_steps = 90},
      {.target = [](const Task& task, const Moment&) { return before_handle(task, 0.1, 0.785); },
       .gripper = kClose,
       .near = 0.02},
      // Pushing the handle; at the front itself the hand would meet the counter's edge.
      {.target =
           [](const Task& task, const Moment& moment) {
             Pose push = before_handle(task, 0, 0.785);
             push.position[0] =
                 moment.entry.position[0] + 0.012 * static_cast<double>(moment.step + 1);
             return push;
           },
       .gripper = kClose,
       .most_steps = 150},
  };
}

Script close_door_script() {
  constexpr double kRadius = 0.32, kBelow = 1.24, kLowerHalf = 1.54;
  return {
      {.target =
           [](const Task& task, const Moment&) {
             return Pose{task.base() * Vec3{0.22, 0.15, 1.22 - 0.7}, pointing_forward_upright()};
           },
       .gripper = kClose,
       .near = 0.04,
       .turned = 0.3,
       .most_steps = 90},
      {.target = beside_door(kRadius, 0.16, kBelow), .gripper = kClose, .near = 0.03},
      {.target = beside_door(kRadius, 0.14, kLowerHalf), .gripper = kClose, .near = 0.03},
      // The door's angle that is aimed at falls to less than none.
      {.target =
           [](const Task& task, const Moment& moment) {
             const double begun = -std::numbers::pi / 2;
             const double angle =
                 std::min(begun + 0.025 * static_cast<double>(moment.step + 1), 0.35);
             return Pose{at_door(task, angle, kRadius, 0.04, kLowerHalf),
                         pointing_forward_upright()};
           },
       .gripper = kClose,
       .most_steps = 150},
  };
}

Script turn_on_stove_script() {
  return stove_script(true);
}

Script turn_off_stove_script() {
  return stove_script(false);
}

}  // namespace darp
