#include "darp/train/batch_rows.h"

#include "darp/retrieval/neighbor_sample.h"

namespace darp {

void BatchRows::set(const Examples& examples, const QueryBatch& batch) {
  if (!examples.neighbors) {
    set_alone(std::ssize(batch.queries));
    return;
  }
  pair_ends_.clear();
  rows_.clear();
  slots_.clear();
  for (int64_t q = 0; q < std::ssize(batch.queries); ++q) {
    const std::span<const int32_t> neighbors = examples.neighbors->rows(batch.queries[q]);
    for (const int32_t place :
         sampled_places(batch.seed, q, std::ssize(neighbors), batch.neighbor_sample)) {
      const int32_t row = neighbors[place];
      int32_t& slot = slot_of_row_[row];
      if (slot < 0) {
        slot = static_cast<int32_t>(rows_.size());
        rows_.push_back(row);
      }
      slots_.push_back(slot);
    }
    pair_ends_.push_back(std::ssize(slots_));
  }
  for (const int32_t row : rows_) slot_of_row_[row] = -1;
}

void BatchRows::set_alone(int64_t queries) {
  pair_ends_.clear();
  rows_.clear();
  slots_.clear();
  for (int64_t pairs = 1; pairs <= queries; ++pairs) pair_ends_.push_back(pairs);
}

}  // namespace darp
