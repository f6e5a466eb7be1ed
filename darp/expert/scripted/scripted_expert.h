#pragma once
// Experts of arms, written by hand.

#include <memory>

#include "darp/expert/expert.h"

namespace darp {

/// For the tasks of env/manipulation: goes through the phases of the task's script (scripts.h).
std::unique_ptr<Expert> make_scripted_expert();

}  // namespace darp
