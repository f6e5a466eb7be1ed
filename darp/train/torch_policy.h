#pragma once
// A policy file in use, executed with LibTorch on the CPU: what trainers look at while learning and
// what faster executors are compared with.

#include <memory>

#include "darp/policy/policy.h"
#include "darp/policy/policy_archive.h"

namespace darp {

/// Every member answers with an action in the environment's units; the policy's action is their
/// mean. Neighbours are found among standardised rows, in the metric's raw units
/// (MetricSettings::in_units_of). Beside what Policy promises, act() throws Error if the action is
/// not finite or memory runs out; an observation that was refused is as if it had never come.
std::unique_ptr<Policy> make_torch_policy(std::shared_ptr<const PolicyArchive> archive);

}  // namespace darp
