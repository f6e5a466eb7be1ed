#include "darp/env/walker2d/walker2d.h"

#include <gtest/gtest.h>

#include "tests/mujoco_task_of.h"

namespace darp {
namespace {

TEST(Walker2d, MovesAsTheLiteraturesDoes) {
  expect_known_motion(*make_walker2d(),
                      {-0.0341599816, 1.23647598, -0.181648901, 0.00923814204, -0.428682152,
                       0.757338, -0.192575335, 0.0162116992, -0.310703447},
                      {-1.55845895, -0.89906724, -8.49829959, 0.0449110513, -18.5397043, 32.8661688,
                       -9.15629407, 0.142207994, 2.5387896});
}

TEST(Walker2d, StartsWhereGymsSeedsStart) {
  const auto walker = make_walker2d();
  walker->reset(0);
  const auto qpos = simulation_of(*walker).qpos();
  EXPECT_NEAR(qpos[0], -0.004456399, 1e-9);
  EXPECT_NEAR(qpos[1], 1.25 + 0.004653909, 1e-9);
  EXPECT_NEAR(qpos[5], 0.001730763, 1e-9);
}

TEST(Walker2d, SeesAllButItsPlaceAndVelocitiesUpToTen) {
  const auto walker = make_walker2d();
  mujoco_task_of(*walker).set_state(
      std::vector<double>{7, 1.5, -0.1, -0.2, -0.3, 0.4, -0.5, -0.6, 0.7},
      std::vector<double>{1, -2, 3, -10.5, 10, 99, 4, 5, -6});
  EXPECT_EQ(observation_of(*walker),
            (std::vector<float>{1.5f, -0.1f, -0.2f, -0.3f, 0.4f, -0.5f, -0.6f, 0.7f, 1, -2, 3, -10,
                                10, 10, 4, 5, -6}));
}

TEST(Walker2d, PaysForSpeedAndLifeAndChargesForEffort) {
  const auto walker = make_walker2d();
  walker->reset(3);
  const auto& simulation = simulation_of(*walker);
  const double before = simulation.qpos()[0];
  const Step step = walker->step(std::vector<float>{0.5f, -1, 2, 0, 0, 1});
  EXPECT_EQ(step.reward,
            (simulation.qpos()[0] - before) / 0.008 + 1.0 - 1e-3 * (0.25 + 1.0 + 4.0 + 1.0));
}

TEST(Walker2d, FallsOutsideItsHeightsAndPitches) {
  const auto stands = [](double height, double pitch) {
    return walker2d_stands(std::vector<double>{0, height, pitch, 0, 0, 0, 0, 0, 0},
                           std::vector<double>(9, 1000.0));
  };
  EXPECT_FALSE(stands(0.8, 0));
  EXPECT_TRUE(stands(std::nextafter(0.8, 1), 0));
  EXPECT_TRUE(stands(std::nextafter(2.0, 1), 0));
  EXPECT_FALSE(stands(2, 0));
  EXPECT_FALSE(stands(1.25, -1));
  EXPECT_TRUE(stands(1.25, std::nextafter(-1.0, 0)));
  EXPECT_TRUE(stands(1.25, std::nextafter(1.0, 0)));
  EXPECT_FALSE(stands(1.25, 1));
}

// The literature's walker limps: only the left foot grips like this.
TEST(Walker2d, HasFeetOfDifferentFriction) {
  const auto walker = make_walker2d();
  const mjModel& model = simulation_of(*walker).model();
  EXPECT_EQ(model.geom_friction[3 * mj_name2id(&model, mjOBJ_GEOM, "foot_geom")], 0.9);
  EXPECT_EQ(model.geom_friction[3 * mj_name2id(&model, mjOBJ_GEOM, "foot_left_geom")], 1.9);
}

}  // namespace
}  // namespace darp
