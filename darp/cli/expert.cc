#include <CLI/CLI.hpp>
#include <optional>

#include "darp/cli/commands.h"
#include "darp/cli/interrupt.h"
#include "darp/env/registry.h"
#include "darp/expert/ppo/ppo_trainer.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

struct ExpertTrainOptions {
  std::string environment, config, out;
  std::vector<std::string> overrides;
  bool resume = false, dry_run = false;
  std::optional<int64_t> seed;
  int threads = 0;
  double checkpoint_seconds = 30;
};

ExpertConfig expert_config(const ExpertTrainOptions& options) {
  ExpertConfig config;
  config.environment = options.environment;
  config.ppo = ppo_recipe(options.environment);
  if (!options.config.empty()) read_yaml_file(options.config, config);
  if (options.seed) config.ppo.seed = *options.seed;
  for (const std::string& assignment : options.overrides) apply_override(assignment, config);
  if (config.environment != options.environment)
    throw Error("--env",
                fmt::format("is {}, but the settings are for {}", printable(options.environment),
                            printable(config.environment)),
                "give the same, or settings for it");
  config.ppo.check();
  make_environment(config.environment, config.environment_settings);  // or says what is wrong
  return config;
}

void expert_train_command(const ExpertTrainOptions& options) {
  const ExpertConfig config = expert_config(options);
  if (options.dry_run) {
    fmt::print("{}", write_yaml(config));
    return;
  }
  PpoTrainerOptions trainer;
  trainer.out =
      options.out.empty()
          ? fs::path("runs") / fmt::format("expert-{}-{}", config.environment, config.ppo.seed)
          : fs::path(options.out);
  trainer.resume = options.resume;
  trainer.threads = options.threads;
  trainer.checkpoint_seconds = options.checkpoint_seconds;
  trainer.stop = &stop_on_interrupt();
  trainer.version = DARP_VERSION;
  fmt::print("training an expert for {} into {}\n", config.environment, trainer.out.string());
  std::fflush(stdout);
  const PpoOutcome outcome = train_expert(config, trainer);
  if (!outcome.finished) {
    fmt::print("stopped; go on with the same command and --resume\n");
    return;
  }
  fmt::print("  steps        {} in {:.0f} s ({:.0f} per second)\n", outcome.steps, outcome.seconds,
             static_cast<double>(outcome.steps) / outcome.seconds);
  fmt::print("  best return  {:.1f}, at step {} (mean of {} episodes on search seeds)\n",
             outcome.best_return, outcome.best_steps, config.ppo.evaluation.episodes);
  fmt::print(
      "  network      {}\n\nhow good is it on fresh seeds:  darp collect --env {} --expert rl "
      "--network {} --episodes 20 --seeds 0..19\n",
      outcome.network.string(), config.environment, outcome.network.string());
}

}  // namespace

void add_expert_command(CLI::App& app) {
  CLI::App* group = app.add_subcommand("expert", "Train experts that make demonstrations");
  group->require_subcommand(1);
  auto options = std::make_shared<ExpertTrainOptions>();
  CLI::App* command = group->add_subcommand("train", "Learn a task by trial and error (PPO)");
  command->add_option("--env", options->environment, "Which task: darp environments lists them")
      ->required();
  command->add_option("--config", options->config,
                      "YAML file; without it the settings behind the bundled expert");
  command->add_option("--out", options->out, "Run directory; without it runs/expert-<env>-<seed>");
  command->add_option("--set", options->overrides, "One setting, e.g. --set ppo.steps=2000000")
      ->expected(1)
      ->take_all();
  command->add_flag("--resume", options->resume,
                    "Go on where the run in --out stopped, or start it");
  command->add_option("--seed", options->seed, "Of all that is random; replaces ppo.seed")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--threads", options->threads,
                   "0: one per core; the result does not depend on it")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  command
      ->add_option("--checkpoint-seconds", options->checkpoint_seconds,
                   "Least time between two checkpoints: what a crash can cost")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--dry-run", options->dry_run,
                    "Print all settings as they would be used, and stop");
  command->footer(
      "Examples:\n"
      "  darp expert train --env hopper\n"
      "  darp expert train --env ant --seed 1 --set ppo.steps=30000000 --out runs/my-ant\n"
      "  darp expert train --env hopper --resume\n\n"
      "Ctrl-C stops with a checkpoint; the same command with --resume goes on, also after a "
      "crash.\n"
      "docs/experts.md is the guide.\n\nSettings of --config and --set:\n" +
      help_table(ExpertConfig{}));
  command->callback([options] { expert_train_command(*options); });
}

}  // namespace darp
