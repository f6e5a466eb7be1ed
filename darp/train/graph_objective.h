#pragma once
// The objective as a LibTorch graph: the executable definition of the method. Slower than the fused
// objective on CPUs; it has dropout and runs on GPUs.

#include <memory>
#include <span>

#include "darp/policy/policy_spec.h"
#include "darp/train/objective.h"

namespace darp {

struct GraphOptions {
  enum class Device { kCpu, kCuda };
  Device device = Device::kCpu;
  /// CPU threads, which LibTorch has for the whole process: set anew at every call. 0: leave them.
  int threads = 0;
};

/// Throws Error, saying what to do, unless LibTorch is there and has the device.
void check_device(GraphOptions::Device device);

/// Copies all data to the device once; a call moves parameters there and a gradient back. Dropout
/// depends on the batch's seed alone. Throws Error, here and in its calls: a spec that no network
/// can have, examples without neighbours, no such device, no memory.
std::unique_ptr<Objective> make_graph_objective(const PolicySpec& spec, const MemoryRows& memory,
                                                const Examples& examples,
                                                const GraphOptions& options = {});

/// Objective::gradient and Objective::loss in double precision on the CPU, for tests.
double precise_gradient(const PolicySpec& spec, const MemoryRows& memory, const Examples& examples,
                        std::span<const double> parameters, const QueryBatch& batch,
                        std::span<double> gradient);
double precise_loss(const PolicySpec& spec, const MemoryRows& memory, const Examples& examples,
                    std::span<const double> parameters, const QueryBatch& batch);

}  // namespace darp
