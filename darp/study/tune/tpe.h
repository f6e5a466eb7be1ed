#pragma once
// Which settings to try next, from those that were tried: tree-structured Parzen estimators
// (Bergstra et al. 2011), each dimension for itself. Only the order of trials counts, not how far
// apart their scores are, so failures and trainings of different lengths are welcome.

#include <cstdint>
#include <span>

#include "darp/study/tune/search_space.h"

namespace darp {

struct ProposalSettings {
  int64_t startup = 8;  // trials before anything is concluded from others
  uint64_t seed = 0;
};

/// How many of `count` trials are the good ones.
size_t good_trials(size_t count);

/// The point of trial number `trial` (from 0). The first `startup` trials are a Latin hypercube;
/// then, in each dimension, the most promising of a few draws from where the good trials are: that
/// with the highest density of good trials over that of the others. The same arguments give the
/// same point. `best_first` are those that ended, better ones first.
SearchPoint propose(const SearchSpace& space, std::span<const SearchPoint> best_first,
                    int64_t trial, const ProposalSettings& settings);

}  // namespace darp
