#include "darp/env/push_t/t_shape.h"

#include <cmath>

namespace darp {

std::array<Rectangle, 2> t_rectangles(const TPose& pose) {
  const double c = std::cos(pose.angle), s = std::sin(pose.angle);
  std::array<Rectangle, 2> placed = {kTBar, kTStem};
  for (Rectangle& rectangle : placed)
    for (Point& corner : rectangle)
      corner = {c * corner.x - s * corner.y + pose.x, s * corner.x + c * corner.y + pose.y};
  return placed;
}

}  // namespace darp
