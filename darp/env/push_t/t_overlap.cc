#include "darp/env/push_t/t_overlap.h"

#include <algorithm>
#include <cmath>

namespace darp {
namespace {

/// What is left of a rectangle after cuts.
struct CutPolygon {
  // Four cuts; each leaves at most 1.5 times as many corners, however numbers are rounded.
  std::array<Point, 20> corners;
  size_t count = 0;

  void add(Point corner) { corners[count++] = corner; }
};

/// Keeps the side of a line along an axis where sign * coordinate <= limit.
CutPolygon cut_off(const CutPolygon& polygon, double Point::*coordinate, double sign,
                   double limit) {
  CutPolygon kept;
  for (size_t i = 0; i < polygon.count; ++i) {
    const Point a = polygon.corners[i], b = polygon.corners[i + 1 < polygon.count ? i + 1 : 0];
    const double beyond_a = sign * a.*coordinate - limit, beyond_b = sign * b.*coordinate - limit;
    if (beyond_a <= 0) kept.add(a);
    if ((beyond_a <= 0) != (beyond_b <= 0)) {
      const double part = beyond_a / (beyond_a - beyond_b);
      kept.add({a.x + part * (b.x - a.x), a.y + part * (b.y - a.y)});
    }
  }
  return kept;
}

double area(const CutPolygon& polygon) {
  double doubled = 0;
  for (size_t i = 1; i + 1 < polygon.count; ++i) {
    const Point o = polygon.corners[0], a = polygon.corners[i], b = polygon.corners[i + 1];
    doubled += (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
  }
  return std::abs(doubled) / 2;
}

bool apart(const Rectangle& rectangle, const Box& box) {
  const auto all = [&](auto beyond) { return std::ranges::all_of(rectangle, beyond); };
  return all([&](Point p) { return p.x <= box.low.x; }) ||
         all([&](Point p) { return p.x >= box.high.x; }) ||
         all([&](Point p) { return p.y <= box.low.y; }) ||
         all([&](Point p) { return p.y >= box.high.y; });
}

constexpr Box box_around(const Rectangle& upright) {
  Box box{upright[0], upright[0]};
  for (const Point p : upright) {
    box.low = {std::min(box.low.x, p.x), std::min(box.low.y, p.y)};
    box.high = {std::max(box.high.x, p.x), std::max(box.high.y, p.y)};
  }
  return box;
}

/// `pose` as seen from the goal, whose own axes are upright there.
TPose seen_from_goal(const TPose& pose) {
  static const double c = std::cos(kTGoal.angle), s = std::sin(kTGoal.angle);
  const double dx = pose.x - kTGoal.x, dy = pose.y - kTGoal.y;
  return {c * dx + s * dy, c * dy - s * dx, pose.angle - kTGoal.angle};
}

}  // namespace

double common_area(const Rectangle& rectangle, const Box& box) {
  if (apart(rectangle, box)) return 0;
  CutPolygon kept;
  for (const Point corner : rectangle) kept.add(corner);
  kept = cut_off(kept, &Point::x, 1, box.high.x);
  kept = cut_off(kept, &Point::x, -1, -box.low.x);
  kept = cut_off(kept, &Point::y, 1, box.high.y);
  kept = cut_off(kept, &Point::y, -1, -box.low.y);
  return area(kept);
}

double t_coverage(const TPose& pose) {
  constexpr std::array<Box, 2> goal = {box_around(kTBar), box_around(kTStem)};
  // The rectangles of one T only share an edge, so that the parts add up.
  double common = 0;
  for (const Rectangle& part : t_rectangles(seen_from_goal(pose)))
    for (const Box& wanted : goal) common += common_area(part, wanted);
  return common / kTArea;
}

}  // namespace darp
