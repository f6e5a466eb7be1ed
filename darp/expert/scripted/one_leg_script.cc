#include <algorithm>
#include <cmath>
#include <numbers>

#include "darp/env/manipulation/table_tasks.h"
#include "darp/expert/scripted/scripts.h"

namespace darp {
namespace {

using Task = ManipulationTask;
constexpr const char* kLeg = "leg";
constexpr double kQuarterTurn = std::numbers::pi / 2;

/// Towards the leg's free end: the hand has room above the table top when the leg stands in it.
constexpr Vec3 kTaken = {0, 0, 0.012};
constexpr double kHandDown = kQuarterTurn;  // the closing angle of a wrist that is not turned
/// A stroke turns the wrist from about the one to the other of that.
constexpr double kStrokeBegins = kHandDown + 1.3, kStrokeEnds = kHandDown - 1.75;
constexpr double kTurnPerStep = 0.12;  // radians
/// Where a hand that holds the leg upright points, seen from above: straight ahead of the robot the
/// wrist would be at its end.
constexpr double kAhead = 0.6;

/// The direction from the stud to the leg's free end, seen from above.
double lying_angle(const Task& task) {
  const Vec3 axis = task.body(kLeg).rotation.column(2);
  return std::atan2(axis[1], axis[0]);
}

/// Fingers across the lying leg.
Pose above_leg(const Task& task, double height) {
  const double angle = nearest_angle(lying_angle(task) + kQuarterTurn, std::numbers::pi,
                                     closing_angle(task.grip().rotation));
  return {task.body(kLeg) * kTaken + Vec3{0, 0, height}, pointing_down(angle)};
}

/// The leg upright, its stud down.
Pose upright_leg(const Task& task, const Vec3& place) {
  const Vec3 approach = transposed(task.body(kLeg).rotation) * task.grip().rotation.column(2);
  const double yaw = kAhead - std::atan2(approach[1], approach[0]);
  return grip_for_object(task, kLeg, {place, yaw_rotation(yaw)});
}

Target leg_above_hole(double height) {
  return [height](const Task& task, const Moment&) {
    return upright_leg(task, task.body("top") * (kLegSeat + Vec3{0, 0, height}));
  };
}

/// Above the leg that stands, fingers along its sides.
Pose on_leg(const Task& task, double angle, double height) {
  return {task.body(kLeg) * Vec3{0, 0, height}, pointing_down(angle)};
}

/// Before a stroke: turned the other way. By less than half a turn at a time, or else it might be
/// the wrong one.
double begin_of_stroke(const Task& task) {
  const double now =
      nearest_angle(closing_angle(task.grip().rotation), 2 * std::numbers::pi, kHandDown);
  const double begin = nearest_angle(yaw_of(task.body(kLeg).rotation), kQuarterTurn, kStrokeBegins);
  return now + std::clamp(begin - now, -kQuarterTurn, kQuarterTurn);
}

bool in_thread(const Task& task) {
  const Vec3 off = task.body(kLeg).position - task.body("top") * kLegSeat;
  return std::hypot(off[0], off[1]) < 0.003 && off[2] < 0.021;
}

}  // namespace

Script one_leg_script() {
  const auto at_leg = [](double height) {
    return [height](const Task& task, const Moment&) { return above_leg(task, height); };
  };
  const auto turned = [](double height) {
    return [height](const Task& task, const Moment&) {
      return on_leg(task, begin_of_stroke(task), height);
    };
  };
  return {
      {.target = at_leg(0.08), .near = 0.012, .turned = 0.06, .most_steps = 70},
      {.target = at_leg(0), .near = 0.004, .most_steps = 40},
      {.target = stay, .gripper = kClose, .least_steps = 10, .most_steps = 10},
      {.target = rise_to(1.0),
       .gripper = kClose,
       .near = 0.02,
       .most_steps = 40,
       .next = [](const Task& task) { return task.body(kLeg).position[2] < 0.9 ? -3 : 1; }},
      // Upright where there is room, then to the hole.
      {.target =
           [](const Task& task, const Moment&) {
             return upright_leg(task, {0, -0.05, 1.05});
           },
       .gripper = kClose,
       .near = 0.03,
       .turned = 0.1,
       .most_steps = 90},
      {.target = leg_above_hole(0.06),
       .gripper = kClose,
       .near = 0.002,
       .turned = 0.03,
       .most_steps = 60},
      {.target =
           [](const Task& task, const Moment& moment) {
             const double height = 0.06 - 0.003 * static_cast<double>(moment.step);
             return leg_above_hole(std::max(height, 0.012))(task, moment);
           },
       .gripper = kClose,
       .until = in_thread,
       .most_steps = 40,
       .next = [](const Task& task) { return in_thread(task) ? 1 : -1; }},
      {.target = stay, .least_steps = 8, .most_steps = 8},
      // Back, then up and above.
      {.target =
           [](const Task&, const Moment& moment) {
             return Pose{moment.entry.position - 0.09 * moment.entry.rotation.column(2),
                         moment.entry.rotation};
           },
       .near = 0.02},
      // Down again the way it came up, or else the wrist would go to its end.
      {.target =
           [](const Task&, const Moment& moment) {
             const double angle = closing_angle(moment.entry.rotation) + kQuarterTurn;
             return Pose{{0.02, 0, 1.0}, pointing_down(angle)};
           },
       .near = 0.05,
       .turned = 0.2,
       .most_steps = 70},
      {.target = turned(0.12), .near = 0.02, .turned = 0.2, .most_steps = 90},
      {.target = turned(0.018), .near = 0.005, .turned = 0.05},
      {.target = stay, .gripper = kClose, .least_steps = 8, .most_steps = 8},
      {.target =
           [](const Task& task, const Moment& moment) {
             const double by = kTurnPerStep * static_cast<double>(moment.step + 1);
             return on_leg(task, std::max(closing_angle(moment.entry.rotation) - by, kStrokeEnds),
                           0.018);
           },
       .gripper = kClose,
       .until =
           [](const Task& task) {
             return std::abs(closing_angle(task.grip().rotation) - kStrokeEnds) < 0.1;
           },
       .most_steps = 60},
      {.target = stay, .least_steps = 8, .most_steps = 8},
      {.target =
           [](const Task&, const Moment& moment) {
             return Pose{moment.entry.position + Vec3{0, 0, 0.04}, moment.entry.rotation};
           },
       .near = 0.015,
       .next = [](const Task&) { return int64_t{-5}; }},
  };
}

}  // namespace darp
