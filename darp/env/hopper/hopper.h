#pragma once
#include <memory>
#include <span>

#include "darp/env/environment.h"

namespace darp {

/// gym's Hopper-v2 as D4RL has it, on MuJoCo; without limits on time and actions.
std::unique_ptr<Environment> make_hopper();

/// Whether a hopper has not fallen: no number but x and height is 100 or more, it is higher than
/// 0.7 and leans less than 0.2.
bool hopper_stands(std::span<const double> qpos, std::span<const double> qvel);

}  // namespace darp
