#pragma once
// The runs behind a table: every method on every task under every protocol.

#include "darp/study/study.h"

namespace darp {

/// A method on a task under a protocol.
struct TableResult {
  std::string protocol, task, method;  // method: its label
  /// On report seeds: one of each training, by training seed, or of the one network that a search
  /// chose. Empty where the protocol has nothing for the method.
  std::vector<Evaluation> evaluations = {};
  bool chosen = false;  // by a search: the sample is the network's episodes, not trainings
  /// What the chosen one had in the search, where that was a return.
  std::optional<double> search_score = {};
  std::vector<std::string> settings = {};  // that the search chose
  int64_t trainings = 0;                   // that were done for it
  double train_seconds = 0;                // of all of them
};

/// By protocol, task and method, in the declaration's order. Does the runs that are missing;
/// nothing if stopped.
std::optional<std::vector<TableResult>> table_results(const StudySpec& spec,
                                                      const StudyContext& context);

/// The trainings that are not part of searches.
std::vector<StudyRun> table_runs(const StudySpec& spec, const StudyPlaces& places);
/// Trials of all searches.
int64_t table_trials(const StudySpec& spec, const StudyPlaces& places);

/// Throws Error for protocols that there are not, searches without trials or spaces, and successes
/// of tasks that have none.
void check_table(const StudySpec& spec, const StudyPlaces& places);

}  // namespace darp
