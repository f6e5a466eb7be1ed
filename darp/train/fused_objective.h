#pragma once
// The fast engine for CPUs. The same function as the LibTorch graph (graph_objective.h) up to
// rounding, at the cost that its arithmetic must have:
//   - the first layer is one product per row and per query, not per pair
//   (policy/neighbor_features.h);
//   - the last layer comes after the mean;
//   - hidden layers run forward and backward over blocks that stay in cache (fused_block.h).
// The work is cut into shards by the batch alone and their gradients are added in order: any number
// of threads gives the same bits.

#include <memory>

#include "darp/core/thread_pool.h"
#include "darp/policy/policy_spec.h"
#include "darp/train/objective.h"

namespace darp {

/// Whether the fused engine can do this policy: mean aggregation, no dropout, a hidden layer.
bool fused_engine_supports(const PolicySpec& spec);

/// All arguments but the spec must outlive the objective.
/// @param bfloat16 products of hidden layers take operands rounded to bfloat16 (weights, sums and
///                 everything else stay float)
std::unique_ptr<Objective> make_fused_objective(const PolicySpec& spec, const MemoryRows& memory,
                                                const Examples& examples, ThreadPool& pool,
                                                bool bfloat16 = false);

}  // namespace darp
