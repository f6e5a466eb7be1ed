#pragma once
// Diffusion policies that are small enough for tests.

#include <vector>

#include "darp/policy/policy_spec.h"

namespace darp {

/// Sizes of observations, actions, what is seen and what is answered.
inline constexpr int64_t kPlaceDim = 2, kMoveDim = 2, kPlacesSeen = 2, kMoves = 4;

inline DiffusionSpec small_diffusion() {
  return {.unet = {.channels = {8, 16}, .kernel = 3, .groups = 4, .step_width = 8},
          .denoising = {.training_steps = 20, .sampling_steps = 5, .clip = 1},
          .observation_horizon = kPlacesSeen};
}

inline PolicySpec chunked_spec(decltype(PolicySpec::kind) kind) {
  PolicySpec spec;
  spec.kind = std::move(kind);
  spec.chunk = {.length = kMoves, .execute = 1};
  return spec;
}

inline PolicySpec plain_diffusion() {
  return chunked_spec(small_diffusion());
}

inline PolicySpec retrieving_diffusion(
    DarpDiffusionSpec::Average average,
    NeighborInput::Difference difference = NeighborInput::Difference::kVector) {
  DarpDiffusionSpec spec;
  spec.diffusion = small_diffusion();
  spec.input.difference = difference;
  spec.input.difference_scale = 0.5;
  spec.average = average;
  spec.retrieval.k = 3;
  spec.retrieval.exclude = RetrievalSettings::Exclude::kNothing;
  return chunked_spec(spec);
}

/// Without neighbours, with both averages, and told lengths of differences.
inline std::vector<PolicySpec> every_diffusion() {
  using Average = DarpDiffusionSpec::Average;
  return {plain_diffusion(), retrieving_diffusion(Average::kScore),
          retrieving_diffusion(Average::kChunk),
          retrieving_diffusion(Average::kChunk, NeighborInput::Difference::kNorm)};
}

}  // namespace darp
