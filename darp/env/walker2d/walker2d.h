#pragma once
#include <memory>
#include <span>

#include "darp/env/environment.h"

namespace darp {

/// gym's Walker2d-v2 as D4RL has it, on MuJoCo; without limits on time and actions.
std::unique_ptr<Environment> make_walker2d();

/// Whether a walker has not fallen: its height is between 0.8 and 2, its pitch between -1 and 1.
bool walker2d_stands(std::span<const double> qpos, std::span<const double> qvel);

}  // namespace darp
