#include "darp/train/batch_rows.h"

namespace darp {

void BatchRows::set(const Examples& examples, std::span<const int64_t> queries) {
  if (!examples.neighbors) {
    set_alone(std::ssize(queries));
    return;
  }
  pair_ends_.clear();
  rows_.clear();
  slots_.clear();
  int64_t pairs = 0;
  for (const int64_t query : queries) {
    for (const int32_t row : examples.neighbors->rows(query)) {
      int32_t& slot = slot_of_row_[row];
      if (slot < 0) {
        slot = static_cast<int32_t>(rows_.size());
        rows_.push_back(row);
      }
      slots_.push_back(slot);
    }
    pairs += examples.neighbors->count(query);
    pair_ends_.push_back(pairs);
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
