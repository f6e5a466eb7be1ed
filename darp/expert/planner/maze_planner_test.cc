#include "darp/expert/planner/maze_planner.h"

#include <gtest/gtest.h>

#include <cmath>

#include "darp/env/maze/maze.h"
#include "darp/env/registry.h"
#include "darp/expert/planner/maze_route.h"
#include "tests/error_of.h"
#include "tests/observation_of.h"

namespace darp {
namespace {

/// Walls that touch the ball.
int walls_touched(const Maze& maze) {
  const mjData& data = maze.simulation().data();
  int touched = 0;
  for (int i = 0; i < data.ncon; ++i)
    if (maze.simulation().model().geom_type[data.contact[i].geom1] != mjGEOM_PLANE) ++touched;
  return touched;
}

struct MazeRun {
  bool success = false;
  int touches = 0;
  std::vector<float> actions;

  size_t steps() const { return actions.size() / 2; }
};

MazeRun driven(Environment& environment, Expert& expert, uint64_t seed, uint64_t rng_seed) {
  environment.reset(seed);
  expert.start(environment, Rng(rng_seed));
  MazeRun run;
  Step step;
  std::array<float, 2> action{};
  while (step.end == EpisodeEnd::kRunning && run.steps() < 500) {
    expert.act(environment, observation_of(environment), action);
    for (const float force : action) EXPECT_LE(std::abs(force), 1);
    run.actions.insert(run.actions.end(), action.begin(), action.end());
    step = environment.step(action);
    run.touches += walls_touched(dynamic_cast<const Maze&>(environment.task()));
  }
  run.success = step.success;
  return run;
}

TEST(MazePlanner, ReachesEveryTargetWithoutTouchingWalls) {
  const auto planner = make_maze_planner();
  for (const char* name : {"maze_umaze", "maze_long"}) {
    const auto maze = make_environment(name);
    for (uint64_t seed = 0; seed < 100; ++seed) {
      const MazeRun run = driven(*maze, *planner, 1'000'000 + seed, seed);
      EXPECT_TRUE(run.success) << name << ", seed " << seed;
      EXPECT_EQ(run.touches, 0) << name << ", seed " << seed;
    }
  }
}

TEST(MazePlanner, ActsSmoothly) {
  const auto planner = make_maze_planner();
  const auto maze = make_environment("maze_long");
  double change = 0;
  size_t steps = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const MazeRun run = driven(*maze, *planner, seed, seed);
    for (size_t i = 2; i < run.actions.size(); ++i)
      change += std::abs(run.actions[i] - run.actions[i - 2]);
    steps += run.steps();
  }
  EXPECT_LT(change / static_cast<double>(steps), 0.08);
}

TEST(MazePlanner, DependsOnItsRandomNumbersAlone) {
  const auto maze = make_environment("maze_long");
  const auto planner = make_maze_planner(), other = make_maze_planner();
  // What went before leaves nothing; a long way has turns, whose lanes are drawn.
  driven(*maze, *other, 8, 9);
  uint64_t seed = 0;
  while (driven(*maze, *planner, seed, 5).steps() < 250) ++seed;
  const MazeRun run = driven(*maze, *planner, seed, 5);
  EXPECT_EQ(run.actions, driven(*maze, *other, seed, 5).actions);
  EXPECT_NE(run.actions, driven(*maze, *other, seed, 6).actions);
}

TEST(MazePlanner, FindsAnotherWayWhenTheTargetMovesOrTheBallIsCarriedOff) {
  const auto owned = make_maze_umaze({.ends_at_target = false});
  auto& maze = dynamic_cast<Maze&>(*owned);
  const auto planner = make_maze_planner();
  std::array<float, 2> action{};
  const auto drive = [&](int steps) {
    for (int i = 0; i < steps; ++i) {
      planner->act(maze, observation_of(maze), action);
      maze.step(action);
    }
  };
  maze.reset(0);
  maze.set_target(middle_of({1, 3}));
  maze.set_state(middle_of({1, 1}), std::array{0.0, 0.0});
  planner->start(maze, Rng(1));
  drive(150);
  EXPECT_LT(maze.distance(), 0.1);
  maze.set_target(middle_of({3, 1}));
  drive(250);
  EXPECT_LT(maze.distance(), 0.1);
  maze.set_target(middle_of({1, 3}));
  drive(5);
  maze.set_state(middle_of({1, 1}), std::array{0.0, 0.0});
  drive(150);
  EXPECT_LT(maze.distance(), 0.1);
}

TEST(MazePlanner, RefusesWhatIsNoMazeOrHasNoWay) {
  const auto planner = make_maze_planner();
  EXPECT_SAYS(error_of([&] { planner->start(*make_environment("hopper"), Rng(0)); }), "no maze");
  const auto owned = make_maze_umaze({});
  dynamic_cast<Maze&>(*owned).set_target(middle_of({2, 2}));
  EXPECT_SAYS(error_of([&] { planner->start(*owned, Rng(0)); }), "no way");
}

}  // namespace
}  // namespace darp
