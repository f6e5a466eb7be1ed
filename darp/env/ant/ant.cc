#include "darp/env/ant/ant.h"

#include "darp/env/ant/ant.xml.h"
#include "darp/env/mujoco/locomotion.h"

namespace darp {
namespace {

// The force and torque on each body, which gym's version leaves at zero under MuJoCo 2.
std::vector<std::string> contact_names(const mjModel& model) {
  std::vector<std::string> names;
  for (int body = 0; body < model.nbody; ++body)
    for (const char* kind : {"torque", "force"})
      for (const char axis : {'x', 'y', 'z'})
        names.push_back(
            fmt::format("contact {} {} on {}", kind, axis, mj_id2name(&model, mjOBJ_BODY, body)));
  return names;
}

std::vector<std::string> joint_names(std::initializer_list<int> legs, std::string_view what) {
  std::vector<std::string> names;
  for (const int leg : legs)
    for (const char* joint : {"hip", "ankle"})
      names.push_back(fmt::format("{} {} {}", joint, leg, what));
  return names;
}

std::vector<std::string> joined(std::vector<std::string> names, std::vector<std::string> more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

}  // namespace

bool ant_stands(std::span<const double> qpos, std::span<const double>) {
  return qpos[2] >= 0.2 && qpos[2] <= 1.0;
}

std::unique_ptr<Environment> make_ant(const AntSettings& settings) {
  static const std::shared_ptr<const mjModel> model = compile_mjcf("ant", kAntXml);
  return std::make_unique<LocomotionTask>(
      Locomotion{
          .name = "ant",
          .title = "Four-legged robot, to run forward as fast as it can",
          .frame_skip = 5,
          .positions = joined({"torso height", "torso quaternion w", "torso quaternion x",
                               "torso quaternion y", "torso quaternion z"},
                              joint_names({1, 2, 3, 4}, "angle")),
          .velocities = joined({"velocity x", "velocity y", "velocity z", "angular velocity x",
                                "angular velocity y", "angular velocity z"},
                               joint_names({1, 2, 3, 4}, "velocity")),
          .zeros = settings.contact_forces ? contact_names(*model) : std::vector<std::string>{},
          // The motors' order is gym's and not that of the joints.
          .actions = joint_names({4, 1, 2, 3}, "torque"),
          .noise = 0.1,
          .normal_velocities = true,
          .torso_position = true,
          .reward = [](double speed, double effort) { return speed - 0.5 * effort + 1.0; },
          .alive = ant_stands,
          .scale = {.random = -325.6, .expert = 3879.7}},
      model);
}

}  // namespace darp
