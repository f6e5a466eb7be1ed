#pragma once
// The sides of the T: where one can push it.

#include "darp/expert/mpc/point_arithmetic.h"

namespace darp {

/// One after the other around the T, from the bar's outer edge.
inline constexpr int kTFaces = 8;

/// A part of a side, in the T's own axes: from where to where a round agent fits, and the way out.
struct TFace {
  Point from, to, normal;
};
const TFace& t_face(int face);

/// From a point in the T's own axes to the T; 0 within.
double distance_to_t(Point p);

/// Mean distance of the T's corners in two poses.
double pose_distance(const TPose& a, const TPose& b);

}  // namespace darp
