#pragma once
#include <cmath>

#include "darp/env/push_t/t_shape.h"

namespace darp {

constexpr Point operator+(Point a, Point b) {
  return {a.x + b.x, a.y + b.y};
}
constexpr Point operator-(Point a, Point b) {
  return {a.x - b.x, a.y - b.y};
}
constexpr Point operator*(double factor, Point p) {
  return {factor * p.x, factor * p.y};
}
constexpr double dot(Point a, Point b) {
  return a.x * b.x + a.y * b.y;
}
inline double length_of(Point p) {
  return std::sqrt(dot(p, p));
}
inline Point turned(Point p, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * p.x - s * p.y, s * p.x + c * p.y};
}

/// From a T's own axes to the room's, and back.
inline Point to_room(const TPose& pose, Point p) {
  return turned(p, pose.angle) + Point{pose.x, pose.y};
}
inline Point to_block(const TPose& pose, Point p) {
  return turned(p - Point{pose.x, pose.y}, -pose.angle);
}

}  // namespace darp
