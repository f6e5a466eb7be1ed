// How many steps a second PPO makes beside environments that are stepped with random actions and
// nothing else; and how long its update takes beside the same in LibTorch. Two threads each.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <numbers>
#include <numeric>

#include "bench/bench.h"
#include "bench/torch_ppo.h"
#include "darp/core/error.h"
#include "darp/env/registry.h"
#include "darp/expert/ppo/ppo_trainer.h"
#include "darp/train/adamw.h"

namespace {

using darp::Matrix;
using darp::bench::Result;

constexpr int kThreads = 2;

/// An expert in training, iteration by iteration: as in `darp expert train`, interrupted after each
/// one.
class Training {
 public:
  struct Seconds {
    double whole = 0, collecting = 0;
  };

  explicit Training(const std::string& environment)
      : folder_(std::filesystem::temp_directory_path() /
                fmt::format("darp-expert-bench-{}-{}", getpid(), environment)) {
    config_.environment = environment;
    config_.ppo.evaluation.every = config_.ppo.steps;
  }
  ~Training() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  const darp::PpoSettings& settings() const { return config_.ppo; }

  Seconds iterate() {
    const std::atomic<bool> stop = true;
    const darp::PpoOutcome outcome = darp::train_expert(config_, {.out = folder_,
                                                                  .resume = outcome_.steps > 0,
                                                                  .threads = kThreads,
                                                                  .stop = &stop,
                                                                  .version = {}});
    const Seconds taken = {outcome.seconds - outcome_.seconds,
                           outcome.collecting - outcome_.collecting};
    outcome_ = outcome;
    return taken;
  }

 private:
  const std::filesystem::path folder_;
  darp::ExpertConfig config_;
  darp::PpoOutcome outcome_;
};

/// As many environments, as many steps, random actions: resets and observations, no policy.
class BareLoop {
 public:
  BareLoop(const std::string& environment, const darp::PpoSettings& settings)
      : horizon_(settings.horizon) {
    for (int64_t i = 0; i < settings.environments; ++i) {
      environments_.push_back(darp::make_environment(environment));
      rngs_.push_back(darp::Rng(1).split(static_cast<uint64_t>(i)));
      environments_.back()->reset(rngs_.back().next_u32());
    }
  }

  double run() {
    const auto start = std::chrono::steady_clock::now();
    pool_.parallel_for(std::ssize(environments_), 1, [&](int64_t index, int64_t) { play(index); });
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  void play(int64_t index) {
    darp::Environment& environment = *environments_[index];
    darp::Rng& rng = rngs_[index];
    const darp::Space& space = environment.info().actions;
    std::vector<float> observation(environment.info().observations.names.size()),
        action(space.names.size());
    for (int64_t t = 0; t < horizon_; ++t) {
      for (size_t j = 0; j < action.size(); ++j)
        action[j] = static_cast<float>(rng.uniform(space.low[j], space.high[j]));
      if (environment.step(action).end != darp::EpisodeEnd::kRunning)
        environment.reset(rng.next_u32());
      environment.observe(observation);
    }
  }

  const int64_t horizon_;
  darp::ThreadPool pool_{kThreads};
  std::vector<std::unique_ptr<darp::Environment>> environments_;
  std::vector<darp::Rng> rngs_;
};

void bench_throughput(const std::string& environment, int rounds, std::vector<Result>& results) {
  Training training(environment);
  BareLoop loop(environment, training.settings());
  std::vector<double> whole, collecting, bare;
  const double factor = 1e6 / static_cast<double>(training.settings().rows());
  for (int round = -1; round < rounds; ++round) {
    const Training::Seconds taken = training.iterate();
    const double alone = loop.run();
    if (round < 0) continue;
    whole.push_back(taken.whole * factor);
    collecting.push_back(taken.collecting * factor);
    bare.push_back(alone * factor);
  }
  const double rival = darp::bench::median(bare);
  const auto add = [&](const std::string& name, const std::vector<double>& times) {
    const double ours = darp::bench::median(times);
    results.push_back({environment + ", " + name,
                       "us a step",
                       ours,
                       {{"bare loop", rival}},
                       {{"steps/s", 1e6 / ours}, {"steps/s bare loop", 1e6 / rival}}});
  };
  add("PPO", whole);
  add("collecting alone", collecting);
}

/// What an update works on: rows of a policy that was slightly another one, so that some are cut.
struct UpdateCase {
  darp::PpoSettings settings;
  darp::PpoLayout layout;
  Matrix observations, actions;
  std::vector<float> log_probabilities, advantages, returns, parameters;
  std::vector<std::vector<int64_t>> orders;

  UpdateCase(int64_t inputs, int64_t outputs)
      : layout(inputs, outputs, settings),
        observations(Matrix::zeros(settings.rows(), inputs)),
        actions(Matrix::zeros(settings.rows(), outputs)),
        parameters(static_cast<size_t>(layout.parameters())) {
    darp::Rng rng(1);
    const std::span<float> all = parameters;
    darp::initialize(layout.actor, 0.01, darp::Rng(2), layout.actor_part(all));
    darp::initialize(layout.critic, 1, darp::Rng(3), layout.critic_part(all));
    std::ranges::fill(layout.log_std_part(all), static_cast<float>(settings.log_std));
    for (int64_t i = 0; i < settings.rows(); ++i) {
      for (float& value : observations.row(i)) value = static_cast<float>(rng.normal());
      add_action(i, rng);
      advantages.push_back(static_cast<float>(rng.normal()));
      returns.push_back(static_cast<float>(rng.normal()));
    }
    std::vector<int64_t> order(static_cast<size_t>(settings.rows()));
    std::iota(order.begin(), order.end(), 0);
    for (int64_t epoch = 0; epoch < settings.epochs; ++epoch) {
      rng.shuffle(std::span(order));
      orders.push_back(order);
    }
  }

  darp::PpoRows rows() const {
    return {observations, actions, log_probabilities, advantages, returns};
  }
  std::span<const int64_t> batch(size_t epoch, size_t begin) const {
    return std::span(orders[epoch]).subspan(begin, static_cast<size_t>(settings.batch));
  }

 private:
  /// From normal distributions around small numbers, which is where the first policy's are.
  void add_action(int64_t row, darp::Rng& rng) {
    double log_probability = 0;
    for (float& action : actions.row(row)) {
      const double noise = rng.normal();
      action = static_cast<float>(0.1 * rng.normal() + std::exp(settings.log_std) * noise);
      log_probability -= (noise * noise + std::log(2 * std::numbers::pi)) / 2 + settings.log_std;
    }
    log_probabilities.push_back(static_cast<float>(log_probability));
  }
};

/// Ours: the same as the trainer's.
class OurUpdate {
 public:
  OurUpdate(const UpdateCase& c, int threads)
      : case_(c), pool_(threads), objective_(c.layout, c.settings, pool_) {}

  std::vector<float> gradient() {
    std::vector<float> result(case_.parameters.size());
    report_ = objective_.evaluate(case_.parameters, case_.rows(), case_.batch(0, 0), result);
    return result;
  }
  double cut() const { return report_.cut; }

  std::vector<float> update() {
    const darp::OptimizerSettings adam = {
        .weight_decay = 0, .epsilon = 1e-5, .clip = case_.settings.gradient_clip};
    std::vector<float> parameters = case_.parameters, gradient(parameters.size()),
                       first(parameters.size()), second(parameters.size());
    int64_t step = 0;
    for (size_t epoch = 0; epoch < case_.orders.size(); ++epoch)
      for (size_t begin = 0; begin < case_.orders[epoch].size();
           begin += static_cast<size_t>(case_.settings.batch)) {
        objective_.evaluate(parameters, case_.rows(), case_.batch(epoch, begin), gradient);
        darp::adamw_step(adam, {++step, case_.settings.learning_rate, 0}, gradient,
                         {parameters, first, second, {}});
      }
    return parameters;
  }

 private:
  const UpdateCase& case_;
  darp::ThreadPool pool_;
  darp::PpoObjective objective_;
  darp::PpoReport report_;
};

double largest(std::span<const float> a, std::span<const float> b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i)
    most = std::max(most, std::abs(double{a[i]} - double{b[i]}));
  return most;
}

/// Times of two who do not compute the same are not worth reporting.
void check_gradients(const UpdateCase& c, OurUpdate& ours, darp::bench::TorchPpo& torch) {
  const std::vector<float> gradient = ours.gradient(),
                           theirs = torch.gradient(c.parameters, c.batch(0, 0));
  const double size = largest(theirs, std::vector<float>(theirs.size()));
  const double apart = largest(gradient, theirs);
  DARP_CHECK(apart <= 1e-5 * size && ours.cut() > 0.05 && ours.cut() < 0.95,
             "gradients are {} apart, their largest entry is {}; {} of the rows are cut", apart,
             size, ours.cut());
  fmt::print("gradients: {:.1e} of the largest entry apart, {:.0f}% of the rows cut\n",
             apart / size, 100 * ours.cut());
}

/// One who updates, and how many seconds of all cores together it took each time: on a machine that
/// others use too those say more than the clock on the wall.
struct Updater {
  std::function<std::vector<float>()> update;
  std::vector<float> parameters;
  std::vector<double> core_seconds;

  void run() {
    const std::clock_t before = std::clock();
    parameters = update();
    core_seconds.push_back(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
  }
};

/// The number of threads with which LibTorch is faster; it has them from here on.
int best_torch_threads(const std::function<void()>& update) {
  std::map<double, int> threads_by_time;
  for (const int threads : {1, kThreads}) {
    darp::bench::use_torch_threads(threads);
    threads_by_time[darp::bench::compare("", {{"ours", update}}, 3).ours] = threads;
  }
  const int best = threads_by_time.begin()->second;
  darp::bench::use_torch_threads(best);
  return best;
}

Result bench_update(const std::string& name, int64_t inputs, int64_t outputs, int rounds) {
  const UpdateCase c(inputs, outputs);
  OurUpdate two(c, kThreads), one(c, 1);
  darp::bench::TorchPpo libtorch(c.layout, c.settings, c.rows());
  check_gradients(c, two, libtorch);
  Updater ours{[&] { return two.update(); }, {}, {}}, alone{[&] { return one.update(); }, {}, {}},
      torch{[&] { return libtorch.update(c.parameters, c.orders); }, {}, {}};
  const int torch_threads = best_torch_threads(torch.update);
  Result result = darp::bench::compare(
      fmt::format("an update, {} ({} -> 64 -> 64 -> {})", name, inputs, outputs),
      {{"ours", [&] { ours.run(); }},
       {"ours, 1 thread", [&] { alone.run(); }},
       {"LibTorch", [&] { torch.run(); }}},
      rounds);
  result.extra = {{"ours, 1 thread", result.rivals.at("ours, 1 thread")},
                  {"threads LibTorch", torch_threads},
                  {"core s", darp::bench::median(ours.core_seconds)},
                  {"core s LibTorch", darp::bench::median(torch.core_seconds)},
                  // Whether both did the same work to the end.
                  {"parameters moved", largest(ours.parameters, c.parameters)},
                  {"parameters apart", largest(ours.parameters, torch.parameters)}};
  result.rivals.erase("ours, 1 thread");
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  darp::bench::prepare_blas(kThreads, argv);
  const std::string json = darp::bench::json_argument(argc, argv);
  std::vector<Result> results;
  results.push_back(bench_update("Hopper", 11, 3, 7));
  results.push_back(bench_update("Ant", 27, 8, 7));
  for (const char* environment : {"hopper", "walker2d", "half_cheetah", "ant"})
    bench_throughput(environment, 9, results);
  darp::bench::report(results, json);
}
