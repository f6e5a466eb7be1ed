#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "darp/cli/commands.h"
#include "darp/core/file.h"
#include "darp/core/numbers.h"
#include "darp/runtime/latency.h"
#include "darp/runtime/sample_policies.h"
#include "darp/study/policy_executor.h"
#include "darp/train/torch_policy.h"

namespace darp {
namespace {

struct InferenceOptions {
  std::string policy, sample, precision = "fp32", json;
  LatencyOptions latency;
};

/// What is measured: a policy and observations that it may meet.
struct Subject {
  std::string name;
  std::shared_ptr<const PolicyArchive> archive;
  std::shared_ptr<const RealtimeModel> model;  // null for kinds that only LibTorch executes
  Matrix observations;

  std::string summary() const {
    return model ? model->summary() : fmt::format("{} by LibTorch", archive->spec().kind_name());
  }
  std::string_view precision() const {
    return to_string(model ? model->precision() : Precision::kFloat32);
  }
  std::string notice() const { return model ? model->notice() : ""; }
};

Subject subject_of(const InferenceOptions& options) {
  if (options.policy.empty() == options.sample.empty())
    throw Error("darp bench inference",
                options.policy.empty() ? "has nothing to measure" : "has two things to measure",
                "give a policy file or --case, not both");
  constexpr int64_t kMostObservations = 10'000;  // then over again
  const int64_t rows = std::clamp<int64_t>(options.latency.steps, 1, kMostObservations);
  const Precision precision = precision_named(options.precision);
  const bool sample = !options.sample.empty();
  Subject subject;
  subject.name = sample ? options.sample : options.policy;
  subject.archive = std::make_shared<const PolicyArchive>(
      sample ? sample_policy(options.sample) : PolicyArchive::read(policy_file(options.policy)));
  subject.observations = sample ? sample_rollout(options.sample, rows)
                                : likely_observations(*subject.archive, rows, Rng(0));
  if (subject.archive->spec().runs_in_runtime())
    subject.model = std::make_shared<const RealtimeModel>(*subject.archive, precision);
  return subject;
}

/// The same steps twice: nothing beside, and a busy core beside.
struct Measured {
  std::string_view label, key;
  LatencyReport report;
};

std::vector<Measured> measure(const Subject& subject, LatencyOptions options) {
  std::optional<RealtimePolicy> policy;
  std::unique_ptr<Policy> other;
  if (subject.model)
    policy.emplace(subject.model);
  else
    other = make_torch_policy(subject.archive);
  std::vector<Measured> both;
  for (const bool busy : {false, true}) {
    options.busy_neighbor = busy;
    both.push_back({busy ? "busy neighbour" : "quiet", busy ? "busy_neighbor" : "quiet",
                    policy ? measure_latency(*policy, subject.observations, options)
                           : measure_latency(*other, subject.observations, options)});
  }
  return both;
}

/// Each once, in the order of their coming.
std::vector<std::string> notices(const Subject& subject, const std::vector<Measured>& both) {
  std::vector<std::string> all;
  if (!subject.notice().empty()) all.push_back(subject.notice());
  for (const Measured& measured : both)
    for (const std::string& notice : measured.report.notices)
      if (std::ranges::find(all, notice) == all.end()) all.push_back(notice);
  return all;
}

void print(const Subject& subject, const LatencyOptions& options,
           const std::vector<Measured>& both) {
  const bool paced = options.rate_hz > 0;
  fmt::print("{}: {}\n", printable(subject.name), subject.summary());
  fmt::print("{}{}, in microseconds:\n\n", counted(options.steps, "step"),
             paced ? fmt::format(" at {:g} Hz", options.rate_hz) : ", one after the other");
  fmt::print("{:<16}{:>9}{:>9}{:>9}{:>9}{}{:>13}{:>18}\n", "", "p50", "p99", "p99.9", "max",
             paced ? "   missed" : "", "page faults", "thread switches");
  for (const auto& [label, key, r] : both)
    fmt::print("{:<16}{:>9.1f}{:>9.1f}{:>9.1f}{:>9.1f}{}{:>13}{:>18}\n", label, r.p50, r.p99,
               r.p999, r.max, paced ? fmt::format("{:>9}", grouped(r.missed_deadlines)) : "",
               grouped(r.page_faults), grouped(r.involuntary_switches));
  for (const auto& [label, key, r] : both)
    if (r.refused > 0)
      fmt::print("{}: {} gave no action of its own\n", label, counted(r.refused, "step"));
}

nlohmann::json report_json(const LatencyReport& r) {
  return {{"p50", r.p50},
          {"p99", r.p99},
          {"p99.9", r.p999},
          {"max", r.max},
          {"missed_deadlines", r.missed_deadlines},
          {"refused", r.refused},
          {"page_faults", r.page_faults},
          {"involuntary_switches", r.involuntary_switches}};
}

void write_json(const InferenceOptions& options, const Subject& subject,
                const std::vector<Measured>& both) {
  nlohmann::json json = {{"policy", subject.name},
                         {"summary", subject.summary()},
                         {"precision", subject.precision()},
                         {"steps", options.latency.steps},
                         {"rate_hz", options.latency.rate_hz},
                         {"unit", "us"},
                         {"notices", notices(subject, both)}};
  for (const Measured& measured : both)
    json[std::string(measured.key)] = report_json(measured.report);
  write_file(options.json,
             json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void bench_inference(const InferenceOptions& options) {
  const Subject subject = subject_of(options);
  const std::vector<Measured> both = measure(subject, options.latency);
  print(subject, options.latency, both);
  for (const std::string& notice : notices(subject, both)) fmt::print(stderr, "note: {}\n", notice);
  if (!options.json.empty()) write_json(options, subject, both);
}

void add_inference_command(CLI::App& bench) {
  auto options = std::make_shared<InferenceOptions>();
  CLI::App* command =
      bench.add_subcommand("inference", "How long a policy's steps take on this machine");
  command->add_option("POLICY", options->policy, "A policy file or a run directory");
  command->add_option("--case", options->sample,
                      fmt::format("Instead of a file, an untrained policy of a known size: {}",
                                  fmt::join(sample_policy_names(), ", ")));
  command->add_option("--precision", options->precision, "fp32 or bf16")->capture_default_str();
  command
      ->add_option("--rate", options->latency.rate_hz,
                   "Steps a second, as in a control loop; 0: one after the other")
      ->capture_default_str();
  command->add_option("--steps", options->latency.steps, "How many steps")->capture_default_str();
  command->add_flag("--fifo", options->latency.fifo,
                    "Under SCHED_FIFO; best with --rate: the kernel stops one that never sleeps");
  command->add_flag("--lock-memory", options->latency.lock_memory, "With all memory locked");
  command->add_option("--json", options->json, "Write everything to this file");
  command->footer(
      "Steps are measured twice: with nothing beside them, and with a thread on another CPU that\n"
      "streams through memory. Observations are the policy's demonstrations, moved a little.\n"
      "A step that is not done when the next period begins has missed its deadline.\n\n"
      "Examples:\n"
      "  darp bench inference policy.darp\n"
      "  darp bench inference policy.darp --precision bf16 --rate 1000 --fifo --lock-memory\n"
      "  darp bench inference --case hopper --json hopper.json");
  command->callback([options] { bench_inference(*options); });
}

}  // namespace

void add_bench_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "Measure on this machine");
  command->require_subcommand(1);
  add_inference_command(*command);
}

}  // namespace darp
