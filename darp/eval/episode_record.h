#pragma once
// What is kept of an episode.

#include <cstdint>
#include <string>

#include "darp/env/environment.h"

namespace darp {

struct EpisodeRecord {
  uint64_t seed = 0;
  double episode_return = 0;  // sum of rewards, or the best one: EnvironmentInfo::score
  int64_t length = 0;         // steps
  bool success = false;       // a step was one
  EpisodeEnd end = EpisodeEnd::kRunning;
  std::string problem = {};  // what the policy said when it failed; else empty
  float worst_novelty = -1;  // largest novelty of a step (policy/novelty.h); -1 without neighbours
  double seconds =
      -1;  // it took; -1 unknown. Not part of record files, which are the same each time.

  bool operator==(const EpisodeRecord&) const = default;
};

}  // namespace darp
