#pragma once
// Two policies from the same starts, step by step: rewards, and how likely what they met is under
// the demonstrations.

#include <filesystem>
#include <span>

#include "darp/eval/evaluator.h"
#include "darp/policy/policy_archive.h"
#include "darp/study/analysis/rollout_settings.h"

namespace darp {

/// A rollout's log-likelihoods, one list per mixture size, one number per step. A step's
/// differences count with the mean over its neighbours. NaN where there is none.
struct RolloutEvidence {
  double episode_return = 0;
  std::vector<double> rewards;
  std::vector<std::vector<double>> states, differences;
};

struct DivergenceEvidence {
  /// A mixture of the demonstrations' vectors.
  struct Fit {
    double threshold = 0;  // first percentile of the demonstrations' own likelihoods
    double bic = 0;        // less is better
  };
  std::vector<int64_t> components;       // sizes that were tried
  std::vector<Fit> states, differences;  // of each
  /// The part of demonstrated steps below the threshold of a model that has not seen them, with the
  /// size of least BIC: 0.01 would be perfect.
  double states_held_out = 0, differences_held_out = 0;
  std::vector<RolloutEvidence> first, second;  // by seed

  /// Places in `components` with the least BIC.
  size_t best_states() const;
  size_t best_differences() const;
};

struct DivergenceQuestion {
  PolicyFactory first, second;
  const PolicyArchive& retrieval;  // whose neighbours and scales are used: the second's
  EnvironmentFactory environment;
  std::span<const uint64_t> seeds;
};
/// The same for any number of threads.
DivergenceEvidence find_evidence(const DivergenceQuestion& question,
                                 const RolloutSettings& settings, ThreadPool& pool);

/// find_evidence, or what it gave before, kept in the file under the key.
DivergenceEvidence kept_evidence(const std::filesystem::path& file, const std::string& key,
                                 const DivergenceQuestion& question,
                                 const RolloutSettings& settings, ThreadPool& pool);

}  // namespace darp
