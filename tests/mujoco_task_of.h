#pragma once
// What tests of MuJoCo tasks do to them from inside.

#include <gtest/gtest.h>

#include <cmath>

#include "darp/env/mujoco/mujoco_task.h"
#include "tests/observation_of.h"

namespace darp {

/// A MuJoCo task, to set its state.
inline MujocoTask& mujoco_task_of(Environment& environment) {
  return dynamic_cast<MujocoTask&>(environment);
}

/// Its simulation, to look at.
inline const MujocoSimulation& simulation_of(const Environment& environment) {
  return dynamic_cast<const MujocoTask&>(environment).simulation();
}

/// The model's own pose, at rest.
inline void set_reference_pose(Environment& environment) {
  const mjModel& model = simulation_of(environment).model();
  mujoco_task_of(environment)
      .set_state({model.qpos0, static_cast<size_t>(model.nq)},
                 std::vector<double>(static_cast<size_t>(model.nv)));
}

/// Equal in nine significant digits.
inline void expect_nine_digits(std::span<const double> got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i],
                std::pow(10.0, std::floor(std::log10(std::abs(expected[i]))) - 8))
        << "entry " << i;
}

/// Five steps from the reference pose, with actions of +0.5 and -0.5 in turn: positions and
/// velocities that the physics of the literature ends in.
inline void expect_known_motion(Environment& environment, const std::vector<double>& qpos,
                                const std::vector<double>& qvel) {
  environment.reset(0);
  set_reference_pose(environment);
  std::vector<float> action(environment.info().actions.dim());
  for (size_t i = 0; i < action.size(); ++i) action[i] = i % 2 == 0 ? 0.5f : -0.5f;
  for (int step = 0; step < 5; ++step) environment.step(action);
  expect_nine_digits(simulation_of(environment).qpos(), qpos);
  expect_nine_digits(simulation_of(environment).qvel(), qvel);
}

}  // namespace darp
