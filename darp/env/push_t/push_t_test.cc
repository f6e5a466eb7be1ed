#include "darp/env/push_t/push_t.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <thread>

#include "darp/core/rng.h"
#include "darp/env/push_t/t_overlap.h"
#include "tests/error_of.h"

namespace darp {
namespace {

constexpr PushTSettings kLegacy = {.start = PushTSettings::Start::kLegacy};

std::vector<float> push_t_sight(const PushT& task) {
  std::vector<float> seen(5);
  task.observe(seen);
  return seen;
}

/// Somewhere in the room, often at the block: contacts are what matters.
std::array<float, 2> push_t_action(Rng& rng, const PushT& task) {
  const TPose block = task.block();
  const bool at_block = rng.uniform() < 0.7;
  return {static_cast<float>(at_block ? block.x + rng.uniform(-80, 80) : rng.uniform(0, 512)),
          static_cast<float>(at_block ? block.y + rng.uniform(-80, 80) : rng.uniform(0, 512))};
}

/// Whether both now do the same, bit for bit.
void expect_same_future(PushT& one, PushT& other, uint64_t seed, int steps) {
  Rng rng(seed);
  for (int i = 0; i < steps; ++i) {
    ASSERT_EQ(push_t_sight(one), push_t_sight(other)) << "step " << i;
    ASSERT_EQ(one.block().x, other.block().x);
    ASSERT_EQ(one.block().angle, other.block().angle);
    const auto action = push_t_action(rng, one);
    const Step a = one.step(action), b = other.step(action);
    ASSERT_EQ(a.reward, b.reward) << "step " << i;
    ASSERT_EQ(a.end, b.end);
  }
}

struct DrawnStart {
  uint64_t seed;
  Point agent, block;
  double angle;
};
constexpr DrawnStart kDrawn[] = {{0, {222, 97}, {217, 292}, 3.0079994677219553},
                                 {1, {87, 285}, {172, 355}, -6.595749753457083},
                                 {2, {218, 65}, {172, 122}, -3.28337113063679}};

TEST(PushT, StartsWhereSeedsOfTheLiteratureSay) {
  PushT task({});
  for (const auto& [seed, agent, block, angle] : kDrawn) {
    task.reset(seed);
    EXPECT_EQ(task.agent().x, agent.x);
    EXPECT_EQ(task.agent().y, agent.y);
    EXPECT_NEAR(task.block().x, block.x, 1e-9);
    EXPECT_NEAR(task.block().y, block.y, 1e-9);
    EXPECT_EQ(task.block().angle, angle);
    const double all_around = 2 * std::numbers::pi;
    EXPECT_FLOAT_EQ(push_t_sight(task)[4],
                    static_cast<float>(angle - std::floor(angle / all_around) * all_around));
  }
}

TEST(PushT, TurnsTheBlockAboutItsCenterOfGravityInTheLegacyStart) {
  PushT task(kLegacy);
  for (const auto& [seed, agent, block, angle] : kDrawn) {
    task.reset(seed);
    EXPECT_NEAR(task.block().x, block.x + 45 * std::sin(angle), 1e-9);
    EXPECT_NEAR(task.block().y, block.y + 45 * (1 - std::cos(angle)), 1e-9);
    EXPECT_EQ(task.block().angle, angle);
  }
}

TEST(PushT, MovesTheAgentByTheKnownRecurrence) {
  PushT task({});
  Rng rng(11);
  for (uint64_t seed = 0; seed < 5; ++seed) {
    task.reset(seed);
    Point position = task.agent(), velocity;
    for (int i = 0; i < 30; ++i) {
      const auto action = push_t_action(rng, task);
      task.step(action);
      for (int sub = 0; sub < 10; ++sub) {
        velocity = {0.8 * velocity.x + (action[0] - position.x),
                    0.8 * velocity.y + (action[1] - position.y)};
        position = {position.x + 0.01 * velocity.x, position.y + 0.01 * velocity.y};
      }
      ASSERT_NEAR(task.agent().x, position.x, 1e-9);
      ASSERT_NEAR(task.agent().y, position.y, 1e-9);
    }
  }
}

TEST(PushT, TellsHowFastTheAgentIs) {
  PushTSpace space({.agent = {100, 200}, .block = {300, 300, 0}});
  EXPECT_EQ(space.agent_velocity().x, 0);
  EXPECT_EQ(space.agent_velocity().y, 0);
  for (int i = 0; i < 30; ++i) {
    const Point before = space.agent();
    space.sub_step({150, 120}, {});
    EXPECT_NEAR(space.agent_velocity().x * kPushTSubStep, space.agent().x - before.x, 1e-9);
    EXPECT_NEAR(space.agent_velocity().y * kPushTSubStep, space.agent().y - before.y, 1e-9);
  }
  PushT task({});
  task.reset(0);
  EXPECT_EQ(task.agent_velocity().x, 0);
  task.step(std::array{500.0f, 97.0f});
  EXPECT_GT(task.agent_velocity().x, 100);
}

TEST(PushT, RewardsWhatIsCoveredAndEndsWhenSolved) {
  PushT task({});
  task.set_state({50, 50}, {266, 256, kTGoal.angle});
  const std::array<float, 2> stay = {50, 50};
  Step step = task.step(stay);
  EXPECT_NEAR(step.reward, 0.7464990040 / 0.95, 1e-9);
  EXPECT_EQ(step.end, EpisodeEnd::kRunning);
  EXPECT_FALSE(step.success);
  task.set_state({50, 50}, {256.5, 256, kTGoal.angle});
  step = task.step(stay);
  EXPECT_EQ(step.reward, 1);
  EXPECT_EQ(step.end, EpisodeEnd::kTerminated);
  EXPECT_TRUE(step.success);
}

TEST(PushT, MovesTheBlockOnlyWhilePushed) {
  PushT task({});
  task.set_state({256, 100}, {256, 256, 0});
  const TPose before = task.block();
  task.step(std::array<float, 2>{256, 200});
  EXPECT_EQ(task.block().y, before.y);
  for (int i = 0; i < 8; ++i) task.step(std::array<float, 2>{256, 300});
  const TPose pushed = task.block();
  EXPECT_NEAR(pushed.y, 300 + kAgentRadius, 1);
  EXPECT_NEAR(pushed.x, 256, 1e-6);
  for (int i = 0; i < 20; ++i) task.step(std::array<float, 2>{256, 100});
  EXPECT_NEAR(task.block().y, pushed.y, 0.5);
}

TEST(PushT, ContinuesToTheBitFromAnyStep) {
  for (int trial = 0; trial < 300; ++trial) {
    Rng rng(100, static_cast<uint64_t>(trial));
    const PushTSettings settings = trial % 2 == 0 ? PushTSettings{} : kLegacy;
    PushT task(settings), other(settings);
    task.reset(rng.below(1000));
    const auto steps = static_cast<int>(rng.below(40));
    for (int i = 0; i < steps; ++i) {
      if (trial % 5 == 0 && i % 7 == 3)
        task.set_force("block", {rng.uniform(-3000, 3000), rng.uniform(-3000, 3000), 0});
      task.step(push_t_action(rng, task));
    }
    const auto state = saved_state(task);
    // Something else happens in between, in both.
    other.reset(rng.below(1000));
    other.step(push_t_action(rng, other));
    other.restore(state);
    if (trial % 3 == 0) {
      task.step(push_t_action(rng, task));
      task.restore(state);
    }
    task.set_force("block", {0, 0, 0});
    EXPECT_EQ(saved_state(other), state);
    ASSERT_NO_FATAL_FAILURE(expect_same_future(task, other, rng.next_u64(), 15))
        << "trial " << trial;
  }
}

TEST(PushT, ForgetsEarlierEpisodesAtReset) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    PushT used({}), fresh({});
    Rng rng(5, seed);
    used.reset(seed + 77);
    used.set_force("block", {500, 0, 0});
    for (int i = 0; i < 25; ++i) used.step(push_t_action(rng, used));
    used.reset(seed);
    fresh.reset(seed);
    ASSERT_NO_FATAL_FAILURE(expect_same_future(used, fresh, seed, 40)) << "seed " << seed;
  }
}

TEST(PushT, IsTheSameInManyThreads) {
  const auto rollout = [](uint64_t seed) {
    PushT task({});
    Rng rng(6, seed);
    task.reset(seed);
    for (int i = 0; i < 50; ++i) task.step(push_t_action(rng, task));
    return push_t_sight(task);
  };
  std::vector<std::vector<float>> side_by_side(8);
  {
    std::vector<std::jthread> threads;
    for (uint64_t seed = 0; seed < side_by_side.size(); ++seed)
      threads.emplace_back([&, seed] { side_by_side[seed] = rollout(seed); });
  }
  for (uint64_t seed = 0; seed < side_by_side.size(); ++seed)
    EXPECT_EQ(side_by_side[seed], rollout(seed)) << "seed " << seed;
}

TEST(PushT, WritesNothingToStandardOutput) {
  testing::internal::CaptureStdout();
  PushT task({});
  task.step(std::array<float, 2>{256, 256});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(PushT, RefusesNumbersThatAreNoState) {
  PushT task({});
  task.reset(3);
  for (int i = 0; i < 3; ++i) task.step(std::array<float, 2>{200, 200});
  const auto state = saved_state(task);
  const auto expect_refused = [&](std::vector<double> numbers) {
    EXPECT_SAYS(error_of([&] { task.restore(numbers); }), "no state of this task");
    EXPECT_EQ(saved_state(task), state) << "what was before is still there";
  };
  expect_refused({});
  expect_refused({state.begin(), state.end() - 1});
  expect_refused(std::vector<double>(5));
  for (size_t i = 0; i < state.size(); ++i) {
    auto damaged = state;
    damaged[i] = i % 2 == 0 ? std::numeric_limits<double>::quiet_NaN()
                            : -std::numeric_limits<double>::infinity();
    expect_refused(damaged);
  }
  auto damaged = state;
  damaged[0] = 0.5;
  expect_refused(damaged);
  for (const size_t i : {1u, 5u, 8u, 13u}) {
    damaged = state;
    damaged[i] = 1e300;
    expect_refused(damaged);
  }
}

TEST(PushT, PushesTheBlockUntilTheForceIsSetAnew) {
  PushT task({});
  const std::array<float, 2> stay = {50, 50};
  const auto moved = [&] {
    const TPose before = task.block();
    task.step(stay);
    return Point{task.block().x - before.x, task.block().y - before.y};
  };
  task.set_state({50, 50}, {256, 256, 1});
  task.set_force("block", {1000, -500, 9});
  // All speed is lost in each of ten sub-steps; a force makes a hundredth of itself, which moves
  // the block in the sub-step after.
  for (const double sub_steps : {9, 10, 10}) {
    const Point by = moved();
    EXPECT_NEAR(by.x, 1000 * 1e-4 * sub_steps, 1e-9);
    EXPECT_NEAR(by.y, -500 * 1e-4 * sub_steps, 1e-9);
  }
  task.set_force("block", {0, 0, 0});
  EXPECT_NEAR(moved().x, 1000 * 1e-4, 1e-9);
  EXPECT_EQ(moved().x, 0);
  task.set_force("block", {1000, 0, 0});
  task.restore(saved_state(task));
  EXPECT_EQ(moved().x, 0);
  EXPECT_SAYS(error_of([&] { task.set_force("agent", {}); }), "no body 'agent'");
  EXPECT_SAYS(error_of([&] { task.set_force("block", {NAN, 0, 0}); }), "not finite");
  EXPECT_SAYS(error_of([&] { task.set_force("block", {0, 1e10, 0}); }), "out of all proportion");
}

TEST(PushT, EndsEpisodesForActionsOutOfOrderAndLivesThroughWildOnes) {
  PushT task({});
  EXPECT_EQ(task.step(std::array<float, 1>{1}).end, EpisodeEnd::kActionSize);
  EXPECT_EQ(task.step(std::array<float, 2>{NAN, 1}).end, EpisodeEnd::kActionNotFinite);
  Rng rng(9);
  int lost = 0;
  for (int trial = 0; trial < 200; ++trial) {
    task.reset(static_cast<uint64_t>(trial));
    for (int i = 0; i < 20; ++i) {
      const double size = std::pow(10.0, rng.uniform(0, trial % 3 == 0 ? 38 : 8.5));
      if (trial % 2 == 0) task.set_force("block", {std::min(size, 1e9), rng.normal() * 1e5, 0});
      const Step step = task.step(std::array<float, 2>{
          static_cast<float>(size * rng.uniform(-1, 1)), static_cast<float>(size * rng.uniform())});
      EXPECT_TRUE(std::isfinite(step.reward));
      if (step.end == EpisodeEnd::kRunning) continue;
      ++lost;
      // Even then a state is one.
      task.restore(saved_state(task));
      break;
    }
  }
  EXPECT_GT(lost, 20);
}

TEST(PushT, SaysWhatItIs) {
  const auto task = make_push_t({});
  const EnvironmentInfo& info = task->info();
  EXPECT_EQ(info.name, "push_t");
  EXPECT_EQ(info.observations.dim(), 5);
  EXPECT_EQ(info.observations.low.size(), 5u);
  EXPECT_EQ(info.observations.high.size(), 5u);
  EXPECT_EQ(info.actions.dim(), 2);
  EXPECT_EQ(info.time_limit, 200);
  EXPECT_DOUBLE_EQ(info.step_seconds, 0.1);
  EXPECT_EQ(info.score, EnvironmentInfo::Score::kBest);
  EXPECT_TRUE(info.has_success);
  EXPECT_FALSE(info.scale.has_value());
}

TEST(PushT, RefusesStatesThatAreNotFinite) {
  PushT task({});
  EXPECT_SAYS(error_of([&] { task.set_state({NAN, 0}, {}); }), "not finite");
  EXPECT_SAYS(error_of([&] { task.set_state({1, 1}, {1, 1, INFINITY}); }), "not finite");
}

}  // namespace
}  // namespace darp
