// k against seconds per epoch and milliseconds per step. Each line of `sweeps` is a task and values
// of k ("hopper: 100 200"); methods without neighbours are measured once. `train.epochs` says how
// many epochs are run (the first is not counted), `episodes` how many thousand steps. Everything is
// measured one after the other, whatever --jobs says, and kept in out/timings/.

#include <algorithm>

#include "darp/core/numbers.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/runtime/sample_policies.h"
#include "darp/study/runtime_exhibits.h"
#include "darp/study/study.h"
#include "darp/study/sweep_plan.h"

namespace darp {
namespace {

/// Made-up demonstrations of the size of the paper's Stack (4,200 x 32 -> 7) with its published
/// settings, for as long as the task itself is not here.
constexpr std::string_view kStackSized = "stack_sized";
constexpr int64_t kStepsOfAnEpisode = 1000;

/// A task as it is measured.
struct RuntimeTask {
  std::string name, about;
  Dataset data;
  std::function<TrainConfig(const std::string& method)> config;
};

/// Hopper's configs, with the sizes and the retrieval that the paper has for Stack.
TaskSpec stack_sized_task() {
  return {.name = std::string(kStackSized),
          .environment = "",
          .configs = "configs/hopper",
          .demonstrations = "",
          .bundled = "none",
          .set = {"?policy.network.hidden=[256,256,256]", "?policy.retrieval.history.lookback=23",
                  "?policy.retrieval.history.rate=-0.1467619595"}};
}

Dataset stack_sized_data() {
  const PolicyArchive sample = sample_policy("stack");
  const DemonstrationRows& rows = sample.demonstrations();
  DatasetContents contents;
  contents.observations = Matrix::copy_of(rows.observations);
  contents.actions = Matrix::copy_of(rows.actions);
  contents.episode_ends = rows.episode_ends;
  contents.source = kStackSized;
  return Dataset(std::move(contents));
}

RuntimeTask runtime_task(const std::string& name, const StudySpec& spec,
                         const StudyContext& context) {
  const bool made_up = name == kStackSized;
  const TaskSpec task = made_up ? stack_sized_task() : find_task(name, context.places);
  StudyPlaces places = context.places;
  if (made_up) places.demos.clear();
  const auto config = [&spec, places, task](const std::string& method) {
    return method_config(spec, task, method, 0, places);
  };
  if (made_up)
    return {name, "made-up demonstrations of the size of the paper's Stack, not the task itself",
            stack_sized_data(), config};
  const std::filesystem::path file = demonstrations_of(task, places);
  return {name, file.filename().string(),
          read_dataset(file, config(spec.methods.front()).reading).dataset, config};
}

RuntimeCase runtime_case(const StudySpec& spec, const StudyContext& context,
                         const std::string& name, const TrainConfig& config) {
  return {.name = name,
          .policy = config.policy,
          .train = config.train,
          .latency_steps = spec.episodes * kStepsOfAnEpisode,
          .device = context.options.device,
          .version = context.options.version};
}

/// One for each method without neighbours, one for each k of those with.
std::vector<std::pair<RuntimeRow, RuntimeCase>> cases_of(const RuntimeTask& task,
                                                         const Sweep& sweep, const StudySpec& spec,
                                                         const StudyContext& context) {
  std::vector<std::pair<RuntimeRow, RuntimeCase>> cases;
  for (const std::string& text : spec.methods) {
    const TrainConfig usual = task.config(text);
    const std::string method = parse_method(text).label;
    if (usual.policy.retrieval() == nullptr) {
      cases.emplace_back(RuntimeRow{method, 0, {}},
                         runtime_case(spec, context, task.name + "-" + method, usual));
      continue;
    }
    for (const std::string& value : sweep.values) {
      TrainConfig config = usual;
      // All of k are kept, the most that k can mean.
      apply_override("policy.retrieval.ratio=1", config, "sweeps");
      apply_override("policy.retrieval.k=" + value, config, "sweeps");
      const int64_t k = config.policy.retrieval()->k;
      const std::string label = method == "darp" ? value : fmt::format("{} {}", method, value);
      cases.emplace_back(
          RuntimeRow{label, k, {}},
          runtime_case(spec, context, fmt::format("{}-{}-k-{}", task.name, method, k), config));
    }
  }
  return cases;
}

std::string disturbance_words(std::span<const RuntimeRow> rows) {
  double least = 1;
  for (const RuntimeRow& row : rows) least = std::min(least, row.record.busy);
  return least > 0.95 ? ""
                      : fmt::format(
                            " One measurement had its core for only {:.0f} % of the time: "
                            "something else ran, and times are too long.",
                            100 * least);
}

std::string timing_words(const std::string& task, std::span<const RuntimeRow> rows) {
  std::string words = task + ":";
  for (const RuntimeRow& row : rows) {
    const bool ends = &row == &rows.front() || &row == &rows.back() || row.k == 0;
    if (!ends) continue;
    words += fmt::format(" {}{}: {:.3g} s per epoch on {}, {:.3g} ms per step;",
                         row.k > 0 ? "k = " : "", row.label, row.record.all_threads_median(),
                         counted(row.record.threads, "thread"), 1e-3 * row.record.step_median);
  }
  words.back() = '.';
  return words;
}

}  // namespace

std::optional<ExhibitSet> runtime_study(const StudySpec& spec, const StudyContext& context) {
  if (spec.sweeps.empty() || spec.methods.empty())
    throw Error(spec.name, "has no sweeps or no methods", "declare both");
  ExhibitSet set{.study = spec.name, .title = spec.title, .summary = ""};
  std::vector<PaperTiming> paper;
  for (const std::string& line : spec.paper) paper.push_back(parse_paper_timing(line));
  for (const std::string& line : spec.sweeps) {
    const Sweep sweep = parse_sweep(line);
    const RuntimeTask task = runtime_task(sweep.setting, spec, context);
    auto cases = cases_of(task, sweep, spec, context);
    if (context.options.planned != nullptr) {
      for (const auto& [row, c] : cases) context.options.planned->push_back(c.name);
      continue;
    }
    std::vector<RuntimeRow> rows;
    Progress progress("timings of " + task.name, std::ssize(cases), "cases",
                      context.options.progress);
    for (auto& [row, c] : cases) {
      if (context.options.stop && *context.options.stop) return std::nullopt;
      auto record =
          kept_runtime(c, task.data, context.options.out / "timings", context.options.stop);
      if (!record) return std::nullopt;
      row.record = *std::move(record);
      rows.push_back(std::move(row));
      progress.advance();
    }
    progress.finish();
    const std::string about = fmt::format("{}, {} of {} numbers, {} actions", task.about,
                                          counted(rows.front().record.rows, "row"),
                                          task.data.observation_dim(), task.data.action_dim());
    std::ranges::move(runtime_exhibits(task.name, about, rows, paper),
                      std::back_inserter(set.exhibits));
    set.summary += (set.summary.empty() ? "" : "\n\n") + timing_words(task.name, rows);
    if (context.options.device == GraphOptions::Device::kCpu)
      set.summary += disturbance_words(rows);
    if (&line == &spec.sweeps.front())
      set.facts = {{"threads", grouped(rows.front().record.threads)},
                   {"training", rows.front().record.engine},
                   {"steps", rows.front().record.executor}};
  }
  if (context.options.planned != nullptr) return std::nullopt;
  return set;
}

}  // namespace darp
