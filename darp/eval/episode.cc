#include "darp/eval/episode.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "darp/core/error.h"

namespace darp {
namespace {

using EpisodeClock = std::chrono::steady_clock;

/// Asks the policy, then goes one step; says what became of it.
Step act_and_step(Environment& environment, Policy& policy, std::span<float> observation,
                  std::span<float> action, EpisodeRecord& record) {
  environment.observe(observation);
  try {
    policy.act(observation, action);
  } catch (const Error& error) {
    record.problem = error.what();
    return {.end = EpisodeEnd::kPolicyFailed};
  }
  record.worst_novelty = std::max(record.worst_novelty, policy.novelty());
  return environment.step(action);
}

}  // namespace

void check_dimensions(const Environment& environment, const Policy& policy) {
  const EnvironmentInfo& info = environment.info();
  if (policy.observation_dim() == info.observations.dim() &&
      policy.action_dim() == info.actions.dim())
    return;
  throw Error(info.name,
              fmt::format("has {} observation and {} action dimensions, the policy {} and {}",
                          info.observations.dim(), info.actions.dim(), policy.observation_dim(),
                          policy.action_dim()),
              "give the environment that the policy was trained for: darp environments lists them");
}

void count_step(const EnvironmentInfo& info, const Step& step, EpisodeRecord& record) {
  record.end = step.end;
  if (is_mishap(step.end)) return;
  ++record.length;
  record.success |= step.success;
  record.episode_return = info.score == EnvironmentInfo::Score::kBest
                              ? std::max(record.episode_return, step.reward)
                              : record.episode_return + step.reward;
}

void continue_episode(Environment& environment, Policy& policy, EpisodeRecord& record,
                      const EpisodeObserver& observer) {
  const EnvironmentInfo& info = environment.info();
  std::vector<float> observation(info.observations.names.size()), action(info.actions.names.size());
  if (observer) observer({environment, policy, record});
  while (record.end == EpisodeEnd::kRunning) {
    const Step step = act_and_step(environment, policy, observation, action, record);
    count_step(info, step, record);
    if (observer) observer({environment, policy, record, step.reward});
  }
}

EpisodeRecord run_episode(Environment& environment, Policy& policy, uint64_t seed,
                          const EpisodeObserver& observer) {
  const auto start = EpisodeClock::now();
  EpisodeRecord record;
  record.seed = seed;
  environment.reset(seed);
  policy.reset(seed);
  continue_episode(environment, policy, record, observer);
  record.seconds = std::chrono::duration<double>(EpisodeClock::now() - start).count();
  return record;
}

}  // namespace darp
