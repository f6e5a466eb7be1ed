#include "darp/env/manipulation/table_tasks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "darp/env/manipulation/table_scene.h"
#include "tests/arm_tasks.h"

namespace darp {
namespace {

constexpr double kPi = std::numbers::pi;

constexpr int kStarts = 10'000;

TEST(Stack, StartsAsPublished) {
  const auto environment = make_stack();
  const ManipulationTask& task = as_task(*environment);
  Spread ax, ay, bx, turn_a, turn_b, joints[kArmJoints];
  double nearest = 1;
  for (uint64_t seed = 0; seed < kStarts; ++seed) {
    environment->reset(seed);
    const Vec3 a = task.body("cube_a").position, b = task.body("cube_b").position;
    EXPECT_EQ(a[2], 0.83);
    EXPECT_EQ(b[2], 0.835);
    ax.add(a[0]);
    ay.add(a[1]);
    bx.add(b[0]);
    turn_a.add(yaw(task, "cube_a"));
    turn_b.add(yaw(task, "cube_b"));
    nearest = std::min(nearest, std::hypot(a[0] - b[0], a[1] - b[1]));
    for (int i = 0; i < kArmJoints; ++i)
      joints[i].add(task.simulation().qpos()[i] - kTablePosture[i]);
    ASSERT_FALSE(task.succeeded());
  }
  expect_uniform(ax, -0.08, 0.08, "A's x");
  expect_uniform(ay, -0.08, 0.08, "A's y");
  expect_uniform(turn_a, 0, 2 * kPi, "A's yaw");
  expect_uniform(turn_b, 0, 2 * kPi, "B's yaw");
  EXPECT_GE(bx.low, -0.08);
  EXPECT_LE(bx.high, 0.08);
  EXPECT_GE(nearest, 0.0636);
  EXPECT_LT(nearest, 0.0650);
  for (const Spread& joint : joints) {
    EXPECT_NEAR(joint.mean(), 0, 0.001);
    EXPECT_NEAR(joint.deviation(), 0.02, 0.0006);
  }
}

TEST(Square, StartsAsPublished) {
  const auto environment = make_square();
  const ManipulationTask& task = as_task(*environment);
  Spread x, y, turn;
  for (uint64_t seed = 0; seed < kStarts; ++seed) {
    environment->reset(seed);
    const Vec3 nut = task.body("nut").position;
    EXPECT_EQ(nut[2], 0.89);
    x.add(nut[0]);
    y.add(nut[1]);
    turn.add(yaw(task, "nut"));
  }
  expect_uniform(x, -0.115, -0.11, "x");
  expect_uniform(y, 0.11, 0.225, "y");
  expect_uniform(turn, 0, 2 * kPi, "yaw");
  const mjModel& model = task.simulation().model();
  EXPECT_NEAR(model.body_mass[mj_name2id(&model, mjOBJ_BODY, "nut")], 0.0158, 2e-4);
}

TEST(Threading, StartsAsPublishedAndSettles) {
  const auto environment = make_threading();
  const ManipulationTask& task = as_task(*environment);
  Spread x, y, turn;
  for (uint64_t seed = 0; seed < kStarts; ++seed) {
    environment->reset(seed);
    const Vec3 needle = task.body("needle").position;
    EXPECT_EQ(needle[2], 0.82);
    x.add(needle[0]);
    y.add(needle[1]);
    turn.add(yaw(task, "needle") - 2 * kPi);
    EXPECT_NEAR(yaw(task, "tripod"), kPi / 2, 1e-12);
  }
  expect_uniform(x, -0.2, -0.05, "x");
  expect_uniform(y, 0.15, 0.25, "y");
  expect_uniform(turn, -2 * kPi / 3, -kPi / 3, "yaw");
  for (int i = 0; i < 20; ++i) environment->step(std::vector<float>(7));
  EXPECT_NEAR(task.body("tripod").position[2], 0.896, 0.001);
  EXPECT_NEAR((task.body("tripod") * kTripodRing)[2], 0.984, 0.001);
  const mjModel& model = task.simulation().model();
  EXPECT_NEAR(model.body_mass[mj_name2id(&model, mjOBJ_BODY, "needle")], 0.0076, 1e-4);
  EXPECT_NEAR(model.body_mass[mj_name2id(&model, mjOBJ_BODY, "tripod")], 0.018, 1e-3);
}

TEST(TableTasks, ShowWhatPoliciesOfThePaperSee) {
  EXPECT_EQ(make_stack()->info().observations.dim(), 32);
  EXPECT_EQ(make_square()->info().observations.dim(), 23);
  EXPECT_EQ(make_threading()->info().observations.dim(), 37);
  const auto environment = make_stack();
  const ManipulationTask& task = as_task(*environment);
  environment->reset(5);
  std::vector<float> seen(32);
  environment->observe(seen);
  const Vec3 a = task.body("cube_a").position, b = task.body("cube_b").position,
             grip = task.grip().position;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FLOAT_EQ(seen[i], static_cast<float>(grip[i]));
    EXPECT_FLOAT_EQ(seen[9 + i], static_cast<float>(a[i]));
    EXPECT_FLOAT_EQ(seen[16 + i], static_cast<float>(b[i]));
    EXPECT_NEAR(seen[23 + i], a[i] - grip[i], 1e-6);
    EXPECT_NEAR(seen[29 + i], b[i] - a[i], 1e-6);
  }
  // x, y, z, w of a cube that is turned about z.
  EXPECT_NEAR(seen[12], 0, 1e-6);
  EXPECT_NEAR(std::hypot(seen[14], seen[15]), 1, 1e-6);
}

TEST(Stack, IsDoneWhenTheSmallCubeLiesOnTheLargeOne) {
  const auto environment = make_stack();
  environment->reset(3);
  Pose large = as_task(*environment).body("cube_b");
  large.position[2] = 0.825;
  with_body_at(environment, "cube_b", large);
  const auto with_small_above = [&](double gap) {
    const Pose small{large.position + Vec3{0, 0, 0.045 + gap}, large.rotation};
    return with_body_at(environment, "cube_a", small).succeeded();
  };
  EXPECT_TRUE(with_small_above(-0.0002));
  EXPECT_FALSE(with_small_above(0.02)) << "apart";
  // Beside it they may touch too.
  const Pose beside{large.position + large.rotation * Vec3{0.0449, 0, 0}, large.rotation};
  EXPECT_FALSE(with_body_at(environment, "cube_a", beside).succeeded());
}

TEST(Square, IsDoneWhenTheNutIsOnThePeg) {
  const auto environment = make_square();
  environment->reset(3);
  EXPECT_TRUE(
      with_body_at(environment, "nut", {{0.23, 0.1, 0.869}, yaw_rotation(0.3)}).succeeded());
  EXPECT_TRUE(with_body_at(environment, "nut", {{0.259, 0.071, 0.869}, {}}).succeeded());
  EXPECT_FALSE(with_body_at(environment, "nut", {{0.261, 0.1, 0.869}, {}}).succeeded());
  EXPECT_FALSE(with_body_at(environment, "nut", {{0.23, 0.069, 0.869}, {}}).succeeded());
  EXPECT_FALSE(with_body_at(environment, "nut", {{0.23, 0.1, 0.871}, {}}).succeeded());
}

TEST(Threading, IsDoneWhenTheShaftIsInTheRing) {
  const auto environment = make_threading();
  environment->reset(3);
  const Vec3 ring = as_task(*environment).body("tripod") * kTripodRing;
  const auto with_shaft_at = [&](const Vec3& middle) {
    return with_body_at(environment, "needle", {middle - kNeedleShaft, {}}).succeeded();
  };
  EXPECT_TRUE(with_shaft_at(ring));
  EXPECT_TRUE(with_shaft_at(ring + Vec3{0, 0.0119, 0}));
  EXPECT_FALSE(with_shaft_at(ring + Vec3{0, 0.0121, 0}));
}

}  // namespace
}  // namespace darp
