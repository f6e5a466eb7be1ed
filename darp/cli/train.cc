#include <CLI/CLI.hpp>

#include "darp/cli/commands.h"
#include "darp/cli/device_option.h"
#include "darp/cli/interrupt.h"
#include "darp/cli/run_options.h"
#include "darp/core/numbers.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/train/engine.h"
#include "darp/train/recipe.h"
#include "darp/train/trainer.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

struct TrainOptions {
  std::string config, data, device = "cpu";
  RunOptions run;
};

/// `config` with what the command line says.
TrainConfig resolved(const TrainOptions& options, TrainConfig config) {
  if (!options.data.empty()) config.data = options.data;
  if (options.run.seed) config.train.seed = *options.run.seed;
  for (const std::string& assignment : options.run.overrides) apply_override(assignment, config);
  if (config.data.empty())
    throw Error(options.config.empty() ? "darp train" : options.config, "names no demonstrations",
                "give them with --data FILE");
  config.policy.check();
  config.train.check(config.policy);
  return config;
}

/// A folder's name may end with a slash.
std::string name_of_data(const std::string& data) {
  const fs::path path = fs::path(data).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).stem().string();
}

/// configs/hopper/darp.yaml -> runs/hopper-darp-0; without a config lift.hdf5 -> runs/lift-darp-0.
fs::path default_out(const TrainOptions& options, const TrainConfig& config) {
  if (options.config.empty())
    return fs::path("runs") / fmt::format("{}-{}-{}", name_of_data(config.data),
                                          config.policy.kind_name(), config.train.seed);
  const fs::path file = fs::absolute(options.config);
  const std::string task = file.parent_path().filename().string();
  return fs::path("runs") / fmt::format("{}{}{}-{}", task, task.empty() ? "" : "-",
                                        file.stem().string(), config.train.seed);
}

void print_outcome(const TrainOutcome& outcome, const fs::path& out) {
  if (!outcome.finished) {
    fmt::print("stopped; go on with the same command and --resume\n");
    throw Interrupted();
  }
  if (outcome.epochs == 0) fmt::print("nothing was left to learn: the run is finished\n");
  if (outcome.epochs > 0) fmt::print("  training loss   {:.6g}\n", outcome.training_loss);
  if (outcome.validation_loss)
    fmt::print("  validation loss {:.6g} (best epoch)\n", *outcome.validation_loss);
  fmt::print("  policy          {}\n\nlook at it:  darp info {}\n", outcome.policy.string(),
             out.string());
}

void train_command(const TrainOptions& options) {
  const bool by_recipe = options.config.empty();
  TrainConfig base = by_recipe ? recipe() : read_train_config(options.config);
  TrainConfig config = resolved(options, base);
  const fs::path out =
      options.run.out.empty() ? default_out(options, config) : fs::path(options.run.out);
  const GraphOptions::Device device = device_named(options.device);
  std::optional<Dataset> read;
  if (by_recipe || !options.run.dry_run)
    read.emplace(read_dataset(config.data, config.reading).dataset);
  if (by_recipe) {
    fit_to(base, *read);
    config = resolved(options, base);  // what is asked for stays as it is
  }
  if (options.run.dry_run) {
    fmt::print("{}", write_yaml(config));
    return;
  }
  const Dataset& dataset = *read;
  fmt::print("{}: {}, {}, {} observation and {} action dimensions\n", printable(config.data),
             counted(dataset.episodes(), "episode"), counted(dataset.steps(), "step"),
             dataset.observation_dim(), dataset.action_dim());
  fmt::print("training {} into {} ({})\n", config.policy.kind_name(), out.string(),
             engine_name(config.policy, config.train, device));
  std::fflush(stdout);

  TrainerOptions trainer;
  trainer.out = out;
  trainer.resume = options.run.resume;
  trainer.threads = options.run.threads;
  trainer.device = device;
  trainer.checkpoint_seconds = options.run.checkpoint_seconds;
  trainer.stop = &stop_on_interrupt();  // after the step under way, with a checkpoint
  trainer.version = DARP_VERSION;
  print_outcome(train(config, dataset, trainer), out);
}

}  // namespace

void add_train_command(CLI::App& app) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* command = app.add_subcommand("train", "Learn a policy from demonstrations");
  command->add_option(
      "CONFIG", options->config,
      "YAML file, e.g. configs/hopper/darp.yaml, for every method: docs/methods.md; without it "
      "the recipe, which is meant for any task: docs/recipe.md");
  command->add_option("--data", options->data,
                      "Demonstrations, a file or a folder; replaces data of CONFIG");
  options->run.add_to(
      *command,
      {.out = "Run directory; without it runs/<folder of CONFIG>-<name of CONFIG>-<seed>, without "
              "CONFIG "
              "runs/<data>-<kind>-<seed>",
       .set = "One setting, e.g. --set train.epochs=50 --set policy.retrieval.k=30",
       .seed = "Of all that is random; replaces train.seed of CONFIG",
       .threads = "0: one per core; with the fused engine the result does not depend on it"});
  command->add_option("--device", options->device, "cpu, or cuda where LibTorch has it")
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  darp train --data lift.hdf5\n"
      "  darp train --data lift.hdf5 --set policy.kind=bc --out runs/lift-cloning\n"
      "  darp train configs/hopper/darp.yaml --data hopper-expert-v2.hdf5\n"
      "  darp train configs/hopper/bc.yaml --data hopper-expert-v2.hdf5 --out runs/bc --seed 3\n"
      "  darp train my.yaml --data lift.hdf5 --set train.validation.fraction=0.1\n"
      "  darp train configs/hopper/darp.yaml --data hopper-expert-v2.hdf5 --resume\n\n"
      "Ctrl-C stops with a checkpoint; the same command with --resume goes on, also after a "
      "crash.\n"
      "docs/training.md is the guide, docs/formats/run.md explains the run directory.\n\n"
      "Settings of CONFIG and --set, and what holds where a CONFIG says nothing (demonstrations "
      "must be\n"
      "given, here or with --data):\n" +
      help_table(TrainConfig{}) +
      "\nOther kinds, heads and aggregations have other settings: docs/methods.md has all of them, "
      "and\n"
      "--dry-run shows those of a config.");
  command->callback([options] { train_command(*options); });
}

}  // namespace darp
