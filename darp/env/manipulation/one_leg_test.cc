#include <gtest/gtest.h>

#include "darp/env/manipulation/table_tasks.h"
#include "tests/arm_tasks.h"

namespace darp {
namespace {

const std::vector<float> kNothing(7);
constexpr double kPerTurn = 0.021;

Pose leg_at_seat(const Environment& environment, const Vec3& off, const Mat3& turned = {}) {
  return as_task(environment).body("top") * Pose{kLegSeat + off, turned};
}

/// A leg whose stud is a little in the hole, one step later.
const ManipulationTask& with_leg_in_hole(Environment& environment, const Vec3& off, double yaw) {
  environment.reset(1);
  const ManipulationTask& task =
      with_body_at(&environment, "leg", leg_at_seat(environment, off, yaw_rotation(yaw)));
  environment.step(kNothing);
  return task;
}

bool in_thread(const Environment& environment) {
  const mjModel& model = as_task(environment).simulation().model();
  return model.eq_active[mj_name2id(&model, mjOBJ_EQUALITY, "screwed")] != 0;
}

TEST(OneLeg, StartsOnItsSide) {
  const auto environment = make_one_leg();
  const ManipulationTask& task = as_task(*environment);
  Spread x, y, turn;
  for (uint64_t seed = 0; seed < 10'000; ++seed) {
    environment->reset(seed);
    const Pose leg = task.body("leg");
    x.add(leg.position[0]);
    y.add(leg.position[1]);
    const Vec3 axis = leg.rotation.column(2);
    EXPECT_NEAR(axis[2], 0, 1e-12);
    turn.add(std::atan2(axis[1], axis[0]));
    ASSERT_FALSE(task.succeeded());
  }
  expect_uniform(x, -0.1, -0.02, "x");
  expect_uniform(y, -0.23, -0.13, "y");
  expect_uniform(turn, std::numbers::pi / 4, 3 * std::numbers::pi / 4, "yaw");
  EXPECT_EQ(environment->info().observations.dim(), 23);
  const mjModel& model = task.simulation().model();
  EXPECT_NEAR(model.body_mass[mj_name2id(&model, mjOBJ_BODY, "leg")], 0.0251, 2e-4);
  // It lies still there: nothing is in its way.
  for (uint64_t seed = 0; seed < 50; ++seed) {
    environment->reset(seed);
    const Vec3 before = task.body("leg").position;
    for (int i = 0; i < 10; ++i) environment->step(kNothing);
    EXPECT_LT(length(task.body("leg").position - before), 0.001) << seed;
  }
}

TEST(OneLeg, IsDoneWhenTheLegIsInItsSeat) {
  const auto environment = make_one_leg();
  environment->reset(3);
  const auto done = [&](const Vec3& off, const Mat3& turned) {
    return with_body_at(environment, "leg", leg_at_seat(*environment, off, turned)).succeeded();
  };
  EXPECT_TRUE(done({0, 0, 0}, {}));
  EXPECT_TRUE(done({0.0049, -0.0049, 0.0049}, {}));
  EXPECT_FALSE(done({0.0051, 0, 0}, {}));
  EXPECT_FALSE(done({0, -0.0051, 0}, {}));
  EXPECT_FALSE(done({0, 0, 0.0051}, {}));
  // Within 20 degrees, of any of the four ways in which a square leg may stand.
  for (int quarter = 0; quarter < 4; ++quarter) {
    EXPECT_TRUE(done({}, yaw_rotation(quarter * std::numbers::pi / 2 + 0.34)));
    EXPECT_FALSE(done({}, yaw_rotation(quarter * std::numbers::pi / 2 + 0.36)));
  }
  EXPECT_FALSE(done({}, rotation_of(Vec3{0.36, 0, 0})));
  EXPECT_FALSE(done({}, rotation_of(Vec3{std::numbers::pi, 0, 0})));
}

TEST(OneLeg, TheThreadTakesWhatIsStraightInTheHole) {
  const auto environment = make_one_leg();
  const auto taken = [&](const Vec3& off, const Mat3& tilt = {}) {
    environment->reset(1);
    with_body_at(environment, "leg", leg_at_seat(*environment, off, tilt));
    environment->step(kNothing);
    environment->step(kNothing);
    return in_thread(*environment);
  };
  EXPECT_TRUE(taken({0, 0, 0.018}));
  EXPECT_TRUE(taken({0.0006, 0, 0.018}));
  EXPECT_FALSE(taken({0, 0, 0.2})) << "above the hole";
  EXPECT_FALSE(taken({0.03, 0, 0.028})) << "beside it";
  EXPECT_FALSE(taken({0, 0, 0.018}, rotation_of(Vec3{0.3, 0, 0}))) << "not straight";
  // With the next episode it lets go.
  EXPECT_TRUE(taken({0, 0, 0.018}));
  environment->reset(2);
  EXPECT_FALSE(in_thread(*environment));
}

TEST(OneLeg, GoesDownAsItIsTurnedAndNotByItself) {
  const auto environment = make_one_leg();
  const ManipulationTask& task = with_leg_in_hole(*environment, {0, 0, 0.018}, 0.4);
  const auto height = [&] {
    return task.body("leg").position[2] - leg_at_seat(task, {}).position[2];
  };
  const double begun = height();
  for (int i = 0; i < 100; ++i) environment->step(kNothing);
  ASSERT_TRUE(in_thread(*environment));
  EXPECT_NEAR(height(), begun, 5e-4);
  EXPECT_NEAR(begun, 0.018, 5e-4);
  EXPECT_NEAR(yaw(task, "leg"), 0.4, 0.02);

  // Turned by hand: where the thread is, the leg is too.
  const MujocoSimulation& simulation = task.simulation();
  const mjModel& model = simulation.model();
  std::vector<double> qvel(simulation.qvel().size());
  const auto dof = [&](const char* joint) {
    return model.jnt_dofadr[mj_name2id(&model, mjOBJ_JOINT, joint)];
  };
  const double high = task.joint("thread_depth"), turn = task.joint("thread_turn");
  for (int i = 0; i < 12; ++i) {
    std::ranges::fill(qvel, 0.0);
    qvel[dof("thread_turn")] = -20;
    qvel[dof("leg") + 5] = -20;
    dynamic_cast<ManipulationTask&>(*environment).set_state(simulation.qpos(), qvel);
    environment->step(kNothing);
  }
  const double turned = task.joint("thread_turn") - turn;
  EXPECT_LT(turned, -0.5);
  EXPECT_NEAR(task.joint("thread_depth") - high, kPerTurn * turned / (2 * std::numbers::pi), 4e-4);
  EXPECT_NEAR(height(), task.joint("thread_depth"), 5e-4);
  EXPECT_NEAR(std::remainder(yaw(task, "leg") - task.joint("thread_turn"), 2 * std::numbers::pi), 0,
              0.03);
}

/// MuJoCo keeps active constraints in the model: two environments must not share it, and what was
/// saved in one must go on in the other.
TEST(OneLeg, EachHasAThreadOfItsOwn) {
  const auto one = make_one_leg(), other = make_one_leg();
  other->reset(5);
  with_leg_in_hole(*one, {0, 0, 0.018}, 0.4);
  one->step(kNothing);
  other->step(kNothing);
  EXPECT_TRUE(in_thread(*one));
  EXPECT_FALSE(in_thread(*other));
  std::vector<double> saved;
  one->save(saved);
  other->restore(saved);
  const std::vector<float> push = {0.3f, -0.2f, -1, 0, 0.4f, 1, 1};
  for (int i = 0; i < 20; ++i) {
    one->step(push);
    other->step(push);
  }
  EXPECT_TRUE(in_thread(*other));
  std::vector<double> first, second;
  one->save(first);
  other->save(second);
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace darp
