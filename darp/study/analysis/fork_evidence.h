#pragma once
// A rollout that others go on with from many of its steps.

#include <filesystem>
#include <string>
#include <vector>

#include "darp/eval/evaluator.h"
#include "darp/study/analysis/rollout_trace.h"

namespace darp {

/// Who goes on, and what it knows of the steps before.
struct ForkContinuation {
  PolicyFactory policy;
  ForkMemory memory = ForkMemory::kReplayed;
};
struct ForkQuestion {
  PolicyFactory policy;  // whose rollout it is
  uint64_t seed = 0;
  std::vector<ForkContinuation> continuations;
};

struct ForkEvidence {
  double episode_return = 0;  // of the rollout itself
  int64_t length = 0;
  std::vector<int64_t> steps;                // of the forks
  std::vector<std::vector<double>> returns;  // by continuation, then fork: of the whole episode
};

/// One answer per question; the same for any number of threads.
std::vector<ForkEvidence> find_forks(const std::vector<ForkQuestion>& questions,
                                     const EnvironmentFactory& environment, int64_t fork_every,
                                     ThreadPool& pool);
/// find_forks, or what it gave before, kept in the file under the key.
std::vector<ForkEvidence> kept_forks(const std::filesystem::path& file, const std::string& key,
                                     const std::vector<ForkQuestion>& questions,
                                     const EnvironmentFactory& environment, int64_t fork_every,
                                     ThreadPool& pool);

/// From how far into a rollout somebody still comes to something.
struct Recovery {
  int64_t last_step = -1;   // the last fork from which the episode came to enough; -1: none
  int64_t first_lost = -1;  // the first from which it did not; -1: none
  double part = 0;          // of all forks from which it did
};
Recovery recovery_of(const ForkEvidence& evidence, size_t continuation, double enough);

/// The return of the last fork at or before this part (0 to 1) of the rollout.
double return_at(const ForkEvidence& evidence, size_t continuation, double part);

}  // namespace darp
