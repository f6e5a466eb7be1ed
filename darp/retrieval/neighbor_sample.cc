#include "darp/retrieval/neighbor_sample.h"

#include <numeric>

#include "darp/core/rng.h"

namespace darp {

std::vector<int32_t> sampled_places(uint64_t seed, int64_t query, int64_t count, int64_t sample) {
  std::vector<int32_t> places;
  if (sample == 0 || count <= sample) {
    places.resize(static_cast<size_t>(count));
    std::iota(places.begin(), places.end(), 0);
    return places;
  }
  // Selection sampling: each place in turn, with the chance that leaves all choices equally likely.
  Rng rng = Rng(seed).split(static_cast<uint64_t>(query));
  for (int64_t place = 0; std::ssize(places) < sample; ++place) {
    const int64_t wanted = sample - std::ssize(places);
    if (rng.below(static_cast<uint64_t>(count - place)) < static_cast<uint64_t>(wanted))
      places.push_back(static_cast<int32_t>(place));
  }
  return places;
}

}  // namespace darp
