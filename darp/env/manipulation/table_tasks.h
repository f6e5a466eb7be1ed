#pragma once
// What is done on the table: robosuite's and MimicGen's tasks with their starts (D0), observations
// and rules of success.

#include <memory>

#include "darp/env/environment.h"
#include "darp/env/manipulation/pose.h"

namespace darp {

/// A small cube onto a larger one.
std::unique_ptr<Environment> make_stack();
/// A square nut onto a peg.
std::unique_ptr<Environment> make_square();
/// A needle through the ring of a tripod.
std::unique_ptr<Environment> make_threading();

/// A leg into a table top, there to be screwed in.
std::unique_ptr<Environment> make_one_leg();

/// Where the leg's centre is in the end, in the frame of the table top; it points away from it
/// then.
inline constexpr Vec3 kLegSeat = {0.05625, 0.05625, 0.046875};

/// The middle of the shaft and of the ring, in the frames of needle and tripod.
inline constexpr Vec3 kNeedleShaft = {0, -0.02, 0}, kTripodRing = {0, 0, 0.088};

}  // namespace darp
