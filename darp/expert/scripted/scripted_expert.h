#pragma once
// Experts of arms, written by hand.

#include <memory>

#include "darp/expert/expert.h"

namespace darp {

/// For the tasks of env/manipulation: goes through the phases of the task's script (scripts.h).
std::unique_ptr<Expert> make_scripted_expert();

/// The same scripts as people would go through them (human_manner.h): with pauses, at varying
/// speed, on bent ways and from different sides. Actions depend on the episode's chance.
std::unique_ptr<Expert> make_human_like_expert();

}  // namespace darp
