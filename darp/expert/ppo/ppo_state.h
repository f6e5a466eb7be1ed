#pragma once
// Everything that an expert's training is between two updates, and its file: safetensors with a
// checksum. A run that reads it back goes on to the same bits, simulations and all.

#include <filesystem>
#include <string_view>
#include <vector>

#include "darp/expert/ppo/expert_network.h"
#include "darp/expert/ppo/ppo_objective.h"
#include "darp/expert/ppo/rollout.h"
#include "darp/expert/ppo/running_moments.h"

namespace darp {

struct PpoState {
  int64_t iteration = 0;      // updates done
  int64_t gradients = 0;      // steps of Adam
  int64_t metrics_bytes = 0;  // how much of the log belongs to this state
  double seconds = 0;         // of training, over all runs
  double collecting = 0;      // of which in the environments
  // Sums over what happened since the last line of the log.
  PpoReport report;
  int64_t reports = 0;
  double episode_returns = 0;
  int64_t episodes = 0;
  std::vector<float> parameters, first_moments, second_moments;
  RunningMoments observations{1}, returns{1};
  std::vector<ActorState> actors;
  // The best so far; no parameters before there is one.
  double best_return = 0;
  int64_t best_steps = 0;
  std::vector<float> best_parameters, best_shift, best_scale;
};

/// What a state must fit.
struct PpoLimits {
  int64_t parameters = 0, observations = 0, environments = 0, iterations = 0;
};

/// Atomic.
void write_ppo_state(const std::filesystem::path& path, const PpoState& state,
                     std::string_view fingerprint);
/// Throws Error for a file that is missing, damaged or no such state, that does not fit, or whose
/// fingerprint (the settings as write_yaml gives them) is another: the message says what changed.
PpoState read_ppo_state(const std::filesystem::path& path, const PpoLimits& limits,
                        std::string_view fingerprint);

}  // namespace darp
