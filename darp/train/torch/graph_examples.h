#pragma once
// Examples and their neighbours as tensors on a device.

#include <ATen/ATen.h>

#include <optional>
#include <vector>

#include "darp/policy/neighbor_features.h"
#include "darp/train/objective.h"
#include "darp/train/torch/graph_aggregation.h"

namespace darp {

/// Depends on the seed and on nothing that ran before.
at::Generator seeded_generator(at::Device device, uint64_t seed);

/// Holds copies of all data. Immutable.
class GraphExamples {
 public:
  /// Throws Error for an example without neighbours where the kind has them.
  GraphExamples(const MemoryRows& memory, const Examples& examples, at::TensorOptions options);

  at::Device device() const { return queries_.device(); }
  at::TensorOptions options() const { return queries_.options(); }
  const at::Tensor& states() const { return states_; }    // of the memory
  const at::Tensor& actions() const { return actions_; }  // of the memory

  /// The batch's rows of the examples; checks them.
  at::Tensor rows(const QueryBatch& batch) const;
  /// Their states, with the batch's noise, and their targets.
  at::Tensor queries(const QueryBatch& batch, const at::Tensor& rows) const;
  at::Tensor targets(const at::Tensor& rows) const { return targets_.index_select(0, rows); }

  bool has_neighbors() const { return neighbors_.defined(); }
  /// Rows of the memory, queries x as many places as the batch needs; unused ones are row 0.
  at::Tensor neighbors(const QueryBatch& batch, const at::Tensor& rows) const;
  NeighborMask mask(const QueryBatch& batch) const;

 private:
  int64_t widest(const QueryBatch& batch) const;

  at::Tensor queries_, targets_, states_, actions_;
  at::Tensor neighbors_;         // queries x widest, 32 bits
  std::vector<int64_t> counts_;  // of neighbours
};

/// The rows that `neighbors` (queries x places) names, queries x places x columns.
at::Tensor gather_rows(const at::Tensor& from, const at::Tensor& neighbors);

/// neighbor_features.h for all neighbours of all queries: queries x places x width. States and
/// actions are gathered already; `query` is queries x columns. If `unit` is given (columns), the
/// difference is taken in parts of it, and its length after that.
at::Tensor graph_features(const FeatureLayout& layout, const at::Tensor& states,
                          const at::Tensor& actions, const at::Tensor& query,
                          const at::Tensor& unit = {});

}  // namespace darp
