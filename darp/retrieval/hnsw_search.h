#pragma once
// Walks the graph of an HnswIndex.

#include <cstdint>
#include <span>
#include <vector>

#include "darp/retrieval/hnsw_index.h"

namespace darp {

/// Searches one index; each thread has its own. The index must outlive it.
class HnswSearch {
 public:
  /// Allocates all that searches up to `largest_effort` need: a bit for each row and 12 bytes for
  /// each candidate.
  HnswSearch(const HnswIndex& index, int64_t largest_effort);

  /// Up to `count` rows near `query` (cols() numbers), in ascending row order. `effort` is how many
  /// candidates the walk keeps: the more, the more of the true nearest it finds and the longer it
  /// takes; it is raised to `count`. Both are cut to the largest effort. The same
  /// query gets the same answer; of equal rows the lower ones win. The result is valid until the
  /// next call. No allocation, also if the query is not finite.
  std::span<const int32_t> nearest(const float* query, int64_t count, int64_t effort) noexcept;

 private:
  std::span<const int32_t> collect(int64_t count) noexcept;
  void walk(const HnswLayer& layer, int64_t effort) noexcept;
  void measure(const HnswLayer& layer) noexcept;
  int64_t merge(int64_t effort) noexcept;
  int64_t take_beam(const HnswLayer& layer, int64_t next) noexcept;
  void gather(std::span<const int32_t> links) noexcept;

  const HnswIndex& index_;
  const int64_t largest_effort_;
  std::vector<float> query_;       // widened as the index's rows are
  std::vector<uint64_t> visited_;  // a bit for each node
  std::vector<uint64_t> batch_;    // candidates that one step of the walk adds
  std::vector<uint64_t> pool_;     // the nearest candidates so far, sorted
  std::vector<int32_t> beam_;      // nodes to expand
  std::vector<int32_t> fresh_;     // nodes met for the first time
  std::vector<int32_t> rows_;      // of fresh_
  std::vector<float> distances_;   // of fresh_
  std::vector<int32_t> result_;
  int64_t pool_size_ = 0, beam_size_ = 0, fresh_size_ = 0;
};

}  // namespace darp
