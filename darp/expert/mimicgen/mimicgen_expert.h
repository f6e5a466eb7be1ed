#pragma once
// Demonstrations made from a handful of others (MimicGen, Mandlekar et al. 2023): their segments,
// each about one object, are moved to where that object is now and executed again.

#include <memory>

#include "darp/expert/expert.h"

namespace darp {

/// For `stack`, `square` and `threading`. Sources are ten episodes of the scripted expert. Actions
/// have normal noise of 0.05 (not the gripper, not between segments), which is part of the
/// demonstration. Not every episode succeeds: collect with --success-only.
std::unique_ptr<Expert> make_mimicgen_expert();

}  // namespace darp
