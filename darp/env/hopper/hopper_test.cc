#include "darp/env/hopper/hopper.h"

#include <gtest/gtest.h>

#include "tests/mujoco_task_of.h"

namespace darp {
namespace {

TEST(Hopper, MovesAsTheLiteraturesDoes) {
  expect_known_motion(
      *make_hopper(),
      {-0.00488588498, 1.24101702, -0.0288165207, 0.00187576002, -0.0703162172, 0.0751541003},
      {-0.246156497, -0.466856459, -1.50022709, 0.00966178349, -3.48872866, 3.7297112});
}

TEST(Hopper, StartsWhereGymsSeedsStart) {
  const auto hopper = make_hopper();
  const auto& simulation = simulation_of(*hopper);
  hopper->reset(0);
  const double first[] = {-0.004456399, 0.004653909,  0.001326909,
                          -0.002099827, -0.003975157, 0.001730763};
  for (size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(simulation.qpos()[i], first[i] + (i == 1 ? 1.25 : 0), 1e-9) << i;
  hopper->reset(1);
  const double second[] = {0.003073904,  0.000145001, -0.003088818,
                           -0.003131252, 0.002725216, -0.004481721};
  for (size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(simulation.qpos()[i], second[i] + (i == 1 ? 1.25 : 0), 1e-9) << i;
  for (const double velocity : simulation.qvel()) EXPECT_LT(std::abs(velocity), 0.005);
}

TEST(Hopper, SeesAllButItsPlaceAndVelocitiesUpToTen) {
  const auto hopper = make_hopper();
  mujoco_task_of(*hopper).set_state(std::vector<double>{7, 1.5, -0.1, -0.2, -0.3, 0.4},
                                    std::vector<double>{1, -2, 3, -10.5, 10, 99});
  EXPECT_EQ(observation_of(*hopper),
            (std::vector<float>{1.5f, -0.1f, -0.2f, -0.3f, 0.4f, 1, -2, 3, -10, 10, 10}));
  EXPECT_EQ(hopper->info().observations.high[4], std::numeric_limits<float>::infinity());
  EXPECT_EQ(hopper->info().observations.high[5], 10);
  EXPECT_EQ(hopper->info().observations.low[10], -10);
}

TEST(Hopper, PaysForSpeedAndLifeAndChargesForEffort) {
  const auto hopper = make_hopper();
  hopper->reset(3);
  const auto& simulation = simulation_of(*hopper);
  const double before = simulation.qpos()[0];
  const Step step = hopper->step(std::vector<float>{0.5f, -1, 2});
  EXPECT_EQ(step.reward, (simulation.qpos()[0] - before) / 0.008 + 1.0 - 1e-3 * (0.25 + 1.0 + 4.0));
  EXPECT_EQ(step.end, EpisodeEnd::kRunning);
  EXPECT_FALSE(step.success);
}

TEST(Hopper, FallsBelowSevenTenthsLeaningTwoTenthsOrWithNumbersOfAHundred) {
  const auto stands = [&](size_t entry, double value) {
    std::vector<double> state = {0, 1.25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    state[entry] = value;
    const std::span<const double> all(state);
    return hopper_stands(all.first(6), all.last(6));
  };
  EXPECT_TRUE(stands(0, 1e6));
  EXPECT_TRUE(stands(1, 1e6));
  EXPECT_FALSE(stands(1, 0.7));
  EXPECT_TRUE(stands(1, std::nextafter(0.7, 1)));
  for (const double sign : {-1.0, 1.0}) {
    EXPECT_FALSE(stands(2, sign * 0.2));
    EXPECT_TRUE(stands(2, sign * std::nextafter(0.2, 0)));
    for (size_t entry = 3; entry < 12; ++entry) {
      EXPECT_FALSE(stands(entry, sign * 100)) << entry;
      EXPECT_TRUE(stands(entry, sign * std::nextafter(100.0, 0))) << entry;
    }
  }
}

}  // namespace
}  // namespace darp
