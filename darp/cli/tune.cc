#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>

#include "darp/cli/commands.h"
#include "darp/cli/interrupt.h"
#include "darp/core/numbers.h"
#include "darp/core/progress.h"
#include "darp/core/seconds_since.h"
#include "darp/eval/return_text.h"
#include "darp/exhibit/exhibit_file.h"
#include "darp/study/tune/tune_exhibits.h"
#include "darp/study/tune/tuner.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

struct TuneOptions {
  std::string config, space, environment, data, out, objective = "return";
  std::vector<std::string> overrides;
  TuneSettings settings;
  int jobs = 0;
};

TrainConfig config_of(const TuneOptions& options) {
  TrainConfig config = read_train_config(options.config);
  if (!options.data.empty()) config.data = options.data;
  for (const std::string& assignment : options.overrides) apply_override(assignment, config);
  if (config.data.empty())
    throw Error(options.config, "names no demonstrations", "give them with --data FILE");
  return config;
}

TuneSettings settings_of(const TuneOptions& options) {
  TuneSettings settings = options.settings;
  apply_override("objective=" + options.objective, settings, "--objective");
  if (settings.objective == TuneSettings::Objective::kReturn && options.environment.empty())
    throw Error("darp tune", "searches by return and has no environment to get it in",
                "give one with --env (`darp environments` lists them), or --objective validation");
  return settings;
}

/// configs/hopper/darp.yaml -> runs/tune-hopper-darp.
fs::path default_search_folder(const TuneOptions& options) {
  const fs::path file = fs::absolute(options.config);
  return fs::path("runs") /
         fmt::format("tune-{}-{}", file.parent_path().filename().string(), file.stem().string());
}

/// The best settings as options, as a config, and where to look.
void print_result(const TuneResult& result, const TuneSettings& settings, const fs::path& out) {
  const TrialResult& best = result.best();
  if (settings.objective == TuneSettings::Objective::kReturn)
    fmt::print("best mean return {} on search seeds {}", ReturnText(best.score)(best.score),
               trial_seeds(settings, best.rung).text());
  else
    fmt::print("best validation loss {:.6g}", -best.score);
  fmt::print(" (trial {}, rung {})\n", best.trial, best.rung);
  for (size_t i = 0; i < best.set.size(); ++i)
    fmt::print("  --set '{}'{}\n", best.set[i], i + 1 < best.set.size() ? " \\" : "");
  const int64_t failed = std::count_if(result.trials.begin(), result.trials.end(),
                                       [](const TrialResult& trial) { return trial.failed(); });
  for (const TrialResult& trial : result.trials)
    if (trial.failed()) {
      fmt::print("note: {} failed, the first (trial {}) so: {}\n", counted(failed, "training"),
                 trial.trial, printable(trial.problem));
      break;
    }
  fmt::print(
      "\ntrain with them:  darp train {}\n"
      "its policy:       {}\n"
      "look at it all:   darp report {}\n",
      (out / "best.yaml").string(), best.policy.string(), out.string());
}

void tune_command(const TuneOptions& options) {
  const TrainConfig config = config_of(options);
  const TuneSettings settings = settings_of(options);
  const SearchSpace space = seen_by(settings.objective, read_search_space(options.space));
  StudyOptions study;
  study.out = options.out.empty() ? default_search_folder(options) : fs::path(options.out);
  study.jobs = options.jobs;
  study.stop = &stop_on_interrupt();
  study.version = DARP_VERSION;
  fmt::print("searching for {} of {} with {}, into {}\n",
             counted(static_cast<int64_t>(space.dimensions.size()), "setting"),
             printable(options.config), counted(settings.trials, "trial"), study.out.string());
  std::fflush(stdout);

  const auto start = std::chrono::steady_clock::now();
  const auto result = tune(config, options.environment, space, settings, study);
  if (!result) {
    fmt::print("stopped; the same command goes on\n");
    throw Interrupted();
  }
  const std::string name = fs::path(options.config).stem().string();
  TrainConfig best =
      trial_config(search_base(config), result->best().set, settings, settings.rungs - 1);
  write_file(study.out / "best.yaml", write_yaml(best));
  ExhibitSet exhibits = tune_exhibits(space, settings, *result, name, options.environment);
  exhibits.facts = {{"config", options.config},
                    {"space", options.space},
                    {"demonstrations", config.data},
                    {"darp", DARP_VERSION}};
  write_exhibits(study.out / kExhibitFile, exhibits);
  fmt::print("{} in {}\n", counted(static_cast<int64_t>(result->trials.size()), "training"),
             duration_text(std::chrono::seconds(static_cast<int64_t>(seconds_since(start)))));
  print_result(*result, settings, study.out);
}

void add_tune_options(CLI::App& command, TuneOptions& options) {
  command.add_option("--data", options.data, "Demonstrations; replaces data of CONFIG");
  command.add_option("--out", options.out,
                     "Folder of the search; without it runs/tune-<folder of CONFIG>-<its name>");
  command.add_option("--trials", options.settings.trials, "Settings that are tried")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000));
  command
      .add_option("--episodes", options.settings.episodes,
                  "Episodes of a trial at its longest training, on search seeds")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000));
  command
      .add_option("--rungs", options.settings.rungs,
                  "Lengths of training, each 3 times the one before; 1: all trials in full")
      ->capture_default_str()
      ->check(CLI::Range(1, 10));
  command
      .add_option("--objective", options.objective,
                  "return: the mean on search seeds; validation: the validation loss")
      ->capture_default_str();
  command
      .add_option("--jobs", options.jobs, "Trainings at once, with a thread each; 0: one per core")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  command
      .add_option("--seed", options.settings.seed,
                  "Of the proposals; that of training is train.seed")
      ->capture_default_str()
      ->check(CLI::Range(0, 1'000'000'000));
  command.add_option("--set", options.overrides, "One setting of CONFIG, for all trials")
      ->expected(1)
      ->take_all();
}

}  // namespace

void add_tune_command(CLI::App& app) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* command = app.add_subcommand("tune", "Search for the settings of a method");
  command->add_option("CONFIG", options->config, "As darp train takes it")->required();
  command
      ->add_option("--space", options->space,
                   "What to search for, e.g. studies/spaces/darp.yaml; docs/tuning.md explains it")
      ->required();
  command->add_option("--env", options->environment,
                      "Where trials are scored; `darp environments` lists them");
  add_tune_options(*command, *options);
  command->footer(
      "Examples:\n"
      "  darp tune configs/hopper/darp.yaml --space studies/spaces/darp.yaml --env hopper --data "
      "demos/hopper.hdf5\n"
      "  darp tune configs/hopper/lwr.yaml --space studies/spaces/lwr.yaml --env hopper --data "
      "demos/hopper.hdf5 --trials 64 --rungs 1\n"
      "  darp tune my.yaml --space my-space.yaml --data lift.hdf5 --objective validation --set "
      "train.validation.fraction=0.2\n\n"
      "A line of a space:  policy.retrieval.k: log integer 10 400\n"
      "  kinds: uniform LOW HIGH, log LOW HIGH, integer LOW HIGH, log integer LOW HIGH, choice A | "
      "B | C\n\n"
      "Ctrl-C stops; the same command goes on, also after a crash, and several of them (on one "
      "machine or\nseveral) share the work of one folder. Trials never see report seeds.\n"
      "docs/tuning.md is the guide.");
  command->callback([options] { tune_command(*options); });
}

}  // namespace darp
