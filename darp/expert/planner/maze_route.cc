#include "darp/expert/planner/maze_route.h"

#include <algorithm>
#include <cmath>

namespace darp {
namespace {

// Cells' middles are that much below their numbers.
constexpr double kMiddle = 0.2;
constexpr int kUnseen = -1;

}  // namespace

Cell maze_cell(std::array<double, 2> position) {
  return {static_cast<int>(std::lround(position[0] + kMiddle)),
          static_cast<int>(std::lround(position[1] + kMiddle))};
}

std::array<double, 2> middle_of(Cell cell) {
  return {cell.row - kMiddle, cell.column - kMiddle};
}

std::optional<std::vector<Cell>> shortest_route(const MazeLayout& layout, Cell from, Cell to) {
  if (!layout.is_open(from) || !layout.is_open(to)) return std::nullopt;
  const auto index = [&](Cell cell) {
    return static_cast<size_t>(cell.row * layout.columns() + cell.column);
  };
  // Breadth first, backward: what found a cell is the next one on the way.
  std::vector<Cell> queue = {to};
  std::vector<int> found_by(static_cast<size_t>(layout.rows() * layout.columns()), kUnseen);
  found_by[index(to)] = 0;
  for (size_t next = 0; next < queue.size() && found_by[index(from)] == kUnseen; ++next) {
    const auto [row, column] = queue[next];
    for (const Cell beside : {Cell{row, column - 1}, Cell{row, column + 1}, Cell{row - 1, column},
                              Cell{row + 1, column}}) {
      if (!layout.is_open(beside) || found_by[index(beside)] != kUnseen) continue;
      found_by[index(beside)] = static_cast<int>(next);
      queue.push_back(beside);
    }
  }
  if (found_by[index(from)] == kUnseen) return std::nullopt;
  std::vector<Cell> route = {from};
  while (route.back() != to)
    route.push_back(queue[static_cast<size_t>(found_by[index(route.back())])]);
  return route;
}

std::vector<Cell> turns_of(const std::vector<Cell>& route) {
  std::vector<Cell> turns;
  for (size_t i = 1; i + 1 < route.size(); ++i)
    if (route[i - 1].row != route[i + 1].row && route[i - 1].column != route[i + 1].column)
      turns.push_back(route[i]);
  return turns;
}

}  // namespace darp
