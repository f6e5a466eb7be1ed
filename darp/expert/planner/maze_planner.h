#pragma once
// One that knows its way through mazes.

#include <memory>

#include "darp/expert/expert.h"

namespace darp {

/// For mazes of env/maze: takes the shortest route, in a lane that it draws anew for every episode
/// and leg, as fast as the ball can turn without touching walls. Finds a new route when the target
/// moves or the ball is driven off. Where there is none, start() throws Error.
std::unique_ptr<Expert> make_maze_planner();

}  // namespace darp
