#pragma once
// One policy in one environment for one episode.

#include <functional>

#include "darp/eval/episode_record.h"
#include "darp/policy/policy.h"

namespace darp {

/// The state of affairs before the first step and after each.
struct EpisodeMoment {
  Environment& environment;
  Policy& policy;
  const EpisodeRecord& record;  // so far
  double reward = 0;            // of the last step; 0 before the first
};
using EpisodeObserver = std::function<void(const EpisodeMoment&)>;

/// Rolls out from reset(seed) until the environment says that the episode is over. An Error of the
/// policy ends it as kPolicyFailed. `observer` may look (and draw), not touch. The environment must
/// have a time limit.
EpisodeRecord run_episode(Environment& environment, Policy& policy, uint64_t seed,
                          const EpisodeObserver& observer = {});

/// Goes on from the present states of both until the episode is over, counting in `record`, which
/// still runs. What run_episode does after the resets: `observer` is called first for the present.
void continue_episode(Environment& environment, Policy& policy, EpisodeRecord& record,
                      const EpisodeObserver& observer = {});

/// Counts a step that was made in `record`. Mishaps end it and count no further.
void count_step(const EnvironmentInfo& info, const Step& step, EpisodeRecord& record);

/// Throws Error unless the policy's observations and actions have the environment's sizes.
void check_dimensions(const Environment& environment, const Policy& policy);

}  // namespace darp
