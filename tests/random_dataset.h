#pragma once
// Seeded random demonstrations for property tests.

#include <cmath>
#include <string>

#include "darp/core/rng.h"
#include "darp/data/dataset.h"

namespace darp {

struct RandomDatasetShape {
  int64_t episodes = 3, longest = 20, action_dim = 2;
  std::vector<std::pair<std::string, int64_t>> parts = {{"observation", 5}};
  bool rewards = false;
};

/// Contents with episodes of 1..longest steps; values of every magnitude, negative zero and
/// subnormals among them.
inline DatasetContents random_contents(uint64_t seed, const RandomDatasetShape& shape = {}) {
  Rng rng(seed);
  DatasetContents c;
  c.source = "random";
  int64_t rows = 0, width = 0;
  for (const auto& [name, part_width] : shape.parts) {
    c.parts.push_back({name, width, width + part_width});
    width += part_width;
  }
  for (int64_t i = 0; i < shape.episodes; ++i)
    c.episode_ends.push_back(
        rows += 1 + static_cast<int64_t>(rng.below(static_cast<uint64_t>(shape.longest))));
  const auto value = [&] {
    const double kind = rng.uniform();
    if (kind < 0.02) return -0.0f;
    if (kind < 0.04) return 1e-42f;
    return static_cast<float>(rng.normal() * std::exp(10 * rng.normal()));
  };
  c.observations = Matrix::zeros(rows, width);
  c.actions = Matrix::zeros(rows, shape.action_dim);
  for (int64_t i = 0; i < rows; ++i) {
    for (float& x : c.observations.row(i)) x = value();
    for (float& x : c.actions.row(i)) x = value();
    if (shape.rewards) c.rewards.push_back(value());
  }
  return c;
}

inline Dataset random_dataset(uint64_t seed, const RandomDatasetShape& shape = {}) {
  return Dataset(random_contents(seed, shape));
}

}  // namespace darp
