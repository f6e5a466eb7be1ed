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
  std::span<const float> calibration = {};  // PolicyContents::calibration
};

/// Answers ought to be like those for neighbouring states (MRIL): `weight` times the mean over
/// queries and action numbers of the sum over neighbours i of w_i (f(s_q) - f(s_i))^2.
struct Smoothness {
  double weight = 0;
  const NeighborTable* neighbors = nullptr;  // of every query, into the memory
  std::span<const float> weights;            // queries x neighbors->width(), 0 for unused places
};

/// Queries and the actions they ought to get, standardised; a query's actions are a whole chunk if
/// the policy has them. Whoever makes an Objective keeps these alive.
struct Examples {
  MatrixView states, actions;
  const NeighborTable* neighbors = nullptr;  // into the memory; null for kinds without neighbours
  const Smoothness* smoothness = nullptr;    // null without; only for behaviour cloning
};

struct QueryBatch {
  std::span<const int64_t> queries;  // rows of the examples
  MatrixView noise = {};             // queries x observation, added to the query states; or empty
  uint64_t seed = 0;                 // of dropout and of all else that is drawn
  int64_t neighbor_sample = 0;  // so many of each query's neighbours (neighbor_sample.h); 0: all
};

/// The mean over queries of what the policy's kind says an answer costs (head_loss, in most). Not
/// for two threads at once.
class Objective {
 public:
  virtual ~Objective() = default;

  /// The loss while learning (with noise and dropout), and its gradient into `gradient`, which is
  /// overwritten. Both vectors are laid out by policy_parameters.
  virtual double gradient(std::span<const float> parameters, const QueryBatch& batch,
                          std::span<float> gradient) = 0;
  /// The loss in use: no dropout.
  virtual double loss(std::span<const float> parameters, const QueryBatch& batch) = 0;
};

}  // namespace darp
