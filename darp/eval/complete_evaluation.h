#pragma once
// The rest of an evaluation: what a record file has is not rolled out again.

#include <filesystem>

#include "darp/eval/evaluation.h"
#include "darp/eval/evaluator.h"

namespace darp {

struct CompletionOptions {
  std::filesystem::path records = {};       // where episodes go as they end; empty: nowhere
  int threads = 0;                          // 0: one per core
  const std::atomic<bool>* stop = nullptr;  // set: episodes under way end
  Progress::Output progress = Progress::standard_error();
  /// Told once how many episodes the record file had, if any.
  std::function<void(int64_t)> on_resumed = {};
};

/// Rolls out the subject's seeds that are missing, from the record file or from the start, and
/// fills in records, time and threads. False if it was stopped before all were done. Throws Error
/// as evaluate() and RecordFile do.
bool complete_evaluation(const EnvironmentFactory& make_environment,
                         const PolicyFactory& make_policy, Evaluation& evaluation,
                         const CompletionOptions& options);

}  // namespace darp
