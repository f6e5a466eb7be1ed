#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "darp/cli/collect_report.h"
#include "darp/cli/commands.h"
#include "darp/cli/interrupt.h"
#include "darp/cli/outputs.h"
#include "darp/core/hash.h"
#include "darp/core/numbers.h"
#include "darp/core/seconds_since.h"
#include "darp/core/suggest.h"
#include "darp/env/registry.h"
#include "darp/eval/evaluation_file.h"
#include "darp/eval/text_report.h"
#include "darp/expert/collect_to_file.h"
#include "darp/expert/manifest.h"
#include "darp/expert/registry.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kUsualEpisodes = 100, kSeedsPerEpisode = 20;

struct CollectOptions {
  std::string environment, expert, network, seeds, out, states = "every", json, manifest;
  std::vector<std::string> overrides;
  std::optional<int64_t> episodes;
  double noise = 0;
  std::optional<double> min_return;
  bool success_only = false;
  int threads = 0;
};

/// Everything about the command that is decided before the first episode.
struct CollectTask {
  EnvironmentSettings settings;
  EnvironmentInfo info;
  ExpertChoice expert;
  DemonstrationSubject subject;
  EpisodeChoice choice;
  EnvironmentFactory make_env;
  ExpertFactory make_expert;
};

/// Options that only make sense for files, or only without.
void check_collect_options(const CollectOptions& options, const EnvironmentInfo& info) {
  if (!std::isfinite(options.noise) || options.noise < 0)
    throw Error("--noise", fmt::format("is {}", options.noise),
                "give a share of half the range of actions, e.g. 0.1");
  if (options.min_return && !std::isfinite(*options.min_return))
    throw Error("--min-return", fmt::format("is {}", *options.min_return), "give a number");
  if (options.success_only && !info.has_success)
    throw Error("--success-only", fmt::format("{} has no successes", info.name),
                "filter with --min-return");
  if (options.out.empty()) {
    if (options.success_only || options.min_return)
      throw Error("darp collect", "has filters but no file to choose episodes for",
                  "give --out, or leave --success-only and --min-return away");
    if (!options.manifest.empty()) throw Error("--manifest", "has no file to list", "give --out");
    return;
  }
  if (!options.json.empty())
    throw Error("--json", "is for evaluating an expert, and --out for demonstrations",
                "give one of the two");
  if (fs::is_directory(options.out))
    throw Error(options.out, "is a folder", "give a file, e.g. with .hdf5 at its end");
  if (!options.manifest.empty() && fs::exists(options.manifest)) read_manifest(options.manifest);
}

/// Which seeds, and how many episodes of them. An evaluation may be on any; a file's are its own.
EpisodeChoice choose_episodes(const CollectOptions& options) {
  EpisodeChoice choice;
  choice.success_only = options.success_only;
  choice.min_return = options.min_return;
  choice.keep_mishaps = options.out.empty();
  const int64_t wanted = options.episodes.value_or(kUsualEpisodes);
  if (options.seeds.empty()) {
    choice.episodes = wanted;
    choice.seeds =
        options.out.empty()
            ? default_seeds(SeedPurpose::kReport, wanted)
            : default_seeds(
                  SeedPurpose::kDemonstrate,
                  wanted > kMostSeeds ? wanted : std::min(kSeedsPerEpisode * wanted, kMostSeeds));
    return choice;
  }
  choice.seeds = parse_seed_range(options.seeds);
  choice.episodes = options.episodes.value_or(choice.seeds.count());
  if (choice.episodes > choice.seeds.count())
    throw Error(
        "--episodes",
        fmt::format("{} are more than --seeds {} has", choice.episodes, choice.seeds.text()),
        "give fewer episodes or more seeds");
  if (options.out.empty())
    choice.seeds.last = choice.seeds.first + static_cast<uint64_t>(choice.episodes) - 1;
  else
    check_seeds(SeedPurpose::kDemonstrate, choice.seeds);
  return choice;
}

CollectTask prepare(const CollectOptions& options) {
  CollectTask task;
  for (const std::string& assignment : options.overrides) apply_override(assignment, task.settings);
  task.make_env = [name = options.environment, settings = task.settings] {
    return make_environment(name, settings);
  };
  task.info = task.make_env()->info();
  check_collect_options(options, task.info);
  check_outputs({options.json, options.manifest});
  task.choice = choose_episodes(options);
  task.expert = resolved({options.environment, options.expert, options.network});
  task.make_expert = [expert = task.expert] { return make_expert(expert); };
  task.make_expert();  // says now what is wrong with its network
  std::string hash;
  if (!task.expert.network.empty())
    hash = Hasher().add(MappedFile(task.expert.network).bytes()).hex();
  task.subject = {options.environment, changed_settings(task.settings),
                  task.expert.expert,  hash,
                  options.noise,       DARP_VERSION};
  return task;
}

/// For a shell, quoted only where it has to be.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == text.npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// The command that makes the file `out` again, with all that was left to defaults.
std::string command_text(const CollectOptions& options, const CollectTask& task,
                         const std::string& out) {
  std::string text = fmt::format("darp collect --env {} --expert {}", task.subject.environment,
                                 task.subject.expert);
  if (!options.network.empty()) text += " --network " + shell_word(options.network);
  text += fmt::format(" --episodes {} --seeds {}", task.choice.episodes, task.choice.seeds.text());
  if (options.noise > 0) text += fmt::format(" --noise {}", options.noise);
  if (options.success_only) text += " --success-only";
  if (options.min_return) text += fmt::format(" --min-return {}", *options.min_return);
  for (const std::string& setting : task.subject.environment_settings)
    text += " --set " + shell_word(setting);
  if (options.states != "every") text += " --states " + options.states;
  return text + " --out " + shell_word(out);
}

StoredStates states_named(const std::string& name) {
  if (name == "every") return StoredStates::kEvery;
  if (name == "first") return StoredStates::kFirst;
  throw Error("--states", fmt::format("'{}' is not a choice", printable(name)),
              suggestion(name, std::vector<std::string>{"every", "first"}));
}

void make_file(const CollectOptions& options, const CollectTask& task) {
  FilePlan plan;
  plan.out = options.out;
  plan.states = states_named(options.states);
  // The file's own name only: its bytes do not depend on where it lies.
  plan.provenance = {task.subject, task.choice, 0,
                     command_text(options, task, plan.out.filename().string())};
  CollectionJournal journal(CollectionJournal::path_for(plan.out), task.subject, task.info);
  if (!journal.records().empty())
    fmt::print("{}: {} already done\n", CollectionJournal::path_for(plan.out).string(),
               counted(static_cast<int64_t>(journal.records().size()), "episode"));
  std::fflush(stdout);

  Progress progress(task.info.name, task.choice.episodes, "episodes");
  const Collection collection = [&] {
    ThreadPool pool(options.threads);
    return collect_to_file(plan, journal, task.make_env, task.make_expert, pool,
                           {.progress = &progress, .stop = &stop_on_interrupt()});
  }();
  progress.finish();
  if (!collection.complete) {
    fmt::print("stopped after {} of {}; the same command goes on\n", collection.kept.size(),
               counted(task.choice.episodes, "episode"));
    throw Interrupted();
  }
  if (!options.manifest.empty()) {
    Provenance listed = plan.provenance;
    listed.command =
        command_text(options, task, options.out) + " --manifest " + shell_word(options.manifest);
    update_manifest(options.manifest, describe_demonstrations(plan.out, options.manifest, listed));
  }
  print_collection(collection, task.info, plan.out);
}

void evaluate_expert(const CollectOptions& options, const CollectTask& task) {
  Evaluation evaluation;
  std::string executor = "expert";
  if (options.noise > 0) executor += fmt::format(" with noise {}", options.noise);
  evaluation.subject = {task.info.name,
                        fmt::format("{}", fmt::join(task.subject.environment_settings, " ")),
                        "expert " + task.subject.expert,
                        task.subject.network_hash,
                        executor,
                        purpose_of(task.choice.seeds),
                        task.choice.seeds};
  evaluation.has_success = task.info.has_success;
  evaluation.scale = task.info.scale;
  ThreadPool pool(options.threads);
  Progress progress(task.info.name, task.choice.episodes, "episodes");
  const auto start = std::chrono::steady_clock::now();
  Collection collection =
      collect(task.make_env, task.make_expert, task.choice, pool,
              {.noise = options.noise, .progress = &progress, .stop = &stop_on_interrupt()});
  progress.finish();
  if (!collection.complete) {
    fmt::print("stopped after {} of {}; the same command starts over\n", collection.kept.size(),
               counted(task.choice.episodes, "episode"));
    throw Interrupted();
  }
  evaluation.wall_seconds = seconds_since(start);
  evaluation.threads = pool.threads();
  evaluation.records = std::move(collection.kept);
  for (const EpisodeRecord& record : evaluation.records) evaluation.wall_steps += record.length;
  fmt::print("{}", evaluation_table({&evaluation, 1}));
  if (!options.json.empty()) write_evaluations(options.json, {&evaluation, 1});
}

void collect_command(const CollectOptions& options) {
  const CollectTask task = prepare(options);
  if (options.out.empty())
    evaluate_expert(options, task);
  else
    make_file(options, task);
}

void add_output_options(CLI::App& command, CollectOptions& options) {
  command.add_option("--out", options.out,
                     "File to write (robomimic HDF5); without it the expert is only evaluated");
  command
      .add_option("--states", options.states,
                  "Of the simulation, to keep: every, or first for smaller files")
      ->capture_default_str();
  command.add_option("--manifest", options.manifest,
                     "List the file in this JSON file, e.g. demos/manifest.json");
  command.add_option("--json", options.json,
                     "Without --out: write the evaluation to this file; `darp compare` reads it");
}

}  // namespace

void add_collect_command(CLI::App& app) {
  auto options = std::make_shared<CollectOptions>();
  CLI::App* command =
      app.add_subcommand("collect", "Let an expert make demonstrations, or say how good it is");
  command->add_option("--env", options->environment, "Environment; `darp environments` lists them")
      ->required();
  command->add_option(
      "--expert", options->expert,
      "rl, planner, mpc, scripted, mimicgen or human; without it the usual one of the environment");
  command->add_option("--network", options->network,
                      "Of the expert rl; without it the one in demos/experts");
  command
      ->add_option("--episodes", options->episodes,
                   "How many to keep; without it 100 or all of --seeds")
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--seeds", options->seeds,
                      "Tried in this order until enough episodes pass; without it 1000000 and up, "
                      "20 for each episode");
  command
      ->add_option("--noise", options->noise,
                   "Disturbs what is done: its deviation in halves of the range of actions")
      ->capture_default_str();
  command->add_flag("--success-only", options->success_only, "Keep only episodes that succeed");
  command->add_option("--min-return", options->min_return,
                      "Keep only episodes with at least this return");
  command
      ->add_option("--set", options->overrides,
                   "One setting of the environment, e.g. --set time_limit=500")
      ->expected(1)
      ->take_all();
  command->add_option("--threads", options->threads, "0: one per core; files do not depend on it")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  add_output_options(*command, *options);
  command->footer(
      "Examples:\n"
      "  darp collect --env hopper --episodes 20 --min-return 3000 --out hopper.hdf5\n"
      "  darp collect --env maze_umaze --expert planner --noise 0.1 --out maze.hdf5\n"
      "  darp collect --env push_t --episodes 200 --success-only --out demos/push_t.hdf5 "
      "--manifest demos/manifest.json\n"
      "  darp collect --env hopper --episodes 100 --json expert.json\n\n"
      "With noise, what the expert wanted is recorded as actions, what was done as "
      "executed_actions.\n"
      "Ctrl-C lets running episodes end; finished ones wait in <out>.partial, and the same command "
      "goes on.\n"
      "docs/collecting.md is the guide, docs/formats/robomimic.md explains the files.\n\n"
      "Settings of environments (--set):\n" +
      help_table(EnvironmentSettings{}));
  command->callback([options] { collect_command(*options); });
}

}  // namespace darp
