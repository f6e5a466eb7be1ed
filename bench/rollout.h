#pragma once
// Observations for contenders that answer one after the other.

#include <span>

#include "darp/core/matrix.h"

namespace darp::bench {

/// A rollout that never ends: one long episode, over and over. `rows` must outlive it.
class Rollout {
 public:
  explicit Rollout(const Matrix& rows) : rows_(rows) {}
  std::span<const float> next() { return rows_.row(step_++ % rows_.rows()); }

 private:
  const Matrix& rows_;
  int64_t step_ = 0;
};

}  // namespace darp::bench
