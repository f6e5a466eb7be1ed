#pragma once
// The scripts, by task.

#include <string_view>

#include "darp/expert/scripted/script.h"

namespace darp {

Script stack_script();
Script square_script();
Script threading_script();
Script one_leg_script();
Script close_drawer_script();
Script close_door_script();
Script turn_on_stove_script();
Script turn_off_stove_script();

/// Throws Error for tasks without one.
Script script_named(std::string_view environment);

}  // namespace darp
