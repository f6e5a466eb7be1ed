#pragma once
// A linear system to learn in tests: s' = s + A s + B a, and a column that never changes.

#include "darp/core/rng.h"
#include "darp/data/dataset.h"

namespace darp {

inline constexpr int64_t kSystemStates = 3, kSystemActions = 2;

/// What one step adds to the state; 0 in the last column.
inline void system_residual(std::span<const float> s, std::span<const float> a,
                            std::span<float> out) {
  out[0] = 0.1f * s[1] - 0.05f * s[0] + 0.02f * a[0];
  out[1] = -0.1f * s[0] - 0.05f * s[1] + 0.1f * a[1];
  out[2] = 0;
}

/// Episodes of random actions from random states.
inline Dataset system_episodes(uint64_t seed, int64_t episodes = 6, int64_t steps = 40) {
  Rng rng(seed);
  DatasetContents contents;
  contents.observations = Matrix::zeros(episodes * steps, kSystemStates);
  contents.actions = Matrix::zeros(episodes * steps, kSystemActions);
  for (int64_t row = 0; row < episodes * steps; ++row) {
    const auto s = contents.observations.row(row);
    if (row % steps == 0) {
      for (float& x : s) x = static_cast<float>(rng.normal());
      s[2] = 0.5f;
    } else {
      float change[kSystemStates];
      const Matrix& observations = contents.observations;
      const Matrix& actions = contents.actions;
      system_residual(observations.row(row - 1), actions.row(row - 1), change);
      for (int64_t j = 0; j < kSystemStates; ++j) s[j] = observations(row - 1, j) + change[j];
    }
    for (float& x : contents.actions.row(row)) x = static_cast<float>(rng.normal());
  }
  for (int64_t e = 1; e <= episodes; ++e) contents.episode_ends.push_back(e * steps);
  return Dataset(std::move(contents));
}

}  // namespace darp
