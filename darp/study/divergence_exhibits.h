#pragma once
// What the study of divergence shows of its rollouts: tables, counts beside the paper's, curves.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "darp/study/analysis/divergence_evidence.h"
#include "darp/study/analysis/rollout_runs.h"

namespace darp {

/// One start, with the evidence of both rollouts from it, which it points into.
struct DivergencePair {
  const RolloutRuns& runs;
  const DivergenceEvidence& evidence;
  RolloutPair pair;
  const RolloutEvidence &first, &second;
  std::optional<int64_t> step;  // of divergence

  /// The step that a rollout was asked at; its last where it had ended before.
  size_t step_in(const RolloutEvidence& rollout) const {
    return std::min(static_cast<size_t>(*step), rollout.rewards.size() - 1);
  }
};

/// @param evidence of every training, with its task
ExhibitSet divergence_exhibits(
    const std::vector<RolloutRuns>& tasks, const std::vector<DivergencePair>& pairs,
    const std::vector<std::pair<std::string, DivergenceEvidence>>& evidence, const StudySpec& spec);

}  // namespace darp
