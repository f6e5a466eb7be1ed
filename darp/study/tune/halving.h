#pragma once
// Which trials get longer trainings: asynchronous successive halving (ASHA, Li et al. 2020). Nobody
// waits for a rung to be full, so any number of workers is busy until the end. Plain functions of
// what has begun and ended.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "darp/study/tune/search_space.h"
#include "darp/study/tune/tune_settings.h"

namespace darp {

/// A training of a trial, begun or ended.
struct TrialRun {
  int64_t trial = 0, rung = 0;
  SearchPoint point;
  bool ended = false;
  double score = 0;          // of what ended; -infinity if it failed
  std::string problem = {};  // why it failed; else empty

  bool succeeded() const { return ended && problem.empty(); }
};

struct NextTrial {
  int64_t trial = 0, rung = 0;
};

/// What to begin now: the longest training that is due, which is one of the best 1/reduction of a
/// rung, otherwise a new trial (numbers go up from 0). When nothing is left and nothing runs, and
/// no trial has succeeded at the last rung, the best of the highest goes on, so that few trials get
/// there too. Nothing: wait for those that run, or all is done if none does.
/// @param first_goes_on whether trial 0 gets the longest training in any case: settings that a
///                      search starts from are what its end is measured by
std::optional<NextTrial> next_trial(std::span<const TrialRun> runs, const TuneSettings& settings,
                                    bool first_goes_on = false);

/// Places in `runs` of the longest training that ended of each trial, better trials first: those
/// that reached a higher rung, then those with a higher score there. A trial of which any training
/// failed is worth nothing: its failure, at the end.
std::vector<size_t> ranked_trials(std::span<const TrialRun> runs);

}  // namespace darp
