#include "darp/train/trainer.h"

#include <unistd.h>

#include <chrono>

#include "darp/core/hash.h"
#include "darp/core/seconds_since.h"
#include "darp/train/ccil/labeled_dataset.h"
#include "darp/train/checkpoint.h"
#include "darp/train/engine.h"
#include "darp/train/member_training.h"
#include "darp/train/metrics_log.h"
#include "darp/train/run_directory.h"
#include "darp/train/tensorboard.h"
#include "darp/train/training_set.h"

namespace darp {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// What must be the same for a run to go on. Where the data lie does not matter, what they are
/// does.
std::string fingerprint_of(TrainConfig config, const Dataset& dataset) {
  config.data.clear();
  return write_yaml(config) + "data_hash: " + dataset.content_hash() + "\n";
}

std::string short_hash(std::string_view text) {
  return Hasher().add(text).hex();
}

RunDirectory open_directory(const TrainerOptions& options) {
  const bool resume = options.resume && fs::exists(options.out);
  return {options.out, resume ? RunDirectory::Start::kResume : RunDirectory::Start::kNew};
}

/// Both logs of a run, continued where a state left them.
class RunLogs {
 public:
  RunLogs(const RunLayout& layout, const TrainState& state, int64_t members)
      : members_(members),
        metrics_(layout.metrics(), state.metrics_bytes),
        tensorboard_(layout.event_file(static_cast<int64_t>(wall_time())), state.tensorboard_bytes,
                     wall_time()) {}

  void append(const EpochReport& report, bool validated, double seconds, int64_t rows) {
    std::vector<Metric> metrics = {{"member", report.member},
                                   {"epoch", report.epoch},
                                   {"step", report.step},
                                   {"train_loss", report.training_loss}};
    std::vector<std::pair<std::string, double>> scalars = {{"Train/Loss", report.training_loss}};
    if (validated) {
      metrics.push_back({"validation_loss", report.validation_loss});
      scalars.emplace_back("Valid/Loss", report.validation_loss);
    }
    const double rate = static_cast<double>(rows) / seconds;
    metrics.insert(metrics.end(), {{"learning_rate", report.learning_rate},
                                   {"gradient_norm", report.gradient_norm},
                                   {"seconds", seconds},
                                   {"queries_per_second", rate}});
    scalars.emplace_back("Train/Learning_Rate", report.learning_rate);
    scalars.emplace_back("Train/Gradient_Norm", report.gradient_norm);
    scalars.emplace_back("Timing_Stats/Train_Epoch_Seconds", seconds);
    metrics_.append(metrics);
    std::vector<Scalar> tagged;
    if (members_ > 1)
      for (auto& [tag, value] : scalars) tag += fmt::format("/member_{}", report.member);
    for (const auto& [tag, value] : scalars) tagged.push_back({tag, value});
    tensorboard_.append(report.step, wall_time(), tagged);
  }

  /// How far the logs have come, on the disk.
  void sync(TrainState& state) {
    state.metrics_bytes = metrics_.sync();
    state.tensorboard_bytes = tensorboard_.sync();
  }

 private:
  int64_t members_;
  MetricsLog metrics_;
  TensorboardLog tensorboard_;
};

/// One call of train().
class Run {
 public:
  Run(const TrainConfig& config, const Dataset& dataset, const TrainerOptions& options)
      : config_(config),
        dataset_(dataset),
        options_(options),
        pool_(options.threads),
        directory_(open_directory(options)),
        fingerprint_(fingerprint_of(config, dataset)) {}

  TrainOutcome run() {
    if (already_finished()) return {true, 0, 0, std::nullopt, layout().policy()};
    if (config_.train.ccil.wanted() && !find_labels()) return {};
    auto set = std::make_unique<TrainingSet>(dataset_, config_.policy, config_.train,
                                             labeled_ ? &*labeled_ : nullptr, options_.progress);
    write_origin();
    set->find_neighbors(layout().checkpoints(), pool_);
    set_ = std::move(set);
    const auto parameters =
        policy_parameters(config_.policy, dataset_.observation_dim(), dataset_.action_dim());
    if (parameters.empty()) {
      // Nothing to learn: the demonstrations are the policy.
      write_policy({{}}, layout().policy());
      return {true, 0, 0, std::nullopt, layout().policy()};
    }
    const auto training = objective(set_->training());
    const auto validation = set_->has_validation() ? objective(set_->validation()) : nullptr;
    MemberTraining members(
        {.settings = config_.train,
         .parameters = parameters,
         .members = config_.policy.members,
         .training = *training,
         .training_rows = set_->training_rows(),
         .observation_dim = dataset_.observation_dim() * config_.policy.observation_horizon(),
         .backsteps = set_->backsteps(),
         .validation = validation.get(),
         .validation_rows = set_->validation_rows(),
         .pool = pool_});
    TrainState state = initial_state(members);
    RunLogs logs(layout(), state, config_.policy.members);
    TrainOutcome outcome = learn(members, state, logs);
    if (!outcome.finished) return outcome;
    write_policy(state.finished, layout().policy());
    outcome.policy = layout().policy();
    return outcome;
  }

 private:
  const RunLayout& layout() const { return directory_.layout(); }
  bool stop_requested() const { return options_.stop && *options_.stop; }

  std::unique_ptr<Objective> objective(const Examples& examples) {
    return make_objective(config_.policy, config_.train, options_.device, set_->memory(), examples,
                          pool_);
  }

  /// Corrective labels for the training episodes; false if it was stopped meanwhile.
  bool find_labels() {
    const TrainingSplit split = split_for_training(dataset_, config_.train);
    write_origin();
    const std::string key = short_hash(fingerprint_);
    labeled_ = labeled_dataset(
        split.training ? *split.training : dataset_, config_.train.ccil,
        {layout().checkpoints() / fmt::format("labels-{}.safetensors", key), key}, pool_,
        {.seed = static_cast<uint64_t>(config_.train.seed),
         .progress = options_.progress,
         .stop = options_.stop});
    return labeled_.has_value();
  }

  bool already_finished() const {
    if (!directory_.has_run() || !fs::exists(layout().policy())) return false;
    const auto provenance = PolicyArchive::read(layout().policy()).provenance();
    const auto found = provenance.find("fingerprint");
    return found != provenance.end() && found->second == short_hash(fingerprint_);
  }

  void write_origin() {
    // The config first: its presence makes the folder a run.
    if (!directory_.has_run()) directory_.write_config(write_yaml(config_));
    if (fs::exists(layout().manifest())) return;
    directory_.write_manifest({.data_file = config_.data,
                               .data_hash = dataset_.content_hash(),
                               .seeds = {config_.train.seed},
                               .version = options_.version,
                               .cpu = cpu_name(),
                               .threads = pool_.threads(),
                               .started = static_cast<int64_t>(wall_time())});
  }

  TrainState initial_state(const MemberTraining& members) const {
    if (fs::exists(layout().checkpoint()))
      return read_checkpoint(layout().checkpoint(), members.limits(), fingerprint_);
    TrainState state = members.start();
    state.fingerprint = fingerprint_;
    return state;
  }

  void save(TrainState& state, RunLogs& logs) {
    logs.sync(state);
    write_checkpoint(layout().checkpoint(), state);
    if (best_is_new_) {
      std::vector<std::vector<float>> weights = state.finished;
      if (!state.best.empty()) weights.push_back(state.best);
      write_policy(std::move(weights), layout().best_policy());
      best_is_new_ = false;
    }
    saved_ = Clock::now();
  }

  void save_when_due(TrainState& state, RunLogs& logs) {
    if (seconds_since(saved_) >= options_.checkpoint_seconds) save(state, logs);
  }

  std::string status_text(const EpochReport& report, int64_t epochs) const {
    std::string text =
        fmt::format("epoch {}/{} loss {:.4g}", report.epoch + 1, epochs, report.training_loss);
    if (set_->has_validation()) text += fmt::format(" validation {:.4g}", report.validation_loss);
    if (config_.policy.members > 1) text = fmt::format("member {} ", report.member) + text;
    return text;
  }

  double step_or_keep(MemberTraining& members, TrainState& state, RunLogs& logs);
  TrainOutcome learn(MemberTraining& members, TrainState& state, RunLogs& logs);
  void write_policy(std::vector<std::vector<float>> weights, const fs::path& path) const;

  const TrainConfig& config_;
  const Dataset& dataset_;
  const TrainerOptions& options_;
  ThreadPool pool_;
  RunDirectory directory_;
  const std::string fingerprint_;
  std::optional<Dataset> labeled_;  // only with corrective labels
  std::unique_ptr<const TrainingSet> set_;
  bool best_is_new_ = false;  // not written as a policy yet
  Clock::time_point saved_ = Clock::now();
};

/// One step; if it diverges, the state before it is kept.
double Run::step_or_keep(MemberTraining& members, TrainState& state, RunLogs& logs) {
  try {
    return members.step(state);
  } catch (const Error&) {
    save(state, logs);
    throw;
  }
}

TrainOutcome Run::learn(MemberTraining& members, TrainState& state, RunLogs& logs) {
  const int64_t epochs = config_.train.epochs, member_steps = epochs * members.batches();
  Progress progress("training", config_.policy.members * member_steps, "steps", options_.progress);
  const auto steps_so_far = [&] {
    return state.member * member_steps + (members.finished(state) ? 0 : state.step);
  };
  progress.advance(steps_so_far());
  TrainOutcome outcome;
  auto epoch_start = Clock::now();
  while (!members.finished(state)) {
    if (stop_requested()) {
      save(state, logs);
      return outcome;
    }
    const double loss = step_or_keep(members, state, logs);
    progress.advance();
    if (state.epoch == 0) progress.status(fmt::format("loss {:.4g}", loss));
    if (members.epoch_is_over(state)) {
      const int64_t before = steps_so_far();
      const EpochReport report = members.end_epoch(state);
      logs.append(report, set_->has_validation(), seconds_since(epoch_start),
                  set_->training_rows());
      epoch_start = Clock::now();
      outcome.epochs = report.epoch + 1;
      outcome.training_loss = report.training_loss;
      if (set_->has_validation() && report.best) outcome.validation_loss = report.validation_loss;
      best_is_new_ |= report.best;
      progress.advance(steps_so_far() - before);  // what an early stop left out
      progress.status(status_text(report, epochs));
    }
    save_when_due(state, logs);
  }
  save(state, logs);
  progress.finish();
  outcome.finished = true;
  return outcome;
}

void Run::write_policy(std::vector<std::vector<float>> weights, const fs::path& path) const {
  PolicyContents contents = set_->contents();
  contents.spec.members = std::ssize(weights);
  contents.members = std::move(weights);
  TrainConfig config = config_;
  config.data = fs::path(config.data).filename().string();
  contents.provenance = {{"config", write_yaml(config)},
                         {"data_hash", dataset_.content_hash()},
                         {"fingerprint", short_hash(fingerprint_)},
                         {"seed", std::to_string(config_.train.seed)},
                         {"version", options_.version}};
  PolicyArchive(std::move(contents)).write(path);
}

}  // namespace

TrainOutcome train(const TrainConfig& config, const Dataset& dataset,
                   const TrainerOptions& options) {
  config.policy.check();
  config.train.check(config.policy);
  // Whatever cannot work is said before a run directory is made.
  if (learns(config.policy) &&
      chosen_engine(config.policy, config.train, options.device) == TrainSettings::Engine::kGraph)
    check_device(options.device);
  TrainConfig counted = config;
  counted.train.epochs = config.train.epochs_for(dataset.steps());
  return Run(counted, dataset, options).run();
}

}  // namespace darp
