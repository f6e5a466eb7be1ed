#pragma once
// LibTorch is a guest: 287 shared objects that take half a second to load, and most commands, the
// fused engine among them, never ask for it. So all code that needs it is in a shared library of
// its own, libdarp_torch.so (darp/train/torch), which is loaded when it is first used.

#include <memory>
#include <span>

#include "darp/policy/policy.h"
#include "darp/policy/policy_archive.h"
#include "darp/train/graph_objective.h"

namespace darp {

/// The functions of graph_objective.h and torch_policy.h.
struct TorchLibrary {
  void (*check_device)(GraphOptions::Device);
  std::unique_ptr<Objective> (*make_graph_objective)(const PolicySpec&, const MemoryRows&,
                                                     const Examples&, const GraphOptions&);
  double (*precise_gradient)(const PolicySpec&, const MemoryRows&, const Examples&,
                             std::span<const double>, const QueryBatch&, std::span<double>);
  double (*precise_loss)(const PolicySpec&, const MemoryRows&, const Examples&,
                         std::span<const double>, const QueryBatch&);
  std::unique_ptr<Policy> (*make_torch_policy)(std::shared_ptr<const PolicyArchive>);
};

/// Loads the library, once; any thread. Beforehand OpenBLAS is told its kernels if need be
/// (core/openblas.h), and a line about it goes to standard error. Throws Error, saying what is
/// missing, if it cannot be loaded.
const TorchLibrary& torch_library();

}  // namespace darp
