#pragma once
// What a search shows.

#include "darp/exhibit/exhibit.h"
#include "darp/study/tune/tuner.h"

namespace darp {

/// The best settings, how the search went, which settings mattered, and all trials along parallel
/// axes. `name` of the config, `environment` may be empty.
ExhibitSet tune_exhibits(const SearchSpace& space, const TuneSettings& settings,
                         const TuneResult& result, const std::string& name,
                         const std::string& environment);

}  // namespace darp
