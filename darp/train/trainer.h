#pragma once
// Demonstrations and a config in, a run directory with a policy file out.

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>

#include "darp/core/progress.h"
#include "darp/data/dataset.h"
#include "darp/train/graph_objective.h"
#include "darp/train/train_config.h"

namespace darp {

struct TrainerOptions {
  std::filesystem::path out;  // the run directory
  bool resume = false;        // go on where a run in `out` stopped, or start one
  int threads = 0;            // 0: one per core; the result does not depend on it (fused engine)
  GraphOptions::Device device = GraphOptions::Device::kCpu;
  double checkpoint_seconds = 10;           // least time between checkpoints
  const std::atomic<bool>* stop = nullptr;  // set: write a checkpoint and return
  std::string version;                      // of the program, for provenance
  Progress::Output progress = Progress::standard_error();
};

struct TrainOutcome {
  bool finished = false;                  // false: stopped on request, resume to go on
  int64_t epochs = 0;                     // of the last member
  double training_loss = 0;               // of its last epoch; 0 if none was run now
  std::optional<double> validation_loss;  // of its best epoch
  std::filesystem::path policy;           // the file, if finished
};

/// Trains every member, resumably: killed at any moment and resumed, the policy file comes out with
/// the same bytes (CPU). Throws Error for what cannot work, for divergence (the last good
/// checkpoint stays) and for files that cannot be written (nothing that was there is lost).
TrainOutcome train(const TrainConfig& config, const Dataset& dataset,
                   const TrainerOptions& options);

}  // namespace darp
