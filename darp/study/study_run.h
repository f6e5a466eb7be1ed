#pragma once
// What studies are made of: one training and its evaluations, done once and kept. A run's folder is
// a run directory of `darp train` and has beside it
//   <evaluation>.json            each evaluation, as `darp eval --json` writes it
//   <evaluation>.records.jsonl   its episodes while it is under way
//   record.json                  last: what was run and how long it took; its presence means done
// so everything in it can be looked at with the usual commands.

#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "darp/core/progress.h"
#include "darp/env/environment_settings.h"
#include "darp/eval/evaluation.h"
#include "darp/train/trainer.h"

namespace darp {

/// Episodes of a run's policy.
struct StudyEvaluation {
  std::string name = "report";  // of its file; a-z, 0-9, '-', '_'
  std::string environment;
  EnvironmentSettings settings = {};
  SeedPurpose purpose = SeedPurpose::kReport;
  SeedRange seeds = {};
  std::string acting = "";  // sample, mode; empty: as the policy says
};

struct StudyRun {
  std::string id;      // its folder below the study's: "hopper/darp/published/seed-3"
  TrainConfig config;  // resolved, with data and seed
  std::vector<StudyEvaluation> evaluations = {};
};

struct StudyRunResult {
  std::string id;
  std::filesystem::path folder, policy;
  double train_seconds = 0, evaluate_seconds = 0;  // as measured when it was done
  std::optional<double> validation_loss;           // of the best epoch
  std::map<std::string, Evaluation> evaluations;   // by name
};

/// How runs are done, whatever the study.
struct StudyOptions {
  std::filesystem::path out;  // the study's folder
  int jobs = 0;               // runs at once, with one thread each; 0: one per core
  GraphOptions::Device device = GraphOptions::Device::kCpu;
  const std::atomic<bool>* stop = nullptr;
  std::string version;  // of the program
  /// If given, runs are listed there, a line each, and none is done: as if stopped at once.
  std::vector<std::string>* planned = nullptr;
  Progress::Output progress = Progress::standard_error();
};

/// Does what is missing, several at once, each in out/runs/<id>; what is done is read. A run that
/// was interrupted goes on where it stopped. Results in the order of `runs`; nothing if stopped.
/// Several processes may work on one folder: a run that another has is waited for. Throws Error for
/// a folder that holds a run of another config under an id, and for what train() and evaluate()
/// refuse (runs under way end first).
std::optional<std::vector<StudyRunResult>> do_runs(const std::vector<StudyRun>& runs,
                                                   const StudyOptions& options);

}  // namespace darp
