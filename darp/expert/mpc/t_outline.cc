#include "darp/expert/mpc/t_outline.h"

#include <algorithm>
#include <array>

#include "darp/env/push_t/push_t_space.h"

namespace darp {
namespace {

// Behind the bar the stem leaves room for the agent's middle only from there on.
constexpr double kBar = 60, kThick = 30, kStem = 15, kEnd = 120, kFit = kAgentRadius + 0.5;
constexpr std::array<TFace, kTFaces> kFaces = {{
    {{-kBar, 0}, {kBar, 0}, {0, -1}},
    {{kBar, 0}, {kBar, kThick}, {1, 0}},
    {{kBar, kThick}, {kStem + kFit, kThick}, {0, 1}},
    {{kStem, kThick + kFit}, {kStem, kEnd}, {1, 0}},
    {{kStem, kEnd}, {-kStem, kEnd}, {0, 1}},
    {{-kStem, kEnd}, {-kStem, kThick + kFit}, {-1, 0}},
    {{-kStem - kFit, kThick}, {-kBar, kThick}, {0, 1}},
    {{-kBar, kThick}, {-kBar, 0}, {-1, 0}},
}};
constexpr std::array<Point, 8> kCorners = {{{-kBar, 0},
                                            {kBar, 0},
                                            {kBar, kThick},
                                            {kStem, kThick},
                                            {kStem, kEnd},
                                            {-kStem, kEnd},
                                            {-kStem, kThick},
                                            {-kBar, kThick}}};

double squared_distance(Point p, Point low, Point high) {
  const double dx = std::max({low.x - p.x, 0.0, p.x - high.x}),
               dy = std::max({low.y - p.y, 0.0, p.y - high.y});
  return dx * dx + dy * dy;
}

}  // namespace

const TFace& t_face(int face) {
  return kFaces[static_cast<size_t>(face)];
}

double distance_to_t(Point p) {
  return std::sqrt(std::min(squared_distance(p, {-kBar, 0}, {kBar, kThick}),
                            squared_distance(p, {-kStem, kThick}, {kStem, kEnd})));
}

double pose_distance(const TPose& a, const TPose& b) {
  const double c = std::cos(a.angle) - std::cos(b.angle), s = std::sin(a.angle) - std::sin(b.angle);
  double sum = 0;
  for (const Point& p : kCorners)
    sum += length_of({c * p.x - s * p.y + a.x - b.x, s * p.x + c * p.y + a.y - b.y});
  return sum / kCorners.size();
}

}  // namespace darp
