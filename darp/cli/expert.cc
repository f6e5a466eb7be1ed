#include <CLI/CLI.hpp>

#include "darp/cli/commands.h"
#include "darp/cli/interrupt.h"
#include "darp/cli/run_options.h"
#include "darp/env/registry.h"
#include "darp/expert/ppo/ppo_trainer.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

struct ExpertTrainOptions {
  std::string environment, config;
  RunOptions run;
};

ExpertConfig expert_config(const ExpertTrainOptions& options) {
  ExpertConfig config;
  config.environment = options.environment;
  config.ppo = ppo_recipe(options.environment);
  if (!options.config.empty()) read_yaml_file(options.config, config);
  if (options.run.seed) config.ppo.seed = *options.run.seed;
  for (const std::string& assignment : options.run.overrides) apply_override(assignment, config);
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
  if (options.run.dry_run) {
    fmt::print("{}", write_yaml(config));
    return;
  }
  PpoTrainerOptions trainer;
  trainer.out =
      options.run.out.empty()
          ? fs::path("runs") / fmt::format("expert-{}-{}", config.environment, config.ppo.seed)
          : fs::path(options.run.out);
  trainer.resume = options.run.resume;
  trainer.threads = options.run.threads;
  trainer.checkpoint_seconds = options.run.checkpoint_seconds;
  trainer.stop = &stop_on_interrupt();
  trainer.version = DARP_VERSION;
  fmt::print("training an expert for {} into {}\n", config.environment, trainer.out.string());
  std::fflush(stdout);
  const PpoOutcome outcome = train_expert(config, trainer);
  if (!outcome.finished) {
    fmt::print("stopped; go on with the same command and --resume\n");
    throw Interrupted();
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
  options->run.add_to(*command, {.out = "Run directory; without it runs/expert-<env>-<seed>",
                                 .set = "One setting, e.g. --set ppo.steps=2000000",
                                 .seed = "Of all that is random; replaces ppo.seed",
                                 .threads = "0: one per core; the result does not depend on it"});
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
