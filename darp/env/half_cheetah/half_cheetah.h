#pragma once
#include <memory>

#include "darp/env/environment.h"

namespace darp {

/// gym's HalfCheetah-v2 as D4RL has it, on MuJoCo; without limits on time and actions.
std::unique_ptr<Environment> make_half_cheetah();

}  // namespace darp
