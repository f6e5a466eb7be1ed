#pragma once
// Which demonstrated rows a batch of queries meets, each once: the first layer is evaluated once
// per row, however many queries meet it.

#include <cstdint>
#include <span>
#include <vector>

#include "darp/train/objective.h"

namespace darp {

/// A batch's (query, neighbour) pairs in order, pair p being the places pairs_of(query). Kinds
/// without neighbours have one pair per query that meets no row.
class BatchRows {
 public:
  /// @param memory_rows how many rows neighbours can be
  explicit BatchRows(int64_t memory_rows) : slot_of_row_(memory_rows, -1) {}

  void set(const Examples& examples, const QueryBatch& batch);
  /// So many queries that meet no row.
  void set_alone(int64_t queries);

  int64_t queries() const { return static_cast<int64_t>(pair_ends_.size()); }
  int64_t pairs() const { return pair_ends_.empty() ? 0 : pair_ends_.back(); }
  int64_t pairs_begin(int64_t query) const { return query == 0 ? 0 : pair_ends_[query - 1]; }
  int64_t pairs_end(int64_t query) const { return pair_ends_[query]; }

  /// The rows met, each once, in the order of first meeting; a row's place here is its slot.
  std::span<const int32_t> rows() const { return rows_; }
  /// The slot of each pair's neighbour; empty without neighbours.
  std::span<const int32_t> slots() const { return slots_; }

 private:
  std::vector<int32_t> slot_of_row_;  // -1 between batches
  std::vector<int64_t> pair_ends_;
  std::vector<int32_t> rows_, slots_;
};

}  // namespace darp
