#pragma once
// The T of Push-T: a bar with a stem, two rectangles that share an edge.

#include <array>

#include "darp/env/image/canvas.h"

namespace darp {

/// Where a T is: its origin, the middle of the bar's outer edge, and its angle in radians.
struct TPose {
  double x = 0, y = 0, angle = 0;
};

using Rectangle = std::array<Point, 4>;

/// In the T's own axes, in units of the task (pixels of a window of 512).
inline constexpr Rectangle kTBar = {{{-60, 30}, {60, 30}, {60, 0}, {-60, 0}}};
inline constexpr Rectangle kTStem = {{{-15, 30}, {-15, 120}, {15, 120}, {15, 30}}};
inline constexpr double kTArea = 120 * 30 + 30 * 90;

/// Where the block shall go.
inline constexpr TPose kTGoal = {256, 256, 0.78539816339744830962};

/// Bar and stem of a T in a pose.
std::array<Rectangle, 2> t_rectangles(const TPose& pose);

}  // namespace darp
