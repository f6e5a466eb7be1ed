#include "darp/env/hopper/hopper.h"

#include <algorithm>
#include <cmath>

#include "darp/env/hopper/hopper.xml.h"
#include "darp/env/mujoco/locomotion.h"

namespace darp {

bool hopper_stands(std::span<const double> qpos, std::span<const double> qvel) {
  const auto sane = [](double value) { return std::abs(value) < 100; };
  return std::ranges::all_of(qpos.subspan(2), sane) && std::ranges::all_of(qvel, sane) &&
         qpos[1] > 0.7 && std::abs(qpos[2]) < 0.2;
}

std::unique_ptr<Environment> make_hopper() {
  static const std::shared_ptr<const mjModel> model = compile_mjcf("hopper", kHopperXml);
  return std::make_unique<LocomotionTask>(
      Locomotion{
          .name = "hopper",
          .title = "One-legged robot, to hop forward as fast as it can",
          .frame_skip = 4,
          .positions = {"torso height", "torso pitch", "thigh angle", "leg angle", "foot angle"},
          .velocities = {"forward velocity", "upward velocity", "pitch velocity", "thigh velocity",
                         "leg velocity", "foot velocity"},
          .actions = {"thigh torque", "leg torque", "foot torque"},
          .velocity_limit = 10,
          .noise = 0.005,
          .reward = [](double speed, double effort) { return speed + 1.0 - 1e-3 * effort; },
          .alive = hopper_stands,
          .scale = {.random = -20.272305, .expert = 3234.3}},
      model);
}

}  // namespace darp
