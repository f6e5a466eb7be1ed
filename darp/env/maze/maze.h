#pragma once
// A ball in a maze, to be driven to a target.

#include <array>
#include <memory>

#include "darp/env/maze/maze_layout.h"
#include "darp/env/maze/maze_settings.h"
#include "darp/env/mujoco/mujoco_task.h"

namespace darp {

/// Within that of the target is there.
inline constexpr double kMazeReach = 0.5;

/// Actions are forces along x and y. The same seeds as in the literature, hence the same targets
/// and starts in the U-maze.
class Maze final : public MujocoTask {
 public:
  /// @param model of maze_mjcf(name, layout)
  Maze(std::string_view name, std::string_view title, MazeLayout layout,
       std::shared_ptr<const mjModel> model, const MazeSettings& settings);

  void reset(uint64_t seed) override;
  void observe(std::span<float> observation) const override;

  const MazeLayout& layout() const { return layout_; }
  std::array<double, 2> position() const;
  std::array<double, 2> velocity() const;
  /// In the ball's coordinates; part of the saved state.
  std::array<double, 2> target() const;
  /// Until the next reset or restore; finite.
  void set_target(std::array<double, 2> target);
  /// From the ball to the target.
  double distance() const;

 protected:
  Step advance(std::span<const float> action) override;

 private:
  MazeLayout layout_;
  MazeSettings settings_;
};

std::unique_ptr<Environment> make_maze_umaze(const MazeSettings& settings);
std::unique_ptr<Environment> make_maze_long(const MazeSettings& settings);

}  // namespace darp
