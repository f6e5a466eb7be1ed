#include "darp/env/half_cheetah/half_cheetah.h"

#include "darp/env/half_cheetah/half_cheetah.xml.h"
#include "darp/env/mujoco/locomotion.h"

namespace darp {

std::unique_ptr<Environment> make_half_cheetah() {
  static const std::shared_ptr<const mjModel> model = compile_mjcf("half_cheetah", kHalfCheetahXml);
  return std::make_unique<LocomotionTask>(
      Locomotion{
          .name = "half_cheetah",
          .title = "Half of a cheetah, to run forward as fast as it can",
          .frame_skip = 5,
          .positions = {"torso height above 0.7", "torso pitch", "back thigh angle",
                        "back shin angle", "back foot angle", "front thigh angle",
                        "front shin angle", "front foot angle"},
          .velocities = {"forward velocity", "upward velocity", "pitch velocity",
                         "back thigh velocity", "back shin velocity", "back foot velocity",
                         "front thigh velocity", "front shin velocity", "front foot velocity"},
          .actions = {"back thigh torque", "back shin torque", "back foot torque",
                      "front thigh torque", "front shin torque", "front foot torque"},
          .noise = 0.1,
          .normal_velocities = true,
          .reward = [](double speed, double effort) { return -0.1 * effort + speed; },
          .alive = [](std::span<const double>, std::span<const double>) { return true; },
          .scale = {.random = -280.178953, .expert = 12135.0}},
      model);
}

}  // namespace darp
