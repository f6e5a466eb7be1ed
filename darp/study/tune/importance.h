#pragma once
// Which settings mattered.

#include <span>
#include <vector>

#include "darp/study/tune/search_space.h"

namespace darp {

/// Functional analysis of variance on a random forest (fANOVA, Hutter et al. 2014): trees learn the
/// score from the settings, and a setting's importance is the part of the variance over the whole
/// space that it explains by itself, the others averaged over their ranges. So it does not matter
/// that a search tries good places more often than others. One number per dimension, their sum at
/// most 1: the rest is interplay. All 0 where there is nothing to explain. The same arguments give
/// the same numbers. `scores` are finite, one for each point.
std::vector<double> importances(const SearchSpace& space, std::span<const SearchPoint> points,
                                std::span<const double> scores);

}  // namespace darp
