#include "darp/expert/scripted/scripted_expert.h"

#include <gtest/gtest.h>

#include "darp/env/registry.h"
#include "darp/expert/collector.h"
#include "darp/expert/registry.h"
#include "darp/expert/scripted/scripts.h"
#include "tests/error_of.h"

namespace darp {
namespace {

class EveryScript : public ::testing::TestWithParam<std::string> {
 protected:
  const std::unique_ptr<Environment> environment_ = make_environment(GetParam());
  const std::unique_ptr<Expert> expert_ = make_scripted_expert();
};

INSTANTIATE_TEST_SUITE_P(Scripted, EveryScript,
                         ::testing::Values("stack", "square", "threading", "one_leg",
                                           "close_drawer", "close_door", "turn_on_stove",
                                           "turn_off_stove"),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(EveryScript, SolvesItsTaskAlsoWithAnUnsteadyHand) {
  int solved = 0, solved_with_noise = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    solved += demonstrate(*environment_, *expert_, seed, 0).record.success ? 1 : 0;
    solved_with_noise += demonstrate(*environment_, *expert_, seed, 0.05).record.success ? 1 : 0;
  }
  EXPECT_GE(solved, 7);
  EXPECT_GE(solved_with_noise, 6);
}

TEST_P(EveryScript, DemonstratesTheSameAgain) {
  const Demonstration first = demonstrate(*environment_, *expert_, 11, 0.05);
  demonstrate(*environment_, *expert_, 12, 0.05);
  const Demonstration again = demonstrate(*environment_, *make_scripted_expert(), 11, 0.05);
  EXPECT_EQ(again.initial_state, first.initial_state);
  EXPECT_EQ(again.actions, first.actions);
  EXPECT_EQ(again.executed, first.executed);
  EXPECT_EQ(again.observations, first.observations);
  EXPECT_EQ(again.states, first.states);
}

struct Held {
  std::string environment, object;
};

/// Until it is lifted, then ten seconds in the closed hand.
TEST(ScriptedExpert, WhatIsGraspedStaysInTheHand) {
  for (const Held& held : {Held{"stack", "cube_a"}, Held{"square", "nut"},
                           Held{"threading", "needle"}, Held{"one_leg", "leg"}}) {
    SCOPED_TRACE(held.environment);
    EnvironmentSettings settings;
    settings.time_limit = 1000;
    const auto environment = make_environment(held.environment, settings);
    const auto& task = dynamic_cast<const ManipulationTask&>(environment->task());
    const auto expert = make_scripted_expert();
    environment->reset(2);
    expert->start(*environment, Rng(2));
    std::vector<float> seen(static_cast<size_t>(environment->info().observations.dim())), action(7);
    const double low = task.body(held.object).position[2];
    for (int i = 0; i < 100 && task.body(held.object).position[2] < low + 0.06; ++i) {
      environment->observe(seen);
      expert->act(*environment, seen, action);
      ASSERT_EQ(environment->step(action).end, EpisodeEnd::kRunning);
    }
    ASSERT_TRUE(task.holds(held.object));
    const auto in_hand = [&] { return inverse(task.grip()) * task.body(held.object); };
    const std::vector<float> hold = {0, 0, 0, 0, 0, 0, 1};
    for (int i = 0; i < 10; ++i) environment->step(hold);
    const Pose before = in_hand();
    double deepest = 0;
    for (int i = 0; i < 200; ++i) {
      ASSERT_EQ(environment->step(hold).end, EpisodeEnd::kRunning);
      const mjData& data = task.simulation().data();
      for (int c = 0; c < data.ncon; ++c) deepest = std::min(deepest, data.contact[c].dist);
    }
    EXPECT_TRUE(task.holds(held.object));
    const Pose after = in_hand();
    EXPECT_LT(length(after.position - before.position), 0.003);
    EXPECT_LT(length(turn_of(after.rotation * transposed(before.rotation))), 0.1);
    EXPECT_GT(deepest, -0.003);
  }
}

/// By where the wrist was when it took hold, not by where it is: else it would turn back and forth.
TEST(ScriptedExpert, TurnsAKnobOneWay) {
  const auto environment = make_environment("turn_on_stove");
  environment->reset(0);
  const ManipulationTask& task = arm_task(*environment, "scripted");
  constexpr size_t kRolls = 4;
  const Phase roll = turn_on_stove_script()[kRolls];
  for (const double wrist : {-0.1, 0.1}) {
    const auto closing = [&](int64_t step) {
      return roll.target(task, {.entry = {}, .wrist = wrist, .step = step}).rotation.column(0);
    };
    const Vec3 early = closing(0), late = closing(15);
    EXPECT_EQ(late[2] - early[2] > 0, wrist < 0) << wrist;
  }
}

TEST(ScriptedExpert, KnowsArmsAlone) {
  const auto expert = make_scripted_expert();
  const auto hopper = make_environment("hopper");
  EXPECT_SAYS(error_of([&] { expert->start(*hopper, Rng(0)); }), "does not know hopper");
}

TEST(Script, AnglesAndServo) {
  EXPECT_NEAR(nearest_angle(0.1, 1.5, 3.2), 3.1, 1e-12);
  EXPECT_NEAR(closing_angle(pointing_down(0.7)), 0.7, 1e-12);
  EXPECT_NEAR(pointing_down(0.7)(2, 2), -1, 1e-12);
  std::vector<float> action(7);
  servo({}, {{0.025, -1, 0}, rotation_of(Vec3{0, 0, 0.25})}, action);
  EXPECT_FLOAT_EQ(action[0], 0.5f);
  EXPECT_FLOAT_EQ(action[1], -1);
  EXPECT_NEAR(action[5], 0.5, 1e-6);
}

}  // namespace
}  // namespace darp
