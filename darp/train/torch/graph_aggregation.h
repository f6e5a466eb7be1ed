#pragma once
// How the neighbours' answers become one (AggregationSettings), as LibTorch operations.

#include "darp/policy/policy_spec.h"
#include "darp/train/torch/named_tensors.h"

namespace darp {

/// Which of a batch's places hold neighbours.
struct NeighborMask {
  at::Tensor own;     // queries x places, true where there is one; undefined: everywhere
  at::Tensor counts;  // queries x 1, in the answers' type; undefined where own is
  /// queries x places, what each counts in the mean; undefined: all alike.
  at::Tensor weights = {};
};

/// policy/neighbor_weights.h for all queries: from lengths of differences, queries x places.
at::Tensor graph_neighbor_weights(double bandwidth, const at::Tensor& lengths,
                                  const NeighborMask& mask);

/// queries x places x features to queries x outputs. `most` is the number of neighbours that the
/// settings ask for: concatenation has a place for each.
at::Tensor graph_aggregation(const AggregationSettings& settings, const NamedTensors& parameters,
                             const at::Tensor& answers, const NeighborMask& mask, int64_t most,
                             at::Generator* dropout = nullptr);

/// The set transformer (policy/set_transformer.h) alone.
at::Tensor graph_set_transformer(const AggregationSettings& settings,
                                 const NamedTensors& parameters, const std::string& prefix,
                                 const at::Tensor& set, const NeighborMask& mask);

}  // namespace darp
