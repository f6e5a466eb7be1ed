#pragma once
// The smallest environment that does all that one has to do: copy this folder to start a new one
// (docs/adding/environment.md).

#include <memory>

#include "darp/env/environment.h"

namespace darp {

/// A puck on ice: its action accelerates it, and it should come to rest at the origin.
std::unique_ptr<Environment> make_dummy();

}  // namespace darp
