#pragma once
// What stands over the pictures of a video: where the episode is and what the policy goes by.

#include <span>
#include <string>
#include <vector>

#include "darp/env/image/image.h"

namespace darp {

struct Overlay {
  /// At the upper left: task, seed, step, return.
  std::vector<std::string> lines = {};
  /// Bars at the lower edge, nearest first; none for policies that retrieve nothing.
  std::span<const float> neighbor_distances = {};
  /// The distance of a bar of full height; 0: the largest of these.
  float full_bar = 0;
  /// policy/novelty.h; below 0: not shown.
  float novelty = -1;
};

/// A copy with the overlay on it, sized to the picture; legible on any background, in colors that
/// color-blind people tell apart. Distances that are not finite or beyond `full_bar` are orange
/// bars of full height.
Image with_overlay(const Image& image, const Overlay& overlay);

}  // namespace darp
