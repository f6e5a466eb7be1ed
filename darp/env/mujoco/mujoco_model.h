#pragma once
// A robot and its world, compiled.

#include <mujoco/mujoco.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace darp {

/// A piece of MJCF that others include by its name.
struct MjcfPiece {
  std::string name;
  std::string_view text;
};

/// Compiles MJCF text; any number of simulations in any threads share the model. Throws Error with
/// the compiler's words. From then on MuJoCo's warnings are silent (simulations count them) and its
/// fatal errors are Errors.
std::shared_ptr<const mjModel> compile_mjcf(std::string_view name, std::string_view mjcf,
                                            std::span<const MjcfPiece> pieces = {});

}  // namespace darp
