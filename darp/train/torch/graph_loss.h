#pragma once
// The method, written down with LibTorch operations: the definition that faster code is compared
// with.
//
//   answer(q) = mean over q's neighbours i of f([s_i | a_i | scale (s_i - s_q) | s_q])
//   loss      = mean over queries and action dimensions of (answer(q) - action(q))^2
//
// Without neighbours (behaviour cloning) answer(q) = f(s_q).

#include <ATen/ATen.h>

#include <optional>

#include "darp/policy/neighbor_features.h"
#include "darp/train/objective.h"
#include "darp/train/torch/graph_network.h"

namespace darp {

/// Holds copies of all data on the device. Immutable.
class GraphLoss {
 public:
  /// Throws Error for a spec that no network can have, and for examples without neighbours.
  GraphLoss(const PolicySpec& spec, const MemoryRows& memory, const Examples& examples,
            at::Device device, at::ScalarType type);

  at::Device device() const { return queries_.device(); }
  int64_t parameter_count() const { return network_.parameter_count(); }

  /// One number. `learning` says whether units are dropped out: by the batch's seed alone.
  at::Tensor operator()(const at::Tensor& parameters, const QueryBatch& batch, bool learning) const;

 private:
  void take_neighbors(const MemoryRows& memory, const NeighborTable& table);
  at::Tensor query_states(const QueryBatch& batch, const at::Tensor& rows) const;
  at::Tensor features(const at::Tensor& neighbors, const at::Tensor& query) const;
  at::Tensor average(const at::Tensor& answers, const QueryBatch& batch) const;

  GraphNetwork network_;
  std::optional<FeatureLayout> layout_;  // none without neighbours
  at::Tensor queries_, targets_;
  at::Tensor states_, actions_;  // of the memory
  at::Tensor neighbors_;         // queries x widest, 32 bits; unused places are row 0
  std::vector<int64_t> counts_;  // of neighbours
};

}  // namespace darp
