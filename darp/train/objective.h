#pragma once
// What training minimises, and its gradient. Two engines give the same numbers up to rounding:
// the fused one for CPUs (fused_objective.h) and the LibTorch graph, which is the definition
// (graph_objective.h).

#include <cstdint>
#include <span>

#include "darp/core/matrix.h"
#include "darp/retrieval/neighbor_table.h"

namespace darp {

/// The demonstrated rows that neighbours are taken from, standardised.
struct MemoryRows {
  MatrixView states, actions;
};

/// Queries and the actions they ought to get, standardised. Whoever makes an Objective keeps these
/// alive.
struct Examples {
  MatrixView states, actions;
  const NeighborTable* neighbors = nullptr;  // into the memory; null for kinds without neighbours
};

struct QueryBatch {
  std::span<const int64_t> queries;  // rows of the examples
  MatrixView noise = {};             // queries x observation, added to the query states; or empty
  uint64_t seed = 0;                 // of dropout
};

/// The mean over queries and action dimensions of (answer - action)^2. Not for two threads at once.
class Objective {
 public:
  virtual ~Objective() = default;

  /// The loss while learning (with noise and dropout), and its gradient into `gradient`, which is
  /// overwritten. Both vectors are laid out by network_parameters.
  virtual double gradient(std::span<const float> parameters, const QueryBatch& batch,
                          std::span<float> gradient) = 0;
  /// The loss in use: no dropout.
  virtual double loss(std::span<const float> parameters, const QueryBatch& batch) = 0;
};

}  // namespace darp
