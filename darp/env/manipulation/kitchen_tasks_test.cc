#include "darp/env/manipulation/kitchen_tasks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "darp/env/manipulation/manipulation_task.h"

namespace darp {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kStarts = 300;  // each lets objects settle for half a second

const ManipulationTask& kitchen_task(const Environment& environment) {
  return dynamic_cast<const ManipulationTask&>(environment.task());
}

/// A joint somewhere, all else as it is.
bool succeeds_at(Environment& environment, const std::string& joint, double place) {
  auto& task = dynamic_cast<ManipulationTask&>(environment);
  const MujocoSimulation& simulation = kitchen_task(environment).simulation();
  const mjModel& model = simulation.model();
  std::vector<double> qpos(simulation.qpos().begin(), simulation.qpos().end());
  qpos[model.jnt_qposadr[mj_name2id(&model, mjOBJ_JOINT, joint.c_str())]] = place;
  task.set_state(qpos, std::vector<double>(simulation.qvel().size()));
  return task.succeeded();
}

TEST(CloseDrawer, StartsOpenOnEitherSideWithTheItemInIt) {
  const auto environment = make_close_drawer();
  const ManipulationTask& task = kitchen_task(*environment);
  EXPECT_EQ(environment->info().observations.dim(), 23);
  int left = 0;
  double least = 0, most = -1;
  for (uint64_t seed = 0; seed < kStarts; ++seed) {
    environment->reset(seed);
    const double place = task.joint("drawer");
    least = std::min(least, place);
    most = std::max(most, place);
    const Vec3 base = task.base().position, item = task.body("item").position;
    left += base[1] > 0 ? 1 : 0;
    EXPECT_NEAR(std::abs(base[1]), 0.55, 0.03);
    EXPECT_NEAR(base[0], 0, 0.03);
    EXPECT_NEAR(item[2], 0.785 - 0.085 + 0.015 + 0.02, 0.002) << "on its bottom, seed " << seed;
    EXPECT_LT(std::abs(item[1]), 0.22);
    EXPECT_GT(item[0], kDrawerFace + place + 0.03);
    ASSERT_FALSE(task.succeeded());
  }
  EXPECT_GE(least, -0.331);
  EXPECT_LT(least, -0.325);
  EXPECT_LE(most, -0.296);
  EXPECT_GT(most, -0.302);
  EXPECT_NEAR(left, kStarts / 2, 40);
  EXPECT_TRUE(succeeds_at(*environment, "drawer", -0.0164));
  EXPECT_FALSE(succeeds_at(*environment, "drawer", -0.0166));
}

TEST(CloseDoor, StartsOpenAndEndsShut) {
  const auto environment = make_close_door();
  const ManipulationTask& task = kitchen_task(*environment);
  EXPECT_EQ(environment->info().observations.dim(), 23);
  double least = 0, most = -2;
  for (uint64_t seed = 0; seed < kStarts; ++seed) {
    environment->reset(seed);
    least = std::min(least, task.joint("door"));
    most = std::max(most, task.joint("door"));
    EXPECT_NEAR(task.body("item").position[2], 1.44, 0.002) << "on the bottom, seed " << seed;
    ASSERT_FALSE(task.succeeded());
  }
  EXPECT_GE(least, -kPi / 2 - 0.002);
  EXPECT_LT(least, -1.555);
  EXPECT_LE(most, -0.9 * kPi / 2 + 0.002);
  EXPECT_GT(most, -1.43);
  EXPECT_TRUE(succeeds_at(*environment, "door", -0.0784));
  EXPECT_FALSE(succeeds_at(*environment, "door", -0.0787));
}

TEST(Stove, StartsWithAnyKnobAndEndsWhenItIsTurned) {
  for (const bool on : {true, false}) {
    const auto environment = on ? make_turn_on_stove() : make_turn_off_stove();
    const ManipulationTask& task = kitchen_task(*environment);
    EXPECT_EQ(environment->info().observations.dim(), 12);
    std::set<int> knobs;
    int positive = 0;
    for (uint64_t seed = 0; seed < kStarts; ++seed) {
      environment->reset(seed);
      const int knob = wanted_knob(task);
      knobs.insert(knob);
      const double angle = knob_angle(task, knob);
      positive += angle > 0 ? 1 : 0;
      EXPECT_GE(std::abs(angle), on ? 0 : 0.5 - 1e-9);
      EXPECT_LE(std::abs(angle), on ? 1e-9 : kPi / 2 + 1e-9);
      ASSERT_FALSE(task.succeeded());
      std::vector<float> seen(12);
      environment->observe(seen);
      EXPECT_FLOAT_EQ(seen[10],
                      static_cast<float>(task.body(fmt::format("knob_{}", knob)).position[1]));
    }
    EXPECT_EQ(knobs.size(), size_t{kKnobs});
    EXPECT_NEAR(positive, on ? 0 : kStarts / 2, on ? kStarts : 40);
    const std::string knob = fmt::format("knob_{}", wanted_knob(task));
    for (const double place : {0.36, 3.0, 2 * kPi - 0.36, 2 * kPi + 0.36, -0.36})
      EXPECT_EQ(succeeds_at(*environment, knob, place), on) << place;
    for (const double place : {0.0, 0.34, 2 * kPi - 0.34, 2 * kPi + 0.34, -0.34})
      EXPECT_EQ(succeeds_at(*environment, knob, place), !on) << place;
  }
}

/// In a kitchen actions follow the robot's own axes.
TEST(Kitchen, ActionsTurnWithTheRobot) {
  const auto environment = make_turn_on_stove();
  const ManipulationTask& task = kitchen_task(*environment);
  environment->reset(4);
  const Vec3 before = task.grip().position, forward = task.base().rotation.column(0);
  ASSERT_GT(std::abs(forward[1]), 0.01);
  for (int i = 0; i < 6; ++i) environment->step(std::vector<float>{1, 0, 0, 0, 0, 0, 0});
  const Vec3 way = unit(task.grip().position - before);
  EXPECT_NEAR(way[1] / way[0], forward[1] / forward[0], 0.02);
  // The gripper needs ten actions from wide to closed.
  for (int i = 0; i < 20; ++i) environment->step(std::vector<float>{0, 0, 0, 0, 0, 0, -1});
  const double open = task.opening();
  environment->step(std::vector<float>{0, 0, 0, 0, 0, 0, 1});
  EXPECT_NEAR(task.simulation().data().ctrl[kArmJoints], 0.04 - 0.004, 1e-9);
  EXPECT_LT(task.opening(), open);
}

}  // namespace
}  // namespace darp
