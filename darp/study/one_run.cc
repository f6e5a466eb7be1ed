#include "darp/study/one_run.h"

#include <algorithm>
#include <map>

#include "darp/core/file_lock.h"
#include "darp/core/make_folders.h"
#include "darp/core/seconds_since.h"
#include "darp/core/silent_progress.h"
#include "darp/study/policy_evaluation.h"
#include "darp/train/fingerprint.h"
#include "darp/train/metrics_log.h"
#include "darp/train/run_directory.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

fs::path run_folder(const StudyRun& run, const StudyOptions& options) {
  return options.out / "runs" / run.id;
}
fs::path record_file(const fs::path& folder) {
  return folder / "record.json";
}
/// Beside the folder: one with anything in it but a run would be none for `darp train`.
fs::path lock_path(const fs::path& folder) {
  return folder.parent_path() / fmt::format(".{}.lock", folder.filename().string());
}

/// What epochs say of a run, however often it was interrupted.
struct EpochSums {
  double seconds = 0;
  std::optional<double> validation_loss;  // of each member's best epoch, their mean
};

EpochSums epoch_sums(const fs::path& metrics) {
  EpochSums sums;
  std::map<double, double> best;  // by member
  visit_metrics(metrics, [&](const MetricsNumbers& numbers) {
    const std::map<std::string, double> line(numbers.begin(), numbers.end());
    if (line.contains("seconds")) sums.seconds += line.at("seconds");
    if (!line.contains("validation_loss") || !line.contains("member")) return;
    const auto [at, fresh] = best.emplace(line.at("member"), line.at("validation_loss"));
    if (!fresh) at->second = std::min(at->second, line.at("validation_loss"));
  });
  double total = 0;
  for (const auto& [member, loss] : best) total += loss;
  if (!best.empty()) sums.validation_loss = total / static_cast<double>(best.size());
  return sums;
}

/// A run that was begun with other settings must not go on with these.
void check_beginning(const StudyRun& run, const Dataset& dataset, const fs::path& folder) {
  const RunLayout layout{folder};
  if (!fs::exists(layout.config())) return;
  TrainConfig begun, wanted = run.config;
  read_yaml_file(layout.config(), begun);
  begun.data.clear();
  wanted.data.clear();
  wanted.train.epochs = wanted.train.epochs_for(dataset.steps());  // as the trainer writes it
  const std::string changes = fingerprint_changes(write_yaml(begun), write_yaml(wanted));
  if (!changes.empty())
    throw FileError(folder.string(), "holds a run with other settings: " + changes,
                    "choose another folder for this study, or remove the run");
}

/// False if stopped.
bool train_run(const StudyRun& run, const SharedData& data, const StudyOptions& options,
               const fs::path& folder, RunRecord& record) {
  check_beginning(run, data.dataset, folder);
  TrainerOptions trainer;
  trainer.out = folder;
  trainer.resume = true;
  trainer.threads = 1;
  trainer.device = options.device;
  trainer.stop = options.stop;
  trainer.version = options.version;
  trainer.progress = silent_progress();
  const auto start = std::chrono::steady_clock::now();
  if (!train(run.config, data.dataset, trainer).finished) return false;
  const EpochSums sums = epoch_sums(RunLayout{folder}.metrics());
  record.train_seconds = std::max(seconds_since(start), sums.seconds);
  record.validation_loss = sums.validation_loss;
  return true;
}

/// Checkpoints are of no use any more and take most of the room.
void remove_checkpoints(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(RunLayout{folder}.checkpoints(), ignored);
}

}  // namespace

bool is_done(const StudyRun& run, const SharedData& data, const StudyOptions& options) {
  const fs::path folder = run_folder(run, options);
  if (!fs::exists(record_file(folder))) return false;
  const RunRecord found = read_record(record_file(folder));
  const RunRecord wanted = record_for(run, data.hash, options.version);
  check_record(found, wanted, folder);
  return std::all_of(wanted.evaluations.begin(), wanted.evaluations.end(),
                     [&](const auto& one) { return found.evaluations.contains(one.first); });
}

RunState do_run(const StudyRun& run, const SharedData& data, const StudyOptions& options,
                const std::function<void(std::string_view)>& phase) {
  const fs::path folder = run_folder(run, options);
  make_folders(folder.parent_path());
  const auto lock = FileLock::try_take(lock_path(folder));
  if (!lock) return RunState::kBusy;
  if (is_done(run, data, options)) return RunState::kDone;  // by another process meanwhile

  RunRecord record = record_for(run, data.hash, options.version);
  std::map<std::string, Evaluation> evaluations;
  if (fs::exists(record_file(folder))) {
    // Trained before; more evaluations are wanted now.
    RunRecord found = read_record(record_file(folder));
    for (const auto& [name, conditions] : found.evaluations)
      evaluations.emplace(name, read_evaluation(folder, name));
    found.evaluations.insert(record.evaluations.begin(), record.evaluations.end());
    record = std::move(found);
  } else {
    phase("training");
    if (!train_run(run, data, options, folder, record)) return RunState::kStopped;
  }
  for (const StudyEvaluation& wanted : run.evaluations) {
    if (evaluations.contains(wanted.name)) continue;
    phase("evaluating");
    std::optional<Evaluation> evaluation =
        evaluate_policy(RunLayout{folder}.policy(), run.id, wanted, folder, 1, options);
    if (!evaluation) return RunState::kStopped;
    record.evaluate_seconds += evaluation->wall_seconds;
    evaluations.emplace(wanted.name, std::move(*evaluation));
  }
  write_record(record_file(folder), record, evaluations);
  remove_checkpoints(folder);
  return RunState::kDone;
}

StudyRunResult read_result(const StudyRun& run, const StudyOptions& options) {
  const fs::path folder = run_folder(run, options);
  const RunRecord record = read_record(record_file(folder));
  remove_checkpoints(folder);  // where a crash came between the record and this
  StudyRunResult result;
  result.id = run.id;
  result.folder = folder;
  result.policy = RunLayout{folder}.policy();
  result.train_seconds = record.train_seconds;
  result.evaluate_seconds = record.evaluate_seconds;
  result.validation_loss = record.validation_loss;
  for (const StudyEvaluation& wanted : run.evaluations)
    result.evaluations.emplace(wanted.name, read_evaluation(folder, wanted.name));
  return result;
}

}  // namespace darp
