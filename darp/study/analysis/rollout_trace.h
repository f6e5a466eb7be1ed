#pragma once
// Episodes step by step, and episodes that others go on with: what is looked at where two policies
// part ways.

#include <cstdint>
#include <vector>

#include "darp/eval/episode.h"

namespace darp {

/// A place from which an episode can go on.
struct RolloutFork {
  int64_t step = 0;           // steps made before
  std::vector<double> state;  // of the environment
  EpisodeRecord record;       // so far
};

struct RolloutTrace {
  EpisodeRecord record;
  std::vector<double> rewards;                   // of each step
  std::vector<std::vector<float>> observations;  // that each step's action was found from
  std::vector<RolloutFork> forks;                // at 0, every, 2 every, ... before the end
};

/// run_episode, with all that happened. `fork_every` 0: no forks. The policy must not look at what
/// observe() changes: nothing in this project's environments does.
RolloutTrace trace_episode(Environment& environment, Policy& policy, uint64_t seed,
                           int64_t fork_every = 0);

/// What a policy that takes over knows of the steps before.
enum class ForkMemory {
  kReplayed,  // it saw them all: they go through act() from the episode's seed, actions unused
  kEmpty,     // for it the episode begins at the fork
};

/// The episode as it ends when `policy` goes on from a fork of the trace; counts the steps before.
/// With the same policy and kReplayed it is the trace's own record (but `seconds`).
EpisodeRecord continue_from(const RolloutTrace& trace, const RolloutFork& fork,
                            Environment& environment, Policy& policy, ForkMemory memory);

}  // namespace darp
