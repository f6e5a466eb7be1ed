#include "darp/expert/ppo/ppo_trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include "darp/core/finite.h"
#include "darp/core/seconds_since.h"
#include "darp/env/registry.h"
#include "darp/eval/seeds.h"
#include "darp/expert/collector.h"
#include "darp/expert/ppo/advantages.h"
#include "darp/expert/ppo/ppo_objective.h"
#include "darp/expert/ppo/ppo_state.h"
#include "darp/train/adamw.h"
#include "darp/train/metrics_log.h"
#include "darp/train/run_directory.h"

namespace darp {
namespace {

using SteadyClock = std::chrono::steady_clock;

enum PpoStream : uint64_t { kActorStream = 11, kCriticStream = 12, kOrderStream = 13 };

constexpr double kRewardCut = 10;

class PpoTraining {
 public:
  PpoTraining(const ExpertConfig& config, const PpoTrainerOptions& options, RunDirectory& run)
      : config_(config),
        settings_(config.ppo),
        options_(options),
        run_(run),
        fingerprint_(write_yaml(config)),
        pool_(options.threads),
        rollout_(factory(), settings_.environments, settings_.horizon, seed()),
        layout_(rollout_.info().observations.dim(), rollout_.info().actions.dim(), settings_),
        objective_(layout_, settings_, pool_),
        actor_(layout_.actor),
        gradient_(static_cast<size_t>(layout_.parameters())) {
    adam_.weight_decay = 0;
    adam_.epsilon = 1e-5;
    adam_.clip = settings_.gradient_clip;
    load_or_begin();
    log_.emplace(run_.layout().metrics(), state_.metrics_bytes);
  }

  PpoOutcome train();

 private:
  EnvironmentFactory factory() const {
    return [this] { return make_environment(config_.environment, config_.environment_settings); };
  }
  uint64_t seed() const { return static_cast<uint64_t>(settings_.seed); }
  std::filesystem::path network_path() const { return run_.layout().folder / "expert.safetensors"; }
  int64_t steps_done() const { return state_.iteration * settings_.rows(); }

  void load_or_begin();
  void iterate();
  void update();
  void see(std::vector<float>& shift, std::vector<float>& scale) const;
  ExpertNetwork present_network() const;
  ExpertNetwork network_of(const std::vector<float>& parameters, std::vector<float> shift,
                           std::vector<float> scale) const;
  double measure(const ExpertNetwork& network);
  void measure_and_log();
  void write_best() const;
  void checkpoint();

  const ExpertConfig& config_;
  const PpoSettings& settings_;
  const PpoTrainerOptions& options_;
  RunDirectory& run_;
  const std::string fingerprint_;
  ThreadPool pool_;
  Rollout rollout_;
  PpoLayout layout_;
  PpoObjective objective_;
  PackedNetwork actor_;
  OptimizerSettings adam_;
  std::vector<float> gradient_;
  PpoState state_;
  std::optional<MetricsLog> log_;
  double last_measured_ = 0;
};

void PpoTraining::load_or_begin() {
  const int64_t count = layout_.parameters();
  if (options_.resume && std::filesystem::exists(run_.layout().checkpoint())) {
    state_ = read_ppo_state(
        run_.layout().checkpoint(),
        {count, layout_.actor.inputs(), settings_.environments, settings_.iterations()},
        fingerprint_);
    rollout_.restore(state_.actors);
    // Somebody may have moved it away.
    if (!state_.best_parameters.empty() && !std::filesystem::exists(network_path())) write_best();
    return;
  }
  state_.parameters.resize(static_cast<size_t>(count));
  state_.first_moments.resize(static_cast<size_t>(count));
  state_.second_moments.resize(static_cast<size_t>(count));
  state_.observations = RunningMoments(layout_.actor.inputs());
  const std::span<float> parameters = state_.parameters;
  // A first policy that hardly looks at what it sees explores all directions alike.
  initialize(layout_.actor, 0.01, Rng(seed(), kActorStream), layout_.actor_part(parameters));
  initialize(layout_.critic, 1, Rng(seed(), kCriticStream), layout_.critic_part(parameters));
  std::ranges::fill(layout_.log_std_part(parameters), static_cast<float>(settings_.log_std));
}

/// How observations are shifted and scaled by what was seen so far.
void PpoTraining::see(std::vector<float>& shift, std::vector<float>& scale) const {
  shift.clear(), scale.clear();
  for (size_t i = 0; i < state_.observations.mean.size(); ++i) {
    shift.push_back(static_cast<float>(state_.observations.mean[i]));
    scale.push_back(static_cast<float>(1 / std::max(state_.observations.deviation(i), 1e-4)));
  }
}

void PpoTraining::iterate() {
  std::vector<float> shift, scale;
  see(shift, scale);
  const std::span<const float> parameters = state_.parameters;
  actor_.pack(layout_.actor_part(parameters), false);
  const auto start = SteadyClock::now();
  rollout_.collect({actor_, layout_.log_std_part(parameters), shift, scale}, settings_.discount,
                   state_.iteration, pool_);
  state_.collecting += seconds_since(start);
  state_.returns.merge(rollout_.return_moments);
  for (const double ended : rollout_.episode_returns) state_.episode_returns += ended;
  state_.episodes += static_cast<int64_t>(rollout_.episode_returns.size());
  update();
  // Only now: the rows were seen with what was known before.
  state_.observations.merge(rollout_.observation_moments);
  ++state_.iteration;
  state_.seconds += seconds_since(start);
}

void PpoTraining::update() {
  const double inverse = 1 / std::max(state_.returns.deviation(0), 1e-8);
  std::vector<float> rewards;
  for (const float reward : rollout_.rewards)
    rewards.push_back(static_cast<float>(std::clamp(reward * inverse, -kRewardCut, kRewardCut)));
  const auto values = objective_.values(state_.parameters, rollout_.observations);
  const auto cut_values = objective_.values(state_.parameters, rollout_.cut_observations);
  const auto better =
      advantages({settings_.horizon, rewards, values, rollout_.failed, rollout_.cut_rows,
                  cut_values, settings_.discount, settings_.gae});
  std::vector<float> returns(better.size());
  std::transform(better.begin(), better.end(), values.begin(), returns.begin(), std::plus<>());
  const PpoRows rows = {rollout_.observations, rollout_.actions, rollout_.log_probabilities, better,
                        returns};

  const double progress =
      static_cast<double>(state_.iteration) / static_cast<double>(settings_.iterations());
  const double rate = settings_.learning_rate * (1 - progress * (1 - settings_.final_rate));
  std::vector<int64_t> order(better.size());
  std::iota(order.begin(), order.end(), 0);
  Rng rng = Rng(seed(), kOrderStream).split(static_cast<uint64_t>(state_.iteration));
  const auto size = static_cast<size_t>(settings_.batch);
  for (int64_t epoch = 0; epoch < settings_.epochs; ++epoch) {
    rng.shuffle(std::span(order));
    for (size_t begin = 0; begin + size <= order.size(); begin += size) {
      const PpoReport report = objective_.evaluate(
          state_.parameters, rows, std::span(order).subspan(begin, size), gradient_);
      const StepReport step =
          adamw_step(adam_, {++state_.gradients, rate, 0}, gradient_,
                     {state_.parameters, state_.first_moments, state_.second_moments, {}});
      if (!step.taken)
        throw Error(run_.layout().folder.string(),
                    fmt::format("training diverged in update {}", state_.iteration),
                    "use a smaller learning_rate");
      state_.report += report;
      ++state_.reports;
    }
  }
}

ExpertNetwork PpoTraining::network_of(const std::vector<float>& parameters,
                                      std::vector<float> shift, std::vector<float> scale) const {
  ExpertNetwork network;
  network.environment = config_.environment;
  network.shape = layout_.actor;
  const std::span<const float> all = parameters;
  const auto actor = layout_.actor_part(all), log_std = layout_.log_std_part(all);
  network.parameters.assign(actor.begin(), actor.end());
  network.log_std.assign(log_std.begin(), log_std.end());
  network.shift = std::move(shift);
  network.scale = std::move(scale);
  return network;
}

ExpertNetwork PpoTraining::present_network() const {
  std::vector<float> shift, scale;
  see(shift, scale);
  return network_of(state_.parameters, shift, scale);
}

double PpoTraining::measure(const ExpertNetwork& network) {
  const auto shared = std::make_shared<const ExpertNetwork>(network);
  std::vector<double> returns(static_cast<size_t>(settings_.evaluation.episodes));
  pool_.parallel_for(settings_.evaluation.episodes, 1, [&](int64_t begin, int64_t) {
    const auto environment = factory()();
    const auto expert = make_rl_expert(shared);
    const uint64_t start = kFirstSearchSeed + static_cast<uint64_t>(begin);
    returns[begin] = demonstrate(*environment, *expert, start, 0).record.episode_return;
  });
  return std::accumulate(returns.begin(), returns.end(), 0.0) / static_cast<double>(returns.size());
}

void PpoTraining::measure_and_log() {
  const auto start = SteadyClock::now();
  const ExpertNetwork network = present_network();
  last_measured_ = measure(network);
  if (state_.best_parameters.empty() || last_measured_ > state_.best_return) {
    state_.best_return = last_measured_;
    state_.best_steps = steps_done();
    state_.best_parameters = state_.parameters;
    state_.best_shift = network.shift;
    state_.best_scale = network.scale;
    write_best();
  }
  state_.seconds += seconds_since(start);
  const double parts = static_cast<double>(state_.reports);
  const double exploring = state_.episodes == 0
                               ? std::nan("")  // none ended: the log says null
                               : state_.episode_returns / static_cast<double>(state_.episodes);
  double log_std = 0;
  for (const float l : network.log_std) log_std += l / static_cast<double>(network.log_std.size());
  const Metric line[] = {{"steps", steps_done()},
                         {"return", last_measured_},
                         {"best_return", state_.best_return},
                         {"exploring_return", exploring},
                         {"policy_loss", state_.report.policy_loss / parts},
                         {"value_loss", state_.report.value_loss / parts},
                         {"divergence", state_.report.divergence / parts},
                         {"cut", state_.report.cut / parts},
                         {"log_std", log_std},
                         {"seconds", state_.seconds},
                         {"collecting_seconds", state_.collecting}};
  log_->append(line);
  state_.report = {};
  state_.reports = state_.episodes = 0;
  state_.episode_returns = 0;
}

void PpoTraining::write_best() const {
  ExpertNetwork best = network_of(state_.best_parameters, state_.best_shift, state_.best_scale);
  best.about = {{"version", options_.version},
                {"steps", std::to_string(state_.best_steps)},
                {"seed", std::to_string(settings_.seed)}};
  write_expert_network(network_path(), best);
}

void PpoTraining::checkpoint() {
  state_.metrics_bytes = log_->sync();
  state_.actors = rollout_.states();
  write_ppo_state(run_.layout().checkpoint(), state_, fingerprint_);
}

PpoOutcome PpoTraining::train() {
  // The last iteration may go beyond what was asked for.
  Progress progress(config_.environment, std::max<int64_t>(0, settings_.steps - steps_done()),
                    "steps");
  auto saved = SteadyClock::now();
  bool stopped = false;
  while (state_.iteration < settings_.iterations() && !stopped) {
    const int64_t before = steps_done();
    iterate();
    progress.advance(settings_.rows());
    const bool last = state_.iteration == settings_.iterations();
    const int64_t every = settings_.evaluation.every;
    if (last || before / every != steps_done() / every) {
      measure_and_log();
      progress.status(
          fmt::format("return {:.0f}, best {:.0f}", last_measured_, state_.best_return));
    }
    stopped = options_.stop != nullptr && *options_.stop;
    if (last || stopped || seconds_since(saved) > options_.checkpoint_seconds) {
      checkpoint();
      saved = SteadyClock::now();
    }
  }
  progress.finish();
  return {state_.iteration == settings_.iterations(),
          steps_done(),
          state_.best_return,
          state_.seconds,
          state_.collecting,
          state_.best_steps,
          network_path()};
}

}  // namespace

void ExpertConfig::visit_fields(FieldVisitor& v) {
  v.field("environment", environment, "Name of the task (darp environments).");
  v.group("environment_settings", environment_settings, "What is chosen about it.");
  v.group("ppo", ppo, "How the expert learns.");
}

PpoOutcome train_expert(const ExpertConfig& config, const PpoTrainerOptions& options) {
  config.ppo.check();
  // What is wrong with the environment is told before there is a folder.
  make_environment(config.environment, config.environment_settings);
  using Start = RunDirectory::Start;
  const bool resume = options.resume && std::filesystem::exists(options.out);
  RunDirectory run(options.out, resume ? Start::kResume : Start::kNew);
  // Before the first checkpoint there is nothing that other settings could contradict.
  if (!std::filesystem::exists(run.layout().checkpoint())) run.write_config(write_yaml(config));
  return PpoTraining(config, options, run).train();
}

}  // namespace darp
