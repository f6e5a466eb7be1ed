#pragma once
// Robots that are to run along +x as fast as they can: gym's Hopper, Walker2d, HalfCheetah and Ant
// (v2) differ in the numbers below and nothing else.

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "darp/env/mujoco/mujoco_task.h"

namespace darp {

struct Locomotion {
  std::string name, title;
  /// Simulator steps that an action lasts.
  int frame_skip = 1;
  /// What is observed, in this order: the last entries of qpos, the last entries of qvel, and
  /// numbers that are always zero.
  std::vector<std::string> positions = {}, velocities = {}, zeros = {};
  std::vector<std::string> actions = {};
  /// Velocities are observed within plus and minus this; the robot's own are not limited.
  double velocity_limit = std::numeric_limits<double>::infinity();
  /// Initial positions are off by up to this, uniformly; so are the velocities, or they are normal
  /// with this standard deviation.
  double noise = 0;
  bool normal_velocities = false;
  /// Where the robot is: the torso as the integrator's last stage has it (gym asks for the body's
  /// position, which nothing updates after a step), or else qpos[0].
  bool torso_position = false;
  /// What a step is worth, from the speed in m/s and the sum of the squared actions.
  double (*reward)(double speed, double effort) = nullptr;
  /// Whether the episode goes on.
  bool (*alive)(std::span<const double> qpos, std::span<const double> qvel) = nullptr;
  ScoreScale scale;
};

/// Actions enter the reward as they come. MuJoCo itself keeps the motors' control within the
/// model's range, -1 to 1, so larger actions cost more and do no more.
class LocomotionTask final : public MujocoTask {
 public:
  LocomotionTask(Locomotion task, std::shared_ptr<const mjModel> model);

  void reset(uint64_t seed) override;
  void observe(std::span<float> observation) const override;
  void set_state(std::span<const double> qpos, std::span<const double> qvel) override;

 protected:
  Step advance(std::span<const float> action) override;

 private:
  double position() const;

  Locomotion task_;
};

}  // namespace darp
