#pragma once
// A robot and its world, compiled.

#include <mujoco/mujoco.h>

#include <memory>
#include <string_view>

namespace darp {

/// Compiles MJCF text; any number of simulations in any threads share the model. Throws Error with
/// the compiler's words. From then on MuJoCo's warnings are silent (simulations count them) and its
/// fatal errors are Errors.
std::shared_ptr<const mjModel> compile_mjcf(std::string_view name, std::string_view mjcf);

}  // namespace darp
