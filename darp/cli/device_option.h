#pragma once
// --device of commands that train.

#include <string>

#include "darp/train/graph_objective.h"

namespace darp {

/// cpu or cuda. Throws Error for other names.
GraphOptions::Device device_named(const std::string& name);

}  // namespace darp
