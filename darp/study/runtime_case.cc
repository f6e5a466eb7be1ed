#include "darp/study/runtime_case.h"

#include <array>
#include <cmath>
#include <ctime>

#include "darp/core/file.h"
#include "darp/core/hash.h"
#include "darp/core/make_folders.h"
#include "darp/core/seconds_since.h"
#include "darp/core/silent_progress.h"
#include "darp/core/strict_json.h"
#include "darp/eval/statistics/estimates.h"
#include "darp/runtime/latency.h"
#include "darp/runtime/sample_policies.h"
#include "darp/train/engine.h"
#include "darp/train/member_training.h"
#include "darp/train/run_directory.h"
#include "darp/train/torch_policy.h"
#include "darp/train/training_set.h"

namespace darp {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// Different observations that are stepped through, over and over.
constexpr int64_t kLatencyRows = 1000;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct TimedEpochs {
  std::vector<double> seconds;
  double busy = 1;
  std::vector<std::vector<float>> weights;  // of every member
};

/// Nothing if stopped. The first epoch, which finds caches cold, counts only if it is the only one.
std::optional<TimedEpochs> time_epochs(const RuntimeCase& c, const TrainingSet& set,
                                       int64_t observation_dim, int64_t action_dim, int threads,
                                       const std::atomic<bool>* stop) {
  ThreadPool pool(threads);
  const auto parameters = policy_parameters(c.policy, observation_dim, action_dim);
  const auto objective =
      make_objective(c.policy, c.train, c.device, set.memory(), set.training(), pool);
  MemberTraining training({.settings = c.train,
                           .parameters = parameters,
                           .members = c.policy.members,
                           .training = *objective,
                           .training_rows = set.training_rows(),
                           .observation_dim = observation_dim * c.policy.observation_horizon(),
                           .pool = pool});
  TimedEpochs out;
  double wall = 0, processor = 0;
  TrainState state = training.start();
  while (!training.finished(state)) {
    const auto start = SteadyClock::now();
    const double processor_start = thread_seconds();
    while (!training.epoch_is_over(state)) {
      if (stop && *stop) return std::nullopt;
      training.step(state);
    }
    out.seconds.push_back(seconds_since(start));
    wall += out.seconds.back();
    processor += thread_seconds() - processor_start;
    training.end_epoch(state);
  }
  if (out.seconds.size() > 1) out.seconds.erase(out.seconds.begin());
  out.busy = processor / wall;
  out.weights = std::move(state.finished);
  return out;
}

void measure_steps(const RuntimeCase& c, PolicyContents contents, RuntimeRecord& record) {
  const auto archive = std::make_shared<const PolicyArchive>(std::move(contents));
  const Matrix observations = likely_observations(*archive, kLatencyRows, Rng(0));
  const LatencyOptions options{.steps = c.latency_steps};
  LatencyReport report;
  if (c.policy.runs_in_runtime()) {
    RealtimePolicy policy(std::make_shared<const RealtimeModel>(*archive));
    report = measure_latency(policy, observations, options);
    record.executor = "runtime fp32";
  } else {
    report = measure_latency(*make_torch_policy(archive), observations, options);
    record.executor = "LibTorch";
  }
  if (report.refused > 0)
    throw Error(c.name, fmt::format("{} of {} steps gave no action", report.refused, report.steps),
                "check the policy's settings");
  record.step_median = report.p50;
  record.step_p99 = report.p99;
  record.step_max = report.max;
  record.steps = report.steps;
}

double median_or_nothing(const std::vector<double>& seconds) {
  return seconds.empty() ? std::nan("") : median(seconds);
}

/// A folder that is not there before and not there after.
struct ScratchFolder {
  std::filesystem::path path;

  explicit ScratchFolder(std::filesystem::path folder) : path(std::move(folder)) { remove(); }
  ~ScratchFolder() { remove(); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  void remove() const {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

std::vector<double> seconds_in(const JsonPlace& list) {
  std::vector<double> seconds;
  for (size_t i = 0; i < list.size(); ++i) seconds.push_back(list.item(i).number());
  return seconds;
}

}  // namespace

double RuntimeRecord::one_thread_median() const {
  return median_or_nothing(one_thread);
}

double RuntimeRecord::all_threads_median() const {
  return median_or_nothing(all_threads);
}

std::string runtime_key(const RuntimeCase& c, const Dataset& data) {
  return Hasher()
      .add("darp runtime 1")
      .add(write_yaml(c.policy))
      .add(write_yaml(c.train))
      .add(static_cast<uint64_t>(c.latency_steps))
      .add(static_cast<uint64_t>(c.device))
      .add(data.content_hash())
      .add(c.version)
      .add(cpu_name())
      .add(static_cast<uint64_t>(ThreadPool().threads()))
      .hex();
}

std::optional<RuntimeRecord> measure_runtime(const RuntimeCase& c, const Dataset& data,
                                             const std::filesystem::path& scratch,
                                             const std::atomic<bool>* stop) {
  c.policy.check();
  c.train.check(c.policy);
  RuntimeRecord record;
  record.key = runtime_key(c, data);
  record.cpu = cpu_name();
  ThreadPool pool;
  record.threads = pool.threads();
  // Empty: finding the neighbours is part of what is measured.
  const ScratchFolder folder(scratch);
  const auto start = SteadyClock::now();
  TrainingSet set(data, c.policy, c.train, nullptr, silent_progress());
  set.find_neighbors(folder.path, pool);
  record.table_seconds = seconds_since(start);
  record.rows = set.training_rows();
  record.neighbors = c.policy.retrieval() ? c.policy.retrieval()->kept() : 0;
  PolicyContents contents = set.contents();
  contents.members.resize(static_cast<size_t>(c.policy.members));  // no weights: nothing to learn
  if (learns(c.policy)) {
    record.engine = engine_name(c.policy, c.train, c.device);
    auto one = time_epochs(c, set, data.observation_dim(), data.action_dim(), 1, stop);
    if (!one) return std::nullopt;
    auto all = time_epochs(c, set, data.observation_dim(), data.action_dim(), 0, stop);
    if (!all) return std::nullopt;
    record.one_thread = std::move(one->seconds);
    record.busy = one->busy;
    record.all_threads = std::move(all->seconds);
    contents.members = std::move(all->weights);
  }
  measure_steps(c, std::move(contents), record);
  return record;
}

std::string runtime_json(const RuntimeRecord& r) {
  return json_lines({{"kind", "darp runtime"},
                     {"key", r.key},
                     {"cpu", r.cpu},
                     {"engine", r.engine},
                     {"executor", r.executor},
                     {"threads", r.threads},
                     {"rows", r.rows},
                     {"neighbors", r.neighbors},
                     {"epoch_seconds_one_thread", r.one_thread},
                     {"epoch_seconds_all_threads", r.all_threads},
                     {"busy", r.busy},
                     {"table_seconds", r.table_seconds},
                     {"step_microseconds_median", r.step_median},
                     {"step_microseconds_p99", r.step_p99},
                     {"step_microseconds_max", r.step_max},
                     {"steps", r.steps}});
}

RuntimeRecord parse_runtime(std::string_view text, std::string_view where) {
  const nlohmann::json json = parse_strict_json(text, where, 2);
  const JsonPlace root(json, where);
  const auto count = [&](std::string_view key) {
    return static_cast<int64_t>(root.member(key).unsigned_integer(INT64_MAX));
  };
  if (root.member("kind").text() != "darp runtime")
    root.fail("is no record of timings", "delete it, and it is measured again");
  RuntimeRecord r{.key = root.member("key").text(),
                  .cpu = root.member("cpu").text(),
                  .engine = root.member("engine").text(),
                  .executor = root.member("executor").text(),
                  .threads = count("threads"),
                  .rows = count("rows"),
                  .neighbors = count("neighbors"),
                  .one_thread = seconds_in(root.member("epoch_seconds_one_thread")),
                  .all_threads = seconds_in(root.member("epoch_seconds_all_threads")),
                  .busy = root.member("busy").number(),
                  .table_seconds = root.member("table_seconds").number(),
                  .step_median = root.member("step_microseconds_median").number(),
                  .step_p99 = root.member("step_microseconds_p99").number(),
                  .step_max = root.member("step_microseconds_max").number(),
                  .steps = count("steps")};
  return r;
}

std::optional<RuntimeRecord> kept_runtime(const RuntimeCase& c, const Dataset& data,
                                          const std::filesystem::path& folder,
                                          const std::atomic<bool>* stop) {
  const std::filesystem::path file = folder / (c.name + ".json");
  if (std::filesystem::exists(file)) {
    const MappedFile mapped(file);
    RuntimeRecord kept = parse_runtime(as_text(mapped.bytes()), file.string());
    if (kept.key == runtime_key(c, data)) return kept;
  }
  make_folders(folder);
  auto record = measure_runtime(c, data, folder / (c.name + ".neighbors"), stop);
  if (record) write_file(file, runtime_json(*record));
  return record;
}

}  // namespace darp
