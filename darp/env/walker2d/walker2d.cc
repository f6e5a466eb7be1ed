#include "darp/env/walker2d/walker2d.h"

#include "darp/env/mujoco/locomotion.h"
#include "darp/env/walker2d/walker2d.xml.h"

namespace darp {

bool walker2d_stands(std::span<const double> qpos, std::span<const double>) {
  return qpos[1] > 0.8 && qpos[1] < 2.0 && qpos[2] > -1.0 && qpos[2] < 1.0;
}

std::unique_ptr<Environment> make_walker2d() {
  static const std::shared_ptr<const mjModel> model = compile_mjcf("walker2d", kWalker2dXml);
  return std::make_unique<LocomotionTask>(
      Locomotion{.name = "walker2d",
                 .title = "Two-legged robot, to walk forward as fast as it can",
                 .frame_skip = 4,
                 .positions = {"torso height", "torso pitch", "right thigh angle",
                               "right leg angle", "right foot angle", "left thigh angle",
                               "left leg angle", "left foot angle"},
                 .velocities = {"forward velocity", "upward velocity", "pitch velocity",
                                "right thigh velocity", "right leg velocity", "right foot velocity",
                                "left thigh velocity", "left leg velocity", "left foot velocity"},
                 .actions = {"right thigh torque", "right leg torque", "right foot torque",
                             "left thigh torque", "left leg torque", "left foot torque"},
                 .velocity_limit = 10,
                 .noise = 0.005,
                 .reward = [](double speed, double effort) { return speed + 1.0 - 1e-3 * effort; },
                 .alive = walker2d_stands,
                 .scale = {.random = 1.629008, .expert = 4592.3}},
      model);
}

}  // namespace darp
