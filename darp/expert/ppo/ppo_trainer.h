#pragma once
// Trains an expert into a run directory:
//   config.yaml               the settings; its presence makes the folder a run
//   metrics.jsonl             the learning curve: one line per measurement
//   checkpoints/last.safetensors   to go on from
//   expert.safetensors        the best network so far (expert_network.h)

#include <atomic>
#include <filesystem>
#include <string>

#include "darp/core/progress.h"
#include "darp/env/environment_settings.h"
#include "darp/expert/ppo/ppo_settings.h"

namespace darp {

/// What a run's config.yaml holds.
struct ExpertConfig {
  std::string environment;
  EnvironmentSettings environment_settings;
  PpoSettings ppo;

  void visit_fields(FieldVisitor& v);
};

struct PpoTrainerOptions {
  std::filesystem::path out;
  bool resume = false;  // goes on with the run in `out`, or starts it
  int threads = 0;
  double checkpoint_seconds = 10;
  const std::atomic<bool>* stop = nullptr;  // when it becomes true: a checkpoint, and back
  std::string version;                      // of the program, for the network's metadata
};

struct PpoOutcome {
  bool finished = false;
  int64_t steps = 0;
  double best_return = 0;
  double seconds = 0, collecting = 0;  // over all runs; of which in the environments
  int64_t best_steps = 0;
  std::filesystem::path network;
};

/// The same bits for any number of threads and interruptions. Throws Error for settings that make
/// no sense, files that cannot be written, and training that diverged.
PpoOutcome train_expert(const ExpertConfig& config, const PpoTrainerOptions& options);

}  // namespace darp
