#pragma once
// LibTorch is a guest: 287 shared objects that take half a second to load, and most commands, the
// fused engine among them, never ask for it. So all code that needs it is in a shared library of
// its own, libdarp_torch.so (darp/train/torch), which is loaded when it is first used.

#include <array>
#include <memory>
#include <span>

#include "darp/policy/policy.h"
#include "darp/policy/policy_archive.h"
#include "darp/train/graph_objective.h"

namespace darp {

/// The sizes of what the program and the library hand each other. Of two builds that do not belong
/// together these differ, as a rule, and calls between them would crash.
using SharedLayout = std::array<size_t, 6>;
inline constexpr SharedLayout kSharedLayout = {sizeof(PolicySpec),   sizeof(PolicyArchive),
                                               sizeof(MemoryRows),   sizeof(Examples),
                                               sizeof(GraphOptions), sizeof(QueryBatch)};

/// The functions of graph_objective.h and torch_policy.h.
struct TorchLibrary {
  SharedLayout layout = kSharedLayout;  // first, so that any build finds it
  void (*check_device)(GraphOptions::Device);
  std::unique_ptr<Objective> (*make_graph_objective)(const PolicySpec&, const MemoryRows&,
                                                     const Examples&, const GraphOptions&);
  double (*precise_gradient)(const PolicySpec&, const MemoryRows&, const Examples&,
                             std::span<const double>, const QueryBatch&, std::span<double>);
  double (*precise_loss)(const PolicySpec&, const MemoryRows&, const Examples&,
                         std::span<const double>, const QueryBatch&);
  std::unique_ptr<Policy> (*make_torch_policy)(std::shared_ptr<const PolicyArchive>);
};

/// Throws Error if `library` is of another build than the caller.
void check_layout(const TorchLibrary& library);

/// Loads the library, once; any thread. Beforehand OpenBLAS is told its kernels if need be
/// (core/openblas.h), and a line about it goes to standard error. Throws Error, saying what is
/// missing, if it cannot be loaded.
const TorchLibrary& torch_library();

}  // namespace darp
