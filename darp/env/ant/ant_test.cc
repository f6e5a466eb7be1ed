#include "darp/env/ant/ant.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/mujoco_task_of.h"

namespace darp {
namespace {

TEST(Ant, MovesAsTheLiteraturesDoes) {
  expect_known_motion(*make_ant({}),
                      {0.00580796472, -0.00307326041, 0.520494424, 0.986209421, -0.0156945493,
                       0.0764867094, -0.145926152, 0.52693339, 0.483911892, 0.526928995,
                       -1.22524632, 0.526995977, -1.22522757, 0.526945268, 0.483921939},
                      {1.05005291, 0.0096992149, -1.20197299, -0.681909946, 2.06478077,
                       0.00272953915, -0.077823464, 0.746144321, -0.0789359725, 0.0838406947,
                       -0.0791373915, 0.084619046, -0.0791234879, 0.745794458});
}

TEST(Ant, StartsWhereGymsSeedsStart) {
  const auto ant = make_ant({});
  ant->reset(0);
  const auto qpos = simulation_of(*ant).qpos();
  EXPECT_NEAR(qpos[0], -0.089127989, 1e-8);
  EXPECT_NEAR(qpos[1], 0.093078187, 1e-8);
  EXPECT_NEAR(qpos[2], 0.75 + 0.026538189, 1e-8);
  // Noise makes the quaternion longer or shorter; it is a rotation all the same.
  EXPECT_NEAR(qpos[3] * qpos[3] + qpos[4] * qpos[4] + qpos[5] * qpos[5] + qpos[6] * qpos[6], 1,
              1e-14);
}

std::vector<double> ant_pose() {
  return {7, 8, 0.6, 0.6, 0, 0.8, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
}

TEST(Ant, SeesAllButItsPlace) {
  const auto ant = make_ant({});
  mujoco_task_of(*ant).set_state(
      ant_pose(), std::vector<double>{1, -2, 3, -10.5, 10, 99, 4, 5, -6, 7, 8, 9, 10, 11});
  EXPECT_EQ(observation_of(*ant),
            (std::vector<float>{0.6f, 0.6f, 0,    0.8f, 0, 0.1f, 0.2f, 0.3f,   0.4f,
                                0.5f, 0.6f, 0.7f, 0.8f, 1, -2,   3,    -10.5f, 10,
                                99,   4,    5,    -6,   7, 8,    9,    10,     11}));
}

TEST(Ant, HasContactForcesOfZeroWhereGymHas) {
  const auto ant = make_ant({.contact_forces = true}), plain = make_ant({});
  ASSERT_EQ(ant->info().observations.dim(), 111);
  EXPECT_EQ(ant->info().observations.names[27], "contact torque x on world");
  for (auto* one : {ant.get(), plain.get()}) {
    one->reset(5);
    for (int i = 0; i < 20; ++i) one->step(std::vector<float>(8, 0.3f));
  }
  ASSERT_GT(simulation_of(*ant).data().ncon, 0);
  std::vector<float> observation(111, -1.0f);
  ant->observe(observation);
  EXPECT_TRUE(
      std::equal(observation.begin(), observation.begin() + 27, observation_of(*plain).begin()));
  EXPECT_EQ(std::count(observation.begin() + 27, observation.end(), 0.0f), 84);
}

TEST(Ant, PaysForTheTorsosSpeedAndLifeAndChargesForEffort) {
  const auto ant = make_ant({});
  ant->reset(3);
  const mjData& data = simulation_of(*ant).data();
  EXPECT_EQ(data.xpos[3], data.qpos[0]);
  for (int i = 0; i < 5; ++i) {
    const double before = data.xpos[3];
    const Step step = ant->step(std::vector<float>{0.5f, -1, 2, 0, 0, 1, -1, 0});
    EXPECT_EQ(step.reward,
              (data.xpos[3] - before) / 0.05 - 0.5 * (0.25 + 1.0 + 4.0 + 1.0 + 1.0) + 1.0);
    // The position that counts is the integrator's last stage.
    EXPECT_NE(data.xpos[3], data.qpos[0]);
  }
}

TEST(Ant, FallsBelowOneFifthAndFliesAboveOne) {
  const auto stands = [](double height) {
    auto qpos = ant_pose();
    qpos[2] = height;
    return ant_stands(qpos, std::vector<double>(14, 1000.0));
  };
  EXPECT_TRUE(stands(0.2));
  EXPECT_FALSE(stands(std::nextafter(0.2, 0)));
  EXPECT_TRUE(stands(1));
  EXPECT_FALSE(stands(std::nextafter(1.0, 2)));
}

TEST(Ant, HasMotorsInGymsOrder) {
  const auto ant = make_ant({});
  const mjModel& model = simulation_of(*ant).model();
  const char* joints[] = {"hip_4", "ankle_4", "hip_1", "ankle_1",
                          "hip_2", "ankle_2", "hip_3", "ankle_3"};
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(model.actuator_trnid[2 * i], mj_name2id(&model, mjOBJ_JOINT, joints[i])) << i;
  EXPECT_EQ(ant->info().actions.names[0], "hip 4 torque");
  EXPECT_EQ(ant->info().observations.names[5], "hip 1 angle");
}

}  // namespace
}  // namespace darp
