// The arm and its controller, by the figures of robosuite's: chain, masses, and how far actions go.

#include "darp/env/manipulation/manipulation_task.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <regex>

#include "darp/core/file.h"
#include "darp/env/manipulation/table_scene.h"

namespace darp {
namespace {

namespace fs = std::filesystem;
using Action = std::vector<float>;

std::string piece(const std::string& name) {
  const MappedFile file(fs::path(DARP_SOURCE_DIR) / "darp/env/manipulation" / name);
  return std::string(as_text(file.bytes()));
}

enum class Tips { kThere, kLeftOut };

/// The arm and nothing else. The figures that it is held against are of an arm without the bodies
/// of its fingertips, whose large inertias feel the air.
std::shared_ptr<const mjModel> bare_arm(Tips tips) {
  std::string arm = piece("panda_arm.xml");
  if (tips == Tips::kLeftOut)
    arm = std::regex_replace(arm, std::regex("<body name=\"finger._tip[^]*?</body>"), "");
  const std::string common = piece("panda.xml"), table = piece("table.xml");
  const MjcfPiece pieces[] = {{"panda.xml", common}, {"panda_arm.xml", arm}, {"table.xml", table}};
  return compile_mjcf("bare",
                      "<mujoco><include file='panda.xml'/><worldbody><include file='table.xml'/>"
                      "</worldbody></mujoco>",
                      pieces);
}

class BareTask final : public ManipulationTask {
 public:
  explicit BareTask(Tips tips)
      : ManipulationTask({.name = "bare", .time_limit = 1000, .posture = kTablePosture},
                         bare_arm(tips)) {
    reset(0);
  }
  bool succeeded() const override { return false; }

 private:
  void place_objects(Rng&) override {}
  void observe_objects(std::vector<double>&) const override {}
};

/// In its usual posture without noise, at rest.
class PandaArm : public ::testing::Test {
 protected:
  PandaArm() { use(Tips::kLeftOut); }

  void use(Tips tips) {
    task_ = std::make_unique<BareTask>(tips);
    const MujocoSimulation& simulation = task().simulation();
    std::vector<double> qpos(simulation.qpos().begin(), simulation.qpos().end());
    std::copy(kTablePosture.begin(), kTablePosture.end(), qpos.begin());
    task_->set_state(qpos, std::vector<double>(simulation.qvel().size()));
  }
  const ManipulationTask& task() const { return *task_; }
  const mjData& data() const { return task().simulation().data(); }
  /// How far the grip has gone after each of `count` actions.
  std::vector<Vec3> gone(const Action& action, int count) {
    const Vec3 start = task().grip().position;
    std::vector<Vec3> out;
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(task_->step(action).end, EpisodeEnd::kRunning);
      out.push_back(task().grip().position - start);
    }
    return out;
  }
  /// In the last of `count` actions.
  Vec3 turned(const Action& action, int count) {
    gone(action, count - 1);
    const Mat3 before = task().grip().rotation;
    gone(action, 1);
    return turn_of(task().grip().rotation * transposed(before));
  }

  std::unique_ptr<ManipulationTask> task_;
};

TEST_F(PandaArm, StandsWhereItShould) {
  const Pose grip = task().grip();
  EXPECT_NEAR(grip.position[0], -0.1028, 1e-4);
  EXPECT_NEAR(grip.position[1], 0, 1e-4);
  EXPECT_NEAR(grip.position[2], 1.0110, 1e-4);
  const Vec3 x = grip.rotation.column(0), y = grip.rotation.column(1), z = grip.rotation.column(2);
  EXPECT_NEAR(x[1], 1, 1e-3);
  EXPECT_NEAR(y[0], 0.992, 1e-3);
  EXPECT_NEAR(y[2], 0.127, 1e-3);
  EXPECT_NEAR(z[0], 0.127, 1e-3);
  EXPECT_NEAR(z[2], -0.992, 1e-3);
  const Quat hand = quaternion_of(task().hand().rotation);
  EXPECT_NEAR(std::abs(hand[1]), 0.998, 1e-3);
  EXPECT_NEAR(std::abs(hand[3]), 0.064, 1e-3);
  EXPECT_NEAR(task().opening(), 2 * 0.020833 - 0.001, 1e-9);
}

TEST_F(PandaArm, HasItsMasses) {
  const mjModel& model = task().simulation().model();
  const double expected[] = {7.30, 4.90, 3.32, 2.84, 1.49, 1.20, 0.89};
  std::vector<double> all(model.nv * model.nv);
  mj_fullM(&model, all.data(), data().qM);
  for (int i = 0; i < kArmJoints; ++i)
    EXPECT_NEAR(all[i * model.nv + i], expected[i], 0.006) << "joint " << i;
}

TEST_F(PandaArm, GoesAsFarAsItShould) {
  const std::vector<Vec3> steps = gone({1, 0, 0, 0, 0, 0, 0}, 12);
  // Seen 2 ms earlier than here.
  const double expected[] = {5.5, 15.2, 25.7, 36.6};
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(1000 * steps[i][0], expected[i] + 0.35, 0.15) << "action " << i;
  EXPECT_NEAR(1000 * (steps[11][0] - steps[10][0]), 12.5, 0.5);
  for (const Vec3& step : steps) {
    EXPECT_LT(std::abs(step[1]), 0.002);
    EXPECT_LT(std::abs(step[2]), 0.015);
  }
}

TEST_F(PandaArm, StopsWhereItIsWhenNothingIsWanted) {
  gone({1, 0, 0, 0, 0, 0, 0}, 1);
  const Vec3 before = task().grip().position;
  const std::vector<Vec3> rest = gone({0, 0, 0, 0, 0, 0, 0}, 20);
  EXPECT_NEAR(1000 * (before[0] + rest.back()[0] + 0.1028), 12.6, 0.4);
  EXPECT_LT(length(rest[19] - rest[18]), 1e-5);
}

TEST_F(PandaArm, TurnsAsFarAsItShould) {
  const Vec3 turn = turned({0, 0, 0, 0, 0, 1, 0}, 9);
  EXPECT_NEAR(turn[2], 0.127, 0.003);
  EXPECT_LT(std::abs(turn[0]) + std::abs(turn[1]), 0.01);
}

TEST_F(PandaArm, TurnsSlowlyWithItsFingertipsInTheAir) {
  use(Tips::kThere);
  const Vec3 turn = turned({0, 0, 0, 0, 0, 1, 0}, 9);
  EXPECT_GT(turn[2], 0.06);
  EXPECT_LT(turn[2], 0.08);
}

TEST_F(PandaArm, ClosesAndOpensItsFingersInEightActions) {
  gone({0, 0, 0, 0, 0, 0, -1}, 14);
  EXPECT_NEAR(task().opening(), 0.079 - 0.002, 5e-4);  // each finger's friction: 1 mm
  // Their targets take eight actions from end to end; the fingers follow later.
  gone({0, 0, 0, 0, 0, 0, 1}, 7);
  EXPECT_NEAR(data().ctrl[kArmJoints], 0.04 / 8, 1e-12);
  gone({0, 0, 0, 0, 0, 0, 1}, 1);
  EXPECT_NEAR(data().ctrl[kArmJoints], 0, 1e-12);
  EXPECT_NEAR(data().ctrl[kArmJoints + 1], 0, 1e-12);
  gone({0, 0, 0, 0, 0, 0, 0.1f}, 20);
  EXPECT_LT(task().opening(), 0.001);
  const double closed = task().opening();
  gone({0, 0, 0, 0, 0, 0, 0}, 5);
  EXPECT_NEAR(task().opening(), closed, 5e-4);
}

/// Torques that only change the elbow leave the hand alone, and a posture that pulls does not move
/// it.
TEST_F(PandaArm, KeepsItsHandStillWhileItsElbowMoves) {
  const mjModel& model = task().simulation().model();
  const PoseController controller(model);
  PoseController::Goal goal{task().grip(), kTablePosture};
  auto& moving = const_cast<mjData&>(data());
  const ArmVector still = controller.torques(model, moving, goal);
  goal.posture[0] += 0.4;
  goal.posture[2] -= 0.7;
  const ArmVector pulling = controller.torques(model, moving, goal);
  // The hand's acceleration by the difference: J M^-1 tau.
  std::vector<double> jacp(3 * model.nv), jacr(3 * model.nv), force(model.nv), moved(model.nv);
  mj_jacSite(&model, &moving, jacp.data(), jacr.data(),
             mj_name2id(&model, mjOBJ_SITE, "grip_site"));
  double largest = 0;
  for (int i = 0; i < kArmJoints; ++i) {
    force[i] = pulling[i] - still[i];
    largest = std::max(largest, std::abs(force[i]));
  }
  EXPECT_GT(largest, 1);
  mj_solveM(&model, &moving, moved.data(), force.data(), 1);
  for (const std::vector<double>& jacobian : {jacp, jacr})
    for (int row = 0; row < 3; ++row) {
      double sum = 0;
      for (int j = 0; j < model.nv; ++j) sum += jacobian[row * model.nv + j] * moved[j];
      EXPECT_NEAR(sum, 0, 1e-9);
    }
}

/// At rest where it should be, torques are what holds the arm up.
TEST_F(PandaArm, HoldsItselfUp) {
  const std::vector<Vec3> steps = gone({0, 0, 0, 0, 0, 0, 0}, 100);
  EXPECT_LT(length(steps.back()), 1e-4);
  for (int i = 0; i < kArmJoints; ++i) EXPECT_NEAR(data().qvel[i], 0, 1e-4);
}

}  // namespace
}  // namespace darp
