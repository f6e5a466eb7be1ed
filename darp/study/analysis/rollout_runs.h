#pragma once
// Two methods, trained and evaluated, and the episodes in which one fails and the other does not:
// where the divergence and forking studies begin.

#include "darp/study/analysis/rollout_choice.h"
#include "darp/study/policy_executor.h"
#include "darp/study/study.h"

namespace darp {

/// All trainings of a method on a task.
struct RolloutMethod {
  std::string name;
  std::vector<PolicyExecutor> policies;
  std::vector<Evaluation> evaluations;
};

struct RolloutRuns {
  TaskSpec task;
  EnvironmentSettings environment;
  RolloutMethod first, second;  // the one that fails, the one that does not
  RolloutChoice choice;

  /// What was chosen, in a sentence.
  std::string about(const RolloutSettings& settings) const;
};

/// For each task. Nothing if stopped. Throws Error unless there are two methods and one protocol,
/// published or recipe.
std::optional<std::vector<RolloutRuns>> do_rollout_runs(const StudySpec& spec,
                                                        const StudyContext& context);

/// What comes after: rollouts from the chosen starts, kept in the study's folder, and what they
/// show. Whoever has policies already (`darp import-reference`) begins here. Nothing if stopped.
std::optional<ExhibitSet> show_divergence(const std::vector<RolloutRuns>& tasks,
                                          const StudySpec& spec, const StudyContext& context);
std::optional<ExhibitSet> show_forks(const std::vector<RolloutRuns>& tasks, const StudySpec& spec,
                                     const StudyContext& context);

}  // namespace darp
