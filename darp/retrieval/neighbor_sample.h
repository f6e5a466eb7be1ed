#pragma once
// Learning from some of each query's neighbours. A policy that averages over many neighbours need
// not look at all of them in every step: an unbiased sample, drawn anew each time, costs less and
// keeps the network from counting on any one of them. In use, all of them answer.

#include <cstdint>
#include <vector>

namespace darp {

/// Places of `sample` of `count` neighbours, ascending, each choice equally likely; all of them
/// where there are no more than that, and for a sample of 0. The same for the same seed and query.
/// @param query its place in the batch
std::vector<int32_t> sampled_places(uint64_t seed, int64_t query, int64_t count, int64_t sample);

}  // namespace darp
