#pragma once
// Ways through mazes.

#include <array>
#include <optional>
#include <vector>

#include "darp/env/maze/maze_layout.h"

namespace darp {

/// The cell that holds a position of the ball.
Cell maze_cell(std::array<double, 2> position);
/// The position at a cell's middle.
std::array<double, 2> middle_of(Cell cell);

/// Cells from `from` to `to`, both included, each beside the one before, as few as can be; none
/// where walls are in between or either cell is one.
std::optional<std::vector<Cell>> shortest_route(const MazeLayout& layout, Cell from, Cell to);

/// Where a route turns: its cells that do not lie between their neighbors in a straight line,
/// without the first and the last.
std::vector<Cell> turns_of(const std::vector<Cell>& route);

}  // namespace darp
