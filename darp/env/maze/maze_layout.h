#pragma once
// Mazes of square cells, and the worlds made of them.

#include <string>
#include <string_view>
#include <vector>

namespace darp {

/// A cell: the row counts along x, the column along y. The ball's position in a maze has the same
/// unit and origin, though cells' middles are 0.2 below their numbers (as published).
struct Cell {
  int row = 0, column = 0;

  bool operator==(const Cell&) const = default;
};

/// Immutable.
class MazeLayout {
 public:
  /// Text with a line for each row: '#' is a wall, ' ' is open and 'G' the goal, which is open too.
  /// All lines are as long, the rim is walls, there is one goal: Error else.
  explicit MazeLayout(std::vector<std::string> lines);

  int rows() const { return static_cast<int>(lines_.size()); }
  int columns() const { return static_cast<int>(lines_[0].size()); }
  /// False beyond the rim.
  bool is_open(Cell cell) const;
  Cell goal() const { return goal_; }
  /// Where episodes begin and targets are: row by row, the goal last.
  const std::vector<Cell>& open_cells() const { return open_cells_; }

 private:
  std::vector<std::string> lines_;
  Cell goal_;
  std::vector<Cell> open_cells_;
};

/// A U of 3 x 3 cells.
MazeLayout umaze_layout();
/// A U whose arms are 10 cells long. Our reconstruction: the maze of the published demonstration
/// is not published.
MazeLayout long_maze_layout();

/// MuJoCo's world of a maze: a ball with a motor along x and one along y, walls, a mark that shows
/// the target and touches nothing, and the cameras "top" and "angled", which see all of it in
/// pictures at least as wide as high.
std::string maze_mjcf(std::string_view name, const MazeLayout& layout);

}  // namespace darp
