#include "darp/env/maze/maze.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "darp/core/rng.h"
#include "tests/error_of.h"

namespace darp {
namespace {

std::unique_ptr<Maze> umaze(const MazeSettings& settings = {}) {
  return std::unique_ptr<Maze>(dynamic_cast<Maze*>(make_maze_umaze(settings).release()));
}
std::unique_ptr<Maze> long_maze(const MazeSettings& settings = {}) {
  return std::unique_ptr<Maze>(dynamic_cast<Maze*>(make_maze_long(settings).release()));
}

std::vector<float> maze_sight(const Environment& maze) {
  std::vector<float> seen(static_cast<size_t>(maze.info().observations.dim()));
  maze.observe(seen);
  return seen;
}

void place(Maze& maze, double x, double y, double vx = 0, double vy = 0) {
  maze.set_state(std::array{x, y}, std::array{vx, vy});
}

/// Pushes for long, often against walls.
std::array<float, 2> maze_action(Rng& rng, int step) {
  Rng held = rng.split(static_cast<uint64_t>(step / 25));
  return {static_cast<float>(held.uniform(-1.5, 1.5)), static_cast<float>(held.uniform(-1.5, 1.5))};
}

TEST(Maze, DrawsTargetAndStartOfGymsSeeds) {
  const auto maze = umaze();
  maze->reset(0);
  EXPECT_NEAR(maze->target()[0], 1 - 0.051213534, 1e-9);
  EXPECT_NEAR(maze->target()[1], 2 - 0.054309032, 1e-9);
  const auto qpos = maze->position(), qvel = maze->velocity();
  EXPECT_NEAR(qpos[0], 3 + 0.094366838, 1e-9);
  EXPECT_NEAR(qpos[1], 2 - 0.071626206, 1e-9);
  EXPECT_NEAR(qvel[0], -0.029479277, 1e-9);
  EXPECT_NEAR(qvel[1], -0.022505581, 1e-9);
}

TEST(Maze, DrawsNoTargetWhereItIsTheGoal) {
  const auto maze = umaze({.random_target = false});
  maze->reset(0);
  EXPECT_EQ(maze->target(), (std::array<double, 2>{1, 1}));
  // What would have been the target's draws are the start's.
  EXPECT_NEAR(maze->position()[0], 1 - 0.051213534, 1e-9);
  EXPECT_NEAR(maze->position()[1], 2 - 0.054309032, 1e-9);
}

TEST(Maze, StartsAndAimsInOpenCells) {
  for (const auto& maze : {umaze(), long_maze()})
    for (uint64_t seed = 0; seed < 200; ++seed) {
      maze->reset(seed);
      for (const auto& [x, y] :
           {maze->target(), std::array{maze->position()[0], maze->position()[1]}}) {
        const Cell cell = {static_cast<int>(std::lround(x)), static_cast<int>(std::lround(y))};
        ASSERT_TRUE(maze->layout().is_open(cell)) << "seed " << seed;
        ASSERT_LE(std::abs(x - cell.row), 0.1);
        ASSERT_LE(std::abs(y - cell.column), 0.1);
      }
      for (const double v : maze->velocity()) ASSERT_LT(std::abs(v), 0.6);
    }
}

TEST(Maze, MovesFreelyByTheClosedForm) {
  const auto maze = umaze();
  maze->set_target({1, 1});
  place(*maze, 3, 3);
  maze->step(std::array<float, 2>{-1, -1});
  for (const size_t axis : {0u, 1u}) {
    EXPECT_NEAR(maze->position()[axis], 2.99761836, 1e-8);
    EXPECT_NEAR(maze->velocity()[axis], -0.23816384, 1e-8);
  }
  place(*maze, 3, 2, 0, 1);
  maze->step(std::array<float, 2>{0, 0.5});
  EXPECT_NEAR(maze->velocity()[1], 0.99761836 + 0.5 * 0.23816384, 1e-8);
}

TEST(Maze, CountsActionsBeyondTheLimitsAsTheLimits) {
  const auto maze = umaze();
  place(*maze, 3, 3);
  maze->step(std::array<float, 2>{-100, -1e30f});
  EXPECT_NEAR(maze->velocity()[0], -0.23816384, 1e-8);
  EXPECT_NEAR(maze->velocity()[1], -0.23816384, 1e-8);
}

TEST(Maze, SlowsTheBallDownBeforeAStep) {
  const auto maze = long_maze();
  place(*maze, 3, 5, 0, 8);
  maze->step(std::array<float, 2>{0, 1});
  const double after = 0.99761836 * 5 + 0.23816384;
  EXPECT_NEAR(maze->velocity()[1], after, 1e-7) << "faster than 5 is possible after it";
  EXPECT_NEAR(maze->position()[1], 5 + 0.01 * after, 1e-7);
}

TEST(Maze, StopsTheBallAtWalls) {
  const auto maze = umaze({.ends_at_target = false});
  const auto rest = [&](float ax, float ay) {
    place(*maze, 1, 1);
    for (int i = 0; i < 600; ++i) maze->step(std::array<float, 2>{ax, ay});
    return maze->position();
  };
  EXPECT_NEAR(rest(-1, 0)[0], 0.4015, 1e-4);
  EXPECT_NEAR(rest(1, 0)[0], 1.1985, 1e-4);
  EXPECT_NEAR(rest(0, -1)[1], 0.4015, 1e-4);
  EXPECT_NEAR(rest(0, 1)[1], 3.1985, 1e-4);
}

TEST(Maze, RewardsAndEndsWithinReachOfTheTarget) {
  const std::array<float, 2> nothing = {0, 0};
  const auto maze = umaze();
  maze->set_target({3, 2});
  place(*maze, 3, 2.501);
  Step step = maze->step(nothing);
  EXPECT_EQ(step.reward, 0);
  EXPECT_EQ(step.end, EpisodeEnd::kRunning);
  EXPECT_FALSE(step.success);
  place(*maze, 3, 2.499);
  step = maze->step(nothing);
  EXPECT_EQ(step.reward, 1);
  EXPECT_EQ(step.end, EpisodeEnd::kTerminated);
  EXPECT_TRUE(step.success);
}

TEST(Maze, RewardsByDistanceAndGoesOnWhereAsked) {
  const auto maze = umaze({.reward = MazeSettings::Reward::kDense, .ends_at_target = false});
  maze->set_target({3, 2});
  place(*maze, 3, 2.25);
  const Step near = maze->step(std::array<float, 2>{0, 0});
  EXPECT_NEAR(near.reward, std::exp(-0.25), 1e-9);
  EXPECT_TRUE(near.success);
  EXPECT_EQ(near.end, EpisodeEnd::kRunning);
}

TEST(Maze, ObservesTheTargetFirstUnlessAskedNotTo) {
  const auto maze = umaze();
  maze->set_target({1, 2});
  place(*maze, 3, 2.5, 0.25, -0.5);
  EXPECT_EQ(maze_sight(*maze), (std::vector<float>{1, 2, 3, 2.5, 0.25, -0.5}));
  const auto blind = umaze({.target_in_observation = false});
  place(*blind, 3, 2.5, 0.25, -0.5);
  EXPECT_EQ(maze_sight(*blind), (std::vector<float>{3, 2.5, 0.25, -0.5}));
  EXPECT_EQ(blind->info().observations.low.size(), 4u);
}

TEST(Maze, ContinuesToTheBitFromAnyStep) {
  const auto maze = umaze({.ends_at_target = false}), other = umaze({.ends_at_target = false});
  for (int trial = 0; trial < 200; ++trial) {
    Rng rng(8, static_cast<uint64_t>(trial));
    maze->reset(rng.below(100));
    const auto steps = static_cast<int>(rng.below(150));
    for (int i = 0; i < steps; ++i) maze->step(maze_action(rng, i));
    const auto state = saved_state(*maze);
    other->reset(rng.below(100));
    for (int i = 0; i < 30; ++i) other->step(maze_action(rng, 1000 + i));
    other->set_force("ball", {100, 0, 0});
    other->restore(state);
    ASSERT_EQ(saved_state(*other), state);
    for (int i = 0; i < 60; ++i) {
      const Step a = maze->step(maze_action(rng, 500 + i));
      const Step b = other->step(maze_action(rng, 500 + i));
      ASSERT_EQ(a.reward, b.reward);
      ASSERT_EQ(saved_state(*maze), saved_state(*other)) << "trial " << trial << ", step " << i;
    }
  }
}

TEST(Maze, MovesTheSameWhereverTheTargetIs) {
  const auto one = umaze({.ends_at_target = false}), other = umaze({.ends_at_target = false});
  Rng rng(12);
  one->reset(4);
  other->reset(4);
  for (int i = 0; i < 300; ++i) {
    // Even right on the ball.
    other->set_target(other->position());
    one->step(maze_action(rng, i));
    other->step(maze_action(rng, i));
    ASSERT_EQ(one->position(), other->position()) << "step " << i;
    ASSERT_EQ(one->velocity(), other->velocity()) << "step " << i;
  }
}

TEST(Maze, ForgetsEarlierEpisodesAtReset) {
  const auto used = long_maze(), fresh = long_maze();
  Rng rng(3);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    used->set_force("ball", {-200, 50, 0});
    for (int i = 0; i < 100; ++i) used->step(maze_action(rng, i));
    used->reset(seed);
    fresh->reset(seed);
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(saved_state(*used), saved_state(*fresh));
      used->step(maze_action(rng, i));
      fresh->step(maze_action(rng, i));
    }
  }
}

TEST(Maze, RefusesNumbersThatAreNoState) {
  const auto maze = umaze();
  const auto state = saved_state(*maze);
  EXPECT_SAYS(error_of([&] { maze->restore({}); }), "numbers");
  EXPECT_SAYS(error_of([&] { maze->restore(std::span(state).first(state.size() - 1)); }),
              "numbers");
  for (size_t i = 0; i < state.size(); ++i) {
    auto damaged = state;
    damaged[i] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_SAYS(error_of([&] { maze->restore(damaged); }), "finite") << i;
  }
}

TEST(Maze, SaysWhatItIs) {
  for (const auto* name : {"maze_umaze", "maze_long"}) {
    const auto maze =
        std::string_view(name) == "maze_long" ? make_maze_long({}) : make_maze_umaze({});
    const EnvironmentInfo& info = maze->info();
    EXPECT_EQ(info.name, name);
    EXPECT_EQ(info.observations.dim(), 6);
    EXPECT_EQ(info.actions.dim(), 2);
    EXPECT_EQ(info.time_limit, 500);
    EXPECT_EQ(info.score, EnvironmentInfo::Score::kSum);
    EXPECT_TRUE(info.has_success);
    EXPECT_FALSE(info.scale.has_value());
    EXPECT_EQ(info.bodies, std::vector<std::string>{"ball"});
    EXPECT_EQ(info.cameras, (std::vector<std::string>{"top", "angled"}));
  }
}

}  // namespace
}  // namespace darp
