#include "darp/expert/scripted/script.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "darp/core/error.h"

namespace darp {

const ManipulationTask& arm_task(const Environment& environment, std::string_view expert) {
  const auto* task = dynamic_cast<const ManipulationTask*>(&environment.task());
  if (task == nullptr)
    throw Error(fmt::format("expert {}", expert),
                fmt::format("does not know {}", environment.info().name), "use another expert");
  return *task;
}

Pose stay(const ManipulationTask&, const Moment& moment) {
  return moment.entry;
}

Target rise_to(double height) {
  return [height](const ManipulationTask&, const Moment& moment) {
    Pose up = moment.entry;
    up.position[2] = height;
    return up;
  };
}

Pose grip_for_object(const ManipulationTask& task, const std::string& object, const Pose& wanted) {
  return wanted * (inverse(task.body(object)) * task.grip());
}

Mat3 pointing_down(double angle) {
  const Vec3 x = {std::cos(angle), std::sin(angle), 0}, z = {0, 0, -1};
  return from_columns(x, cross(z, x), z);
}

double closing_angle(const Mat3& grip) {
  const Vec3 x = grip.column(0);
  return std::atan2(x[1], x[0]);
}

double grasp_angle(const ManipulationTask& task, const Moment& moment, double angle,
                   double period) {
  constexpr double kAtFirst = std::numbers::pi / 2;  // of hands that begin above a table
  const double near = moment.side ? kAtFirst + *moment.side : closing_angle(task.grip().rotation);
  return nearest_angle(angle, period, near);
}

double yaw_of(const Mat3& rotation) {
  return std::atan2(rotation(1, 0), rotation(0, 0));
}

double nearest_angle(double angle, double period, double to) {
  return angle + period * std::round((to - angle) / period);
}

void servo(const Pose& now, const Pose& target, std::span<float> action) {
  const Vec3 step = (1 / ManipulationTask::kFarthestStep) * (target.position - now.position);
  const Vec3 turn =
      (1 / ManipulationTask::kLargestTurn) * turn_of(target.rotation * transposed(now.rotation));
  for (int i = 0; i < 3; ++i) {
    action[i] = static_cast<float>(std::clamp(step[i], -1.0, 1.0));
    action[3 + i] = static_cast<float>(std::clamp(turn[i], -1.0, 1.0));
  }
}

}  // namespace darp
