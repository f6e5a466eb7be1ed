#pragma once
// A search without knowing what a training is: workers that take what is to be done next from the
// journal, have it done, and write down what came out.

#include <atomic>
#include <functional>
#include <optional>

#include "darp/study/tune/trial_journal.h"

namespace darp {

/// Does one training: its score, or nothing if stopped. What it throws as Error is the training's
/// problem, but for FileErrors, which end the search. Called from any thread.
using TrialWork = std::function<std::optional<double>(const TrialRun& run)>;

struct SearchOptions {
  int jobs = 0;  // trainings at once; 0: one per core
  const std::atomic<bool>* stop = nullptr;
  /// Where the first trial is, if not at random; it gets the longest training in any case.
  std::optional<SearchPoint> first = {};
  /// Called after each training with all of them, by one thread at a time.
  std::function<void(const TrialJournal::View&)> on_end = {};
};

/// Goes on until nothing is left to be done, here or by others; gives all that ended, in the order
/// of their ends, or nothing if stopped. A training whose process died is taken over first.
std::optional<std::vector<TrialRun>> search(TrialJournal& journal, const SearchSpace& space,
                                            const TuneSettings& settings, const TrialWork& work,
                                            const SearchOptions& options);

}  // namespace darp
