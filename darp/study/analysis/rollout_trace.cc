#include "darp/study/analysis/rollout_trace.h"

#include "darp/core/error.h"

namespace darp {

RolloutTrace trace_episode(Environment& environment, Policy& policy, uint64_t seed,
                           int64_t fork_every) {
  RolloutTrace trace;
  const auto dim = static_cast<size_t>(environment.info().observations.dim());
  trace.record = run_episode(environment, policy, seed, [&](const EpisodeMoment& moment) {
    const EpisodeRecord& record = moment.record;
    if (record.length > static_cast<int64_t>(trace.rewards.size()))
      trace.rewards.push_back(moment.reward);
    if (record.end != EpisodeEnd::kRunning) return;
    moment.environment.observe(trace.observations.emplace_back(dim));
    if (fork_every > 0 && record.length % fork_every == 0)
      trace.forks.push_back({record.length, saved_state(moment.environment), record});
  });
  // A mishap's step was not made.
  trace.observations.resize(trace.rewards.size());
  return trace;
}

EpisodeRecord continue_from(const RolloutTrace& trace, const RolloutFork& fork,
                            Environment& environment, Policy& policy, ForkMemory memory) {
  environment.restore(fork.state);
  policy.reset(trace.record.seed);
  EpisodeRecord record = fork.record;
  const auto seen = memory == ForkMemory::kReplayed ? static_cast<size_t>(fork.step) : 0;
  std::vector<float> unused(environment.info().actions.names.size());
  try {
    for (size_t t = 0; t < seen; ++t) policy.act(trace.observations[t], unused);
  } catch (const Error& error) {
    record.problem = error.what();
    record.end = EpisodeEnd::kPolicyFailed;
  }
  if (record.end == EpisodeEnd::kRunning) continue_episode(environment, policy, record);
  return record;
}

}  // namespace darp
