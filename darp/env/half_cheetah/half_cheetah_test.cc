#include "darp/env/half_cheetah/half_cheetah.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "darp/core/rng.h"
#include "tests/mujoco_task_of.h"

namespace darp {
namespace {

TEST(HalfCheetah, MovesAsTheLiteraturesDoes) {
  expect_known_motion(*make_half_cheetah(),
                      {0.028901405, -0.169719385, 0.123597577, 0.276087392, -0.144429008,
                       0.211007029, -0.379545648, -0.048444584, -0.509772249},
                      {0.0785126339, -0.421926, 0.603020484, 0.049890714, -0.266916249, 0.621685466,
                       -0.518366872, -1.03693759, -2.6458759});
}

TEST(HalfCheetah, StartsWhereGymsSeedsStart) {
  const auto cheetah = make_half_cheetah();
  cheetah->reset(0);
  const double positions[] = {-0.089127989, 0.093078187, 0.026538189};
  const double velocities[] = {-0.057275105, 0.003362336, -0.003173373};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(simulation_of(*cheetah).qpos()[i], positions[i], 1e-9) << i;
    EXPECT_NEAR(simulation_of(*cheetah).qvel()[i], velocities[i], 1e-9) << i;
  }
}

TEST(HalfCheetah, SeesAllButItsPlace) {
  const auto cheetah = make_half_cheetah();
  mujoco_task_of(*cheetah).set_state(
      std::vector<double>{7, 1.5, -0.1, -0.2, -0.3, 0.4, -0.5, -0.6, 0.7},
      std::vector<double>{1, -2, 3, -10.5, 10, 99, 4, 5, -6});
  EXPECT_EQ(observation_of(*cheetah),
            (std::vector<float>{1.5f, -0.1f, -0.2f, -0.3f, 0.4f, -0.5f, -0.6f, 0.7f, 1, -2, 3,
                                -10.5f, 10, 99, 4, 5, -6}));
}

TEST(HalfCheetah, PaysForSpeedAndChargesForEffort) {
  const auto cheetah = make_half_cheetah();
  cheetah->reset(3);
  const auto& simulation = simulation_of(*cheetah);
  const double before = simulation.qpos()[0];
  const Step step = cheetah->step(std::vector<float>{0.5f, -1, 2, 0, 0, 1});
  EXPECT_EQ(step.reward, -0.1 * (0.25 + 1.0 + 4.0 + 1.0) + (simulation.qpos()[0] - before) / 0.05);
}

TEST(HalfCheetah, NeverEndsAnEpisode) {
  const auto cheetah = make_half_cheetah();
  cheetah->reset(0);
  Rng rng(1);
  std::vector<float> action(6);
  for (int step = 0; step < 1500; ++step) {
    for (float& value : action) value = rng.uniform() < 0.5 ? -1.0f : 1.0f;
    ASSERT_EQ(cheetah->step(action).end, EpisodeEnd::kRunning) << step;
  }
}

TEST(HalfCheetah, HasATorsoOfTrunkAndHead) {
  const auto cheetah = make_half_cheetah();
  const mjModel& model = simulation_of(*cheetah).model();
  const int torso = mj_name2id(&model, mjOBJ_BODY, "torso");
  EXPECT_NEAR(model.body_mass[torso], 6.36031331593, 1e-10);
  std::vector<double> moments(model.body_inertia + 3 * torso, model.body_inertia + 3 * torso + 3);
  std::ranges::sort(moments);
  EXPECT_NEAR(moments[0], 0.0176177961936, 1e-12);
  EXPECT_NEAR(moments[1], 0.883565021999, 1e-12);
  EXPECT_NEAR(moments[2], 0.894453606704, 1e-12);
}

}  // namespace
}  // namespace darp
