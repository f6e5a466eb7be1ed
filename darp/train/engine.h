#pragma once
// Which engine computes an objective.

#include <memory>
#include <string>

#include "darp/core/thread_pool.h"
#include "darp/policy/policy_spec.h"
#include "darp/train/graph_objective.h"
#include "darp/train/objective.h"
#include "darp/train/train_settings.h"

namespace darp {

/// Whether there is anything to learn by gradients.
bool learns(const PolicySpec& spec);

/// The engine that computes this policy's objective on this device, `auto` resolved. Throws Error,
/// saying what to change, if the chosen one cannot.
TrainSettings::Engine chosen_engine(const PolicySpec& spec, const TrainSettings& settings,
                                    GraphOptions::Device device);

/// "fused engine, bf16", "LibTorch graph on CUDA", ...
std::string engine_name(const PolicySpec& spec, const TrainSettings& settings,
                        GraphOptions::Device device);

/// An objective by the chosen engine. `pool`, memory and examples must outlive it.
std::unique_ptr<Objective> make_objective(const PolicySpec& spec, const TrainSettings& settings,
                                          GraphOptions::Device device, const MemoryRows& memory,
                                          const Examples& examples, ThreadPool& pool);

}  // namespace darp
