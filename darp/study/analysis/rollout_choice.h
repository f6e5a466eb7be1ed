#pragma once
// Which episodes to look at closely: where one method fails and the other does not.

#include <span>
#include <vector>

#include "darp/eval/evaluation.h"
#include "darp/study/analysis/rollout_settings.h"

namespace darp {

/// One start, seen by a training of each of two methods.
struct RolloutPair {
  int64_t training = 0;  // place of both in their lists
  uint64_t seed = 0;
  double first = 0, second = 0;  // attainment

  bool operator==(const RolloutPair&) const = default;
};

struct RolloutChoice {
  std::vector<RolloutPair> pairs;  // by training, then seed
  bool as_wanted = true;  // false: no episode was; those with the largest difference instead
  int64_t wanted = 0;     // episodes in which the first fails and the second succeeds
  int64_t all = 0;        // pairs of episodes there were
};

/// 0 to 1 and beyond: success where the environment has it; else D4RL's score / 100; else the
/// return as a share of `best`.
double attainment(const EpisodeRecord& record, const Evaluation& evaluation, double best);

/// At most settings.count of them, taking turns among trainings, seeds ascending. The i-th of
/// `first` and of `second` are a pair, on the same seeds. Throws Error unless they are.
RolloutChoice choose_rollouts(std::span<const Evaluation> first, std::span<const Evaluation> second,
                              const RolloutSettings& settings);

}  // namespace darp
