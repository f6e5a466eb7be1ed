#pragma once
// Candidates from an approximate index, ranked by exact distances: the approximate part of a
// session.

#include <span>
#include <vector>

#include "darp/kernels/selection.h"
#include "darp/retrieval/hnsw_search.h"
#include "darp/retrieval/retriever.h"

namespace darp {

class ApproximateCandidates {
 public:
  /// The retriever must outlive it.
  explicit ApproximateCandidates(const Retriever& retriever);

  /// Keeps the coordinates of the query at this time.
  void remember(std::span<const float> query, int64_t time) noexcept;
  /// Fills `out` with up to k candidates for the query of this time, remembered before, with their
  /// exact history distances, in the order of rows. Fewer if too many near rows are skipped.
  void find(int64_t time, const kernels::Skip& skip, kernels::Selector& out) noexcept;

  size_t bytes() const;

 private:
  void measure(std::span<const float> query, int64_t back) noexcept;

  const Retriever& retriever_;
  HnswSearch search_;
  int64_t most_;                  // candidates that a search may return
  Matrix queries_;                // the last `lookback` queries
  kernels::RowBlocks block_;      // some rows, gathered for the kernel
  std::vector<float> distances_;  // of the candidates
  std::vector<int32_t> rows_;     // candidates
  std::vector<int32_t> terms_;    // how far back each may look
  kernels::Selector nearest_;
};

}  // namespace darp
