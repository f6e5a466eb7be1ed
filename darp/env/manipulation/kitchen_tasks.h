#pragma once
// What is done in a kitchen: RoboCasa's tasks in one canonical scene each, with its joints, starts
// and rules of success.

#include <memory>

#include "darp/env/environment.h"
#include "darp/env/manipulation/pose.h"

namespace darp {

std::unique_ptr<Environment> make_close_drawer();
std::unique_ptr<Environment> make_close_door();
std::unique_ptr<Environment> make_turn_on_stove();
std::unique_ptr<Environment> make_turn_off_stove();

/// Of a drawer's front that is shut; its handle's axis before it.
inline constexpr double kDrawerFace = 0.48, kDrawerHandle = 0.05;
/// A knob is on unless it is this near to its mark, in radians.
inline constexpr double kKnobOff = 0.35;
inline constexpr int kKnobs = 5;

class ManipulationTask;
/// Which of the stove's knobs is meant, and where it stands, from -pi to pi.
int wanted_knob(const ManipulationTask& task);
double knob_angle(const ManipulationTask& task, int knob);

}  // namespace darp
