#pragma once
// Operational-space control of the Panda's grip site: torques that pull it to a pose as if its mass
// were the same in every direction, and the elbow to a posture where that does not disturb it.
// robosuite's OSC_POSE.

#include <mujoco/mujoco.h>

#include <array>

#include "darp/env/manipulation/pose.h"

namespace darp {

inline constexpr int kArmJoints = 7;
using ArmVector = std::array<double, kArmJoints>;

class PoseController {
 public:
  /// @param model with the joints and the site of panda_arm.xml, the arm's joints first among all
  explicit PoseController(const mjModel& model);

  struct Goal {
    Pose pose;
    ArmVector posture = {};
  };

  /// The grip site.
  Pose pose(const mjData& data) const;
  /// Not limited to what motors can do. `data` has what follows from positions and velocities
  /// (mj_step1).
  ArmVector torques(const mjModel& model, mjData& data, const Goal& goal) const;

 private:
  int site_;
};

}  // namespace darp
