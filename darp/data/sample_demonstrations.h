#pragma once
// Made-up demonstrations, for measuring and for trying things out: smooth, a little noisy, episodes
// of one task that resemble each other without being equal.

#include <cstdint>
#include <vector>

#include "darp/core/matrix.h"

namespace darp {

struct SampleDemonstrations {
  Matrix rows;
  std::vector<int64_t> ends;

  /// A few hidden quantities swing with random amplitudes and phases through each episode; every
  /// column is a wave over a mix of them. The same `task` gives the same columns, so that a rollout
  /// made with another seed moves through the same space.
  SampleDemonstrations(uint64_t task, uint64_t seed, int64_t episodes, int64_t steps, int64_t cols);
};

}  // namespace darp
