#pragma once
// One demonstration, cut in two.

#include <utility>

#include "darp/data/dataset.h"

namespace darp {

/// The beginning of a single episode and its end, which has this fraction of the steps (at least
/// one each). Throws Error for several episodes, for too few steps and for a fraction that is not
/// within (0, 1).
std::pair<Dataset, Dataset> split_steps(const Dataset& dataset, double end_fraction);

}  // namespace darp
