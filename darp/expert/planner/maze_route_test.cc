#include "darp/expert/planner/maze_route.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "darp/core/rng.h"

namespace darp {
namespace {

/// Walls at random, in some layouts so many that parts are cut off.
MazeLayout random_layout(Rng& rng) {
  const auto rows = 3 + static_cast<size_t>(rng.below(7)),
             columns = 3 + static_cast<size_t>(rng.below(7));
  const double walls = rng.uniform(0, 0.6);
  std::vector<std::string> lines(rows, std::string(columns, '#'));
  for (size_t r = 1; r + 1 < rows; ++r)
    for (size_t c = 1; c + 1 < columns; ++c)
      if (rng.uniform() >= walls) lines[r][c] = ' ';
  lines[1 + rng.below(rows - 2)][1 + rng.below(columns - 2)] = 'G';
  return MazeLayout(lines);
}

/// Steps from cell to cell by relaxing all distances until none changes; -1 for no way.
std::vector<int> relaxed_distances(const MazeLayout& layout, size_t from) {
  const auto& cells = layout.open_cells();
  const int far = static_cast<int>(cells.size());
  std::vector<int> distance(cells.size(), far);
  distance[from] = 0;
  for (size_t pass = 0; pass < cells.size(); ++pass)
    for (size_t a = 0; a < cells.size(); ++a)
      for (size_t b = 0; b < cells.size(); ++b)
        if (std::abs(cells[a].row - cells[b].row) + std::abs(cells[a].column - cells[b].column) ==
            1)
          distance[b] = std::min(distance[b], distance[a] + 1);
  for (int& steps : distance)
    if (steps == far) steps = -1;
  return distance;
}

TEST(MazeRoute, IsAsShortAsBruteForceSays) {
  int cut_off = 0;
  for (uint64_t trial = 0; trial < 150; ++trial) {
    Rng rng(31, trial);
    const MazeLayout layout = random_layout(rng);
    const auto& cells = layout.open_cells();
    const size_t from = rng.below(cells.size());
    const auto distances = relaxed_distances(layout, from);
    for (size_t to = 0; to < cells.size(); ++to) {
      const auto route = shortest_route(layout, cells[from], cells[to]);
      ASSERT_EQ(route.has_value(), distances[to] >= 0);
      cut_off += route ? 0 : 1;
      if (!route) continue;
      ASSERT_EQ(static_cast<int>(route->size()), distances[to] + 1);
      EXPECT_EQ(route->front(), cells[from]);
      EXPECT_EQ(route->back(), cells[to]);
      for (size_t i = 0; i < route->size(); ++i) {
        const Cell here = (*route)[i];
        EXPECT_TRUE(layout.is_open(here));
        if (i == 0) continue;
        const Cell last = (*route)[i - 1];
        EXPECT_EQ(std::abs(here.row - last.row) + std::abs(here.column - last.column), 1);
      }
    }
  }
  EXPECT_GT(cut_off, 100);
}

TEST(MazeRoute, LeadsNowhereFromOrToWalls) {
  const MazeLayout layout = umaze_layout();
  EXPECT_FALSE(shortest_route(layout, {2, 1}, {1, 1}));
  EXPECT_FALSE(shortest_route(layout, {1, 1}, {0, 0}));
  EXPECT_FALSE(shortest_route(layout, {1, 1}, {-5, 70}));
}

TEST(MazeRoute, TurnsTwiceInAU) {
  const auto route = shortest_route(long_maze_layout(), {1, 1}, {3, 1});
  ASSERT_TRUE(route);
  EXPECT_EQ(route->size(), 21u);
  EXPECT_EQ(turns_of(*route), (std::vector<Cell>{{1, 10}, {3, 10}}));
  EXPECT_TRUE(turns_of({{1, 1}}).empty());
}

TEST(MazeRoute, KnowsTheCellOfEveryPlaceTheBallCanBe) {
  for (const double x : {2.41, 2.8, 3.19})
    for (const double y : {0.41, 0.8, 1.19}) EXPECT_EQ(maze_cell({x, y}), (Cell{3, 1}));
  EXPECT_EQ(maze_cell(middle_of({2, 5})), (Cell{2, 5}));
}

}  // namespace
}  // namespace darp
