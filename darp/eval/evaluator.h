#pragma once
// A policy on many seeds, on all cores.

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "darp/core/progress.h"
#include "darp/core/thread_pool.h"
#include "darp/eval/episode.h"

namespace darp {

/// Called from any thread, several times: each thread has its own.
using EnvironmentFactory = std::function<std::unique_ptr<Environment>()>;
using PolicyFactory = std::function<std::unique_ptr<Policy>()>;

struct EvaluatorOptions {
  /// Counts episodes.
  Progress* progress = nullptr;
  /// Called with each episode as it ends, by one thread at a time, in any order. What it throws
  /// ends the evaluation.
  std::function<void(const EpisodeRecord&)> on_episode;
  /// When it becomes true, no further episode starts.
  const std::atomic<bool>* stop = nullptr;
};

/// One record per seed, in the order of `seeds` (fewer if stopped); apart from `seconds` the same
/// for any number of threads, because an episode starts from its seed and nothing else. Throws
/// Error before the first step if the policy is made for other dimensions. A mishap (see
/// EpisodeEnd) ends its episode, never the evaluation.
std::vector<EpisodeRecord> evaluate(const EnvironmentFactory& make_environment,
                                    const PolicyFactory& make_policy,
                                    const std::vector<uint64_t>& seeds, ThreadPool& pool,
                                    const EvaluatorOptions& options = {});

}  // namespace darp
