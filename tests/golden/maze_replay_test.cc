// The maze moves as the one in which the published demonstration was made.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "darp/data/ingest/read_dataset.h"
#include "darp/env/maze/maze.h"
#include "tests/reference_files.h"

namespace darp {
namespace {

TEST(MazeReplay, RepeatsEveryStepOfTheDemonstration) {
  DARP_REQUIRE_REFERENCE("demos/maze2d-umaze-v1_1.hdf5");
  const Dataset demos = read_dataset(reference_dir() / "demos" / "maze2d-umaze-v1_1.hdf5").dataset;
  ASSERT_EQ(demos.episodes(), 1);
  ASSERT_EQ(demos.steps(), 113);
  const auto environment = make_maze_long({.ends_at_target = false});
  auto& maze = dynamic_cast<Maze&>(*environment);
  double worst = 0;
  for (int64_t t = 0; t + 1 < demos.steps(); ++t) {
    const auto now = demos.observations().row(t), next = demos.observations().row(t + 1);
    maze.set_target({now[0], now[1]});
    maze.set_state(std::array<double, 2>{now[2], now[3]}, std::array<double, 2>{now[4], now[5]});
    maze.step(demos.actions().row(t));
    std::array<float, 6> seen;
    maze.observe(seen);
    for (size_t i = 0; i < seen.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<double>(seen[i]) - next[i]));
  }
  RecordProperty("worst_error", fmt::format("{:.4g}", worst));
  // The published numbers are floats; 8.8e-7 is what their rounding makes.
  EXPECT_LE(worst, 5 * 8.8e-7);
}

TEST(MazeReplay, ReachesTheTargetByTheDemonstrationsActionsAlone) {
  DARP_REQUIRE_REFERENCE("demos/maze2d-umaze-v1_1.hdf5");
  const Dataset demos = read_dataset(reference_dir() / "demos" / "maze2d-umaze-v1_1.hdf5").dataset;
  const auto environment = make_maze_long({});
  auto& maze = dynamic_cast<Maze&>(*environment);
  maze.set_target({1, 8});
  maze.set_state(std::array<double, 2>{3, 10}, std::array<double, 2>{0, 0});
  Step step;
  int64_t steps = 0;
  while (steps < demos.steps() && step.end == EpisodeEnd::kRunning)
    step = maze.step(demos.actions().row(steps++));
  EXPECT_TRUE(step.success);
  EXPECT_EQ(step.end, EpisodeEnd::kTerminated);
  EXPECT_EQ(step.reward, 1);
  // The first row within reach of the target is the state after the step that ends this episode.
  int64_t first = 0;
  const auto far = [&](int64_t row) {
    const auto seen = demos.observations().row(row);
    return std::hypot(seen[2] - 1, seen[3] - 8) > 0.5;
  };
  while (far(first)) ++first;
  EXPECT_EQ(steps, first);
}

}  // namespace
}  // namespace darp
