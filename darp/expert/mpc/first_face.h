#pragma once
// The choice that makes episodes from the same start differ.

#include <optional>
#include <span>

#include "darp/core/rng.h"

namespace darp {

/// One of the T's faces to be pushed first, of which `costs` says how good each is: first a side is
/// drawn, that is a direction to push in, then a face on it. Drawn are those that cost no more than
/// the best and `more`, in any case the two best sides. None where all costs are infinite.
std::optional<int> drawn_face(std::span<const double> costs, double more, Rng& rng);

}  // namespace darp
