#include "darp/env/push_t/push_t_drawing.h"

#include <algorithm>

#include "darp/env/push_t/push_t_space.h"

namespace darp {
namespace {

constexpr double kWindow = 512;
constexpr Color kBeyond = {0.93, 0.93, 0.93, 1}, kFloor = {1, 1, 1, 1},
                kWall = {0.62, 0.64, 0.67, 1};
constexpr Color kGoalFill = {0.62, 0.91, 0.62, 1}, kGoalEdge = {0.36, 0.70, 0.38, 1};
constexpr Color kBlockFill = {0.47, 0.54, 0.61, 1}, kBlockEdge = {0.25, 0.30, 0.36, 1};
constexpr Color kAgentFill = {0.22, 0.42, 0.90, 1}, kAgentEdge = {0.10, 0.22, 0.55, 1};

/// The outline of the whole T, so that the seam of its rectangles does not show.
void draw_t(Canvas& canvas, const TPose& pose, Point shift, Color fill, Color edge) {
  const auto [bar, stem] = t_rectangles({pose.x + shift.x, pose.y + shift.y, pose.angle});
  const std::array<Point, 8> outline = {bar[0],  bar[3],  bar[2],  bar[1],
                                        stem[3], stem[2], stem[1], stem[0]};
  canvas.fill_polygon(outline, fill);
  canvas.outline_polygon(outline, 2, edge);
}

}  // namespace

Image draw_push_t(Point agent, const TPose& block, int width, int height) {
  Canvas canvas(width, height, kBeyond);
  const double scale = std::min(width, height) / kWindow;
  canvas.scale(scale);
  const Point shift = {(width / scale - kWindow) / 2, (height / scale - kWindow) / 2};
  const double low = kRoomLow - kWallRadius, size = kRoomHigh + kWallRadius - low;
  canvas.fill_rectangle({low + shift.x, low + shift.y}, size, size, kWall);
  const double inner = kRoomLow + kWallRadius, inner_size = kRoomHigh - kWallRadius - inner;
  canvas.fill_rectangle({inner + shift.x, inner + shift.y}, inner_size, inner_size, kFloor);

  draw_t(canvas, kTGoal, shift, kGoalFill, kGoalEdge);
  draw_t(canvas, block, shift, kBlockFill, kBlockEdge);
  const Point center = {agent.x + shift.x, agent.y + shift.y};
  canvas.fill_circle(center, kAgentRadius, kAgentEdge);
  canvas.fill_circle(center, kAgentRadius - 2, kAgentFill);
  return canvas.image();
}

}  // namespace darp
