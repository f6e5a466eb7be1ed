#include <numbers>

#include "darp/expert/scripted/scripts.h"

namespace darp {
namespace {

using Task = ManipulationTask;
constexpr double kQuarter = std::numbers::pi / 2;
constexpr const char* kSmall = "cube_a";
constexpr const char* kLarge = "cube_b";

/// Above the small cube's centre, fingers along two of its sides.
Pose above_small(const Task& task, const Moment& moment, double height) {
  const Pose cube = task.body(kSmall);
  const double angle = grasp_angle(task, moment, yaw_of(cube.rotation), kQuarter);
  return {cube.position + Vec3{0, 0, height}, pointing_down(angle)};
}

/// The small cube above the large one's centre, sides along sides.
Pose small_above_large(const Task& task, double height) {
  const Pose small = task.body(kSmall), large = task.body(kLarge);
  const double yaw = nearest_angle(yaw_of(large.rotation), kQuarter, yaw_of(small.rotation));
  return grip_for_object(task, kSmall, {large.position + Vec3{0, 0, height}, yaw_rotation(yaw)});
}

}  // namespace

Script stack_script() {
  return {
      {.target = [](const Task& task,
                    const Moment& moment) { return above_small(task, moment, 0.08); },
       .near = 0.012,
       .turned = 0.06},
      {.target = [](const Task& task,
                    const Moment& moment) { return above_small(task, moment, 0); },
       .near = 0.006,
       .most_steps = 40},
      {.target = stay, .gripper = kClose, .least_steps = 10, .most_steps = 10},
      {.target = rise_to(0.94),
       .gripper = kClose,
       .near = 0.02,
       .most_steps = 30,
       .next = [](const Task& task) { return task.body(kSmall).position[2] < 0.85 ? -3 : 1; }},
      {.target = [](const Task& task, const Moment&) { return small_above_large(task, 0.095); },
       .gripper = kClose,
       .near = 0.008,
       .turned = 0.08},
      {.target = [](const Task& task, const Moment&) { return small_above_large(task, 0.049); },
       .gripper = kClose,
       .near = 0.006,
       .most_steps = 40},
      {.target = stay, .gripper = kOpen, .least_steps = 10, .most_steps = 10},
      {.target =
           [](const Task&, const Moment& moment) {
             return Pose{moment.entry.position + Vec3{0, 0, 0.1}, moment.entry.rotation};
           },
       .gripper = kOpen,
       .near = 0.02,
       .next = [](const Task&) { return int64_t{-7}; }},
  };
}

}  // namespace darp
