#pragma once
#include <memory>
#include <span>

#include "darp/env/ant/ant_settings.h"
#include "darp/env/environment.h"

namespace darp {

/// gym's Ant-v2 as D4RL has it, on MuJoCo; without limits on time and actions.
std::unique_ptr<Environment> make_ant(const AntSettings& settings);

/// Whether an ant has neither fallen nor flown: its height is 0.2 to 1, both included.
bool ant_stands(std::span<const double> qpos, std::span<const double> qvel);

}  // namespace darp
