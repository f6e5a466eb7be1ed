#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "darp/cli/commands.h"
#include "darp/cli/interrupt.h"
#include "darp/cli/outputs.h"
#include "darp/core/numbers.h"
#include "darp/core/suggest.h"
#include "darp/env/registry.h"
#include "darp/eval/complete_evaluation.h"
#include "darp/eval/evaluation_file.h"
#include "darp/eval/record_video.h"
#include "darp/eval/text_report.h"
#include "darp/study/policy_executor.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

struct EvalOptions {
  std::vector<std::string> policies, overrides;
  std::string environment, seeds, json, records;
  ExecutorOptions executor;
  std::optional<int64_t> episodes;
  bool search = false;
  int threads = 0;
  VideoOptions video;
  std::string video_file, frames;
  std::optional<uint64_t> video_seed;
};

SeedRange seeds_of(const EvalOptions& options) {
  const SeedPurpose purpose = options.search ? SeedPurpose::kSearch : SeedPurpose::kReport;
  if (options.seeds.empty()) return default_seeds(purpose, options.episodes.value_or(100));
  SeedRange range = parse_seed_range(options.seeds);
  if (options.episodes) {
    if (*options.episodes > range.count())
      throw Error("--episodes",
                  fmt::format("{} are more than --seeds {} has", *options.episodes, range.text()),
                  "give one of the two");
    range.last = range.first + static_cast<uint64_t>(*options.episodes) - 1;
  }
  check_seeds(purpose, range);
  return range;
}

/// Where records of one of the policies go without --records: beside the JSON file.
fs::path record_path(const EvalOptions& options, size_t policy) {
  if (!options.records.empty()) return options.records;
  if (options.json.empty()) return {};
  fs::path path = options.json;
  if (path.extension() == ".json") path.replace_extension();
  if (options.policies.size() > 1) path += fmt::format(".{}", policy);
  return path += ".records.jsonl";
}

void check_eval_outputs(const EvalOptions& options) {
  std::vector<std::string> policies;
  for (const std::string& policy : options.policies) policies.push_back(policy_file(policy));
  check_outputs({options.json, options.records, options.video_file}, policies);
  std::error_code failure;
  if (!options.frames.empty() && fs::exists(options.frames, failure) &&
      !fs::is_directory(options.frames, failure))
    throw Error(options.frames, "is no folder", "give --frames a folder for its pictures");
}

/// Rolls out what is missing; false if interrupted.
bool roll_out(const EvalOptions& options, const fs::path& records,
              const EnvironmentFactory& make_env, const PolicyExecutor& executor,
              Evaluation& evaluation) {
  CompletionOptions completion;
  completion.records = records;
  completion.threads = options.threads;
  completion.stop = &stop_on_interrupt();
  completion.on_resumed = [&](int64_t episodes) {
    fmt::print("{}: {} already done\n", completion.records.string(), counted(episodes, "episode"));
    std::fflush(stdout);
  };
  return complete_evaluation(make_env, executor.make, evaluation, completion);
}

void print_problems(const Evaluation& evaluation) {
  for (const EpisodeRecord& record : evaluation.records)
    if (is_mishap(record.end)) {
      fmt::print("note: seed {} ended after {}: {}{}{}\n", record.seed,
                 counted(record.length, "step"), name_of(record.end),
                 record.problem.empty() ? "" : ": ", printable(record.problem));
      return;  // one example says what to look for; the table counts them all
    }
}

void write_pictures(const EvalOptions& options, const EnvironmentFactory& make_env,
                    const PolicyExecutor& executor, const SeedRange& seeds) {
  if (options.video_file.empty() && options.frames.empty()) return;
  VideoOptions video = options.video;
  video.file = options.video_file;
  video.frames = options.frames;
  const uint64_t seed = options.video_seed.value_or(seeds.first);
  const auto environment = make_env();
  const auto policy = executor.make();
  Progress progress("pictures", environment->info().time_limit, "steps");
  video.progress = &progress;
  const EpisodeRecord record = record_video(*environment, *policy, seed, video);
  progress.finish();
  fmt::print("seed {}: return {:.1f} in {}", seed, record.episode_return,
             counted(record.length, "step"));
  if (!options.video_file.empty()) fmt::print(", video {}", options.video_file);
  if (!options.frames.empty()) fmt::print(", pictures in {}", options.frames);
  fmt::print("\n");
}

void check_camera(const EvalOptions& options, const EnvironmentInfo& info) {
  const std::string& camera = options.video.camera;
  if (!camera.empty() && std::ranges::find(info.cameras, camera) == info.cameras.end())
    throw Error("--camera", fmt::format("{} has no '{}'", info.name, printable(camera)),
                suggestion(camera, info.cameras));
}

void eval_command(const EvalOptions& options) {
  EnvironmentSettings settings;
  for (const std::string& assignment : options.overrides) apply_override(assignment, settings);
  const SeedRange seeds = seeds_of(options);
  if (options.policies.size() > 1 &&
      !(options.video_file + options.frames + options.records).empty())
    throw Error("darp eval", "has several policies for one video or one record file",
                "give one policy");
  check_eval_outputs(options);
  const EnvironmentFactory make_env = [&] {
    return make_environment(options.environment, settings);
  };
  const EnvironmentInfo info = make_env()->info();
  check_camera(options, info);

  std::vector<Evaluation> evaluations;
  std::optional<PolicyExecutor> last;
  for (size_t i = 0; i < options.policies.size(); ++i) {
    const fs::path records = record_path(options, i);
    const PolicyExecutor& executor =
        last.emplace(load_policy(options.policies[i], options.executor));
    if (!executor.notice.empty()) fmt::print(stderr, "note: {}\n", executor.notice);
    Evaluation evaluation;
    evaluation.subject = {
        info.name,     fmt::format("{}", fmt::join(changed_settings(settings), " ")),
        executor.file, executor.hash,
        executor.name, options.search ? SeedPurpose::kSearch : SeedPurpose::kReport,
        seeds};
    evaluation.has_success = info.has_success;
    evaluation.scale = info.scale;
    if (!roll_out(options, records, make_env, executor, evaluation)) {
      fmt::print("stopped after {} of {}{}\n", evaluation.records.size(),
                 counted(seeds.count(), "episode"),
                 records.empty() ? "" : "; the same command goes on");
      throw Interrupted();
    }
    print_problems(evaluation);
    evaluations.push_back(std::move(evaluation));
  }
  fmt::print("{}", evaluation_table(evaluations));
  if (!options.json.empty()) write_evaluations(options.json, evaluations);
  if (options.policies.size() == 1) write_pictures(options, make_env, *last, seeds);
}

void add_picture_options(CLI::App& command, EvalOptions& options) {
  command.add_option("--video", options.video_file, "Write an mp4 of one episode");
  command.add_option("--frames", options.frames,
                     "Write PNG pictures of one episode into this folder");
  command.add_option("--video-seed", options.video_seed,
                     "Of that episode; without it the first seed");
  command.add_option("--camera", options.video.camera,
                     "Its camera; without it the environment's first");
  command.add_option("--width", options.video.width, "Of pictures")
      ->capture_default_str()
      ->check(CLI::Range(16, 4096));
  command.add_option("--height", options.video.height, "Of pictures")
      ->capture_default_str()
      ->check(CLI::Range(16, 4096));
}

}  // namespace

void add_eval_command(CLI::App& app) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* command = app.add_subcommand("eval", "Roll policies out and say how good they are");
  command
      ->add_option("POLICY", options->policies,
                   "Policy files or run directories; several: trained runs of one method")
      ->required();
  command->add_option("--env", options->environment, "Environment; `darp environments` lists them")
      ->required();
  command->add_option("--episodes", options->episodes, "How many; without it 100 or all of --seeds")
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--seeds", options->seeds, "Episodes' seeds, e.g. 0..99 (the default)");
  command->add_flag("--search", options->search,
                    "For choosing settings: seeds from 100000 up, so that reports stay honest");
  command->add_option("--threads", options->threads, "0: one per core; records do not depend on it")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  command
      ->add_option("--executor", options->executor.executor,
                   "runtime, torch to act with LibTorch, or auto: the runtime where it can")
      ->capture_default_str();
  command->add_option("--precision", options->executor.precision, "Of the runtime: fp32 or bf16")
      ->capture_default_str();
  command->add_option("--act", options->executor.acting,
                      "Policies with a distribution: sample, or mode; without it as they were "
                      "trained to");
  command->add_option("--gain", options->executor.gain,
                      "Multiply actions by this instead of the policy's own gain: 0.9 acts a tenth "
                      "more gently");
  command
      ->add_option("--set", options->overrides,
                   "One setting of the environment, e.g. --set observation_noise=0.01")
      ->expected(1)
      ->take_all();
  command->add_option("--json", options->json,
                      "Write everything to this file; `darp compare` reads it");
  command->add_option(
      "--records", options->records,
      "Append each episode to this file and go on from what is in it; without it beside --json");
  add_picture_options(*command, *options);
  command->footer(
      "Examples:\n"
      "  darp eval runs/hopper-darp-0 --env hopper --json darp.json\n"
      "  darp eval policy.darp --env hopper --episodes 20 --video hopper.mp4\n"
      "  darp eval runs/hopper-darp-* --env hopper\n"
      "  darp eval policy.darp --env walker2d --set push.body=torso --set push.force=[50,0,0] "
      "--set push.every=2\n"
      "  darp eval runs/ant-darp-0 --env ant --search --gain 0.9\n"
      "  darp compare bc.json darp.json\n\n"
      "Ctrl-C lets running episodes end; the same command goes on where --json or --records was "
      "given.\n"
      "docs/evaluation.md is the guide, docs/formats/evaluation.md explains the files.\n\n"
      "Settings of environments (--set):\n" +
      help_table(EnvironmentSettings{}));
  command->callback([options] { eval_command(*options); });
}

}  // namespace darp
