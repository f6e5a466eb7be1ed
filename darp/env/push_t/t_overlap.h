#pragma once
// How much of one T another covers.

#include "darp/env/push_t/t_shape.h"

namespace darp {

/// A rectangle along the axes.
struct Box {
  Point low, high;
};

/// Area that a rectangle, turned as it may be, has in common with a box; its corners may go around
/// either way.
double common_area(const Rectangle& rectangle, const Box& box);

/// The part of the goal that a T in `pose` covers, 0 to 1.
double t_coverage(const TPose& pose);

}  // namespace darp
