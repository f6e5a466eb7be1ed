#include "darp/study/table/table_results.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "darp/core/file_lock.h"
#include "darp/core/suggest.h"
#include "darp/env/registry.h"
#include "darp/study/policy_evaluation.h"
#include "darp/study/tune/tuner.h"
#include "darp/train/engine.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

/// Held out under the `validation` protocol where the config does not say.
constexpr double kHeldOut = 0.2;

bool is_search(const std::string& protocol) {
  return protocol == "searched" || protocol == "validation";
}

/// One cell of the table, before anything is run.
struct TablePlan {
  std::string protocol, method;  // as declared
  TaskSpec task;
  std::string label;

  std::string id() const { return fmt::format("{}/{}/{}", task.name, label, protocol); }
};

std::vector<TablePlan> table_plans(const StudySpec& spec, const StudyPlaces& places) {
  std::vector<TablePlan> plans;
  for (const std::string& protocol : spec.protocols)
    for (const std::string& task : spec.tasks)
      for (const std::string& method : spec.methods)
        plans.push_back({protocol, method, find_task(task, places), parse_method(method).label});
  return plans;
}

fs::path space_of(const StudySpec& spec, const std::string& method, const StudyPlaces& places) {
  return places.studies / spec.spaces / (parse_method(method).config + ".yaml");
}

TrainConfig protocol_config(const StudySpec& spec, const TablePlan& plan, int64_t seed,
                            const StudyPlaces& places) {
  // A search begins with the recipe where there is one.
  const fs::path recipe = recipe_of(plan.method, places);
  const bool by_recipe =
      plan.protocol == "recipe" || (is_search(plan.protocol) && fs::exists(recipe));
  TrainConfig config = by_recipe ? config_from(recipe, spec, plan.task, plan.method, seed, places)
                                 : method_config(spec, plan.task, plan.method, seed, places);
  if (plan.protocol == "validation" && !config.train.validation.wanted())
    config.train.validation.fraction = kHeldOut;
  return config;
}

/// Trainings of a cell that nothing is searched for; none where the protocol has no config. What
/// does not learn is the same for every seed.
std::vector<StudyRun> seed_runs(const StudySpec& spec, const TablePlan& plan,
                                const StudyPlaces& places) {
  std::vector<StudyRun> runs;
  if (plan.protocol == "recipe" && !fs::exists(recipe_of(plan.method, places))) return runs;
  for (int64_t seed = 0; seed < spec.seeds; ++seed) {
    StudyRun run;
    run.id = fmt::format("{}/seed-{}", plan.id(), seed);
    run.config = protocol_config(spec, plan, seed, places);
    run.evaluations = {report_evaluation(spec, plan.task)};
    const bool once = is_search(plan.protocol) || !learns(run.config.policy);
    runs.push_back(std::move(run));
    if (once) break;
  }
  return runs;
}

/// Whether settings are searched for. A method without a declared space has none to search.
bool needs_search(const StudySpec& spec, const TablePlan& plan, const StudyPlaces& places) {
  if (!is_search(plan.protocol) || !fs::exists(space_of(spec, plan.method, places))) return false;
  return plan.protocol == "searched" ||
         learns(method_config(spec, plan.task, plan.method, 0, places).policy);
}

/// By validation loss there is nothing to say of what does not learn.
bool has_nothing(const StudySpec& spec, const TablePlan& plan, const StudyPlaces& places) {
  return plan.protocol == "validation" &&
         !learns(method_config(spec, plan.task, plan.method, 0, places).policy);
}

TableResult empty_result(const TablePlan& plan) {
  return {.protocol = plan.protocol, .task = plan.task.name, .method = plan.label};
}

/// Nothing if stopped.
std::optional<FileLock> wait_for_lock(const fs::path& file, const std::atomic<bool>* stop) {
  while (stop == nullptr || !*stop) {
    if (auto lock = FileLock::try_take(file)) return lock;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return std::nullopt;
}

/// Nothing if stopped.
std::optional<TableResult> search_result(const StudySpec& spec, const TablePlan& plan,
                                         const StudyContext& context) {
  const bool by_return = plan.protocol == "searched";
  StudyOptions options = context.options;
  options.out = context.options.out / "searches" / plan.id();
  TuneSettings settings;
  settings.objective =
      by_return ? TuneSettings::Objective::kReturn : TuneSettings::Objective::kValidation;
  settings.trials = spec.trials;
  settings.episodes = spec.search_episodes;
  settings.rungs = spec.rungs;
  const SearchSpace space =
      seen_by(settings.objective, read_search_space(space_of(spec, plan.method, context.places)));
  const TrainConfig config = protocol_config(spec, plan, 0, context.places);
  const auto tuned = tune(config, plan.task.environment, space, settings, options,
                          environment_settings(spec, plan.task));
  if (!tuned) return std::nullopt;
  // What is left is one process's; the others find it done.
  const auto lock = wait_for_lock(options.out / ".report-lock", options.stop);
  if (!lock) return std::nullopt;
  const TrialResult& best = tuned->best();
  StudyEvaluation wanted = report_evaluation(spec, plan.task);
  // By trial: a longer search may choose another.
  wanted.name = fmt::format("report-trial-{}-rung-{}", best.trial, best.rung);
  if (!fs::exists(best.policy) && !fs::exists(options.out / (wanted.name + ".json")) &&
      !train_again(config, settings, best, options))
    return std::nullopt;
  auto evaluation = evaluate_policy(best.policy, plan.id(), wanted, options.out,
                                    context.options.jobs, context.options);
  if (!evaluation) return std::nullopt;
  TableResult result = empty_result(plan);
  result.evaluations.push_back(std::move(*evaluation));
  result.chosen = true;
  if (by_return) result.search_score = best.score;
  result.settings = best.set;
  result.trainings = std::ssize(tuned->trials);
  return result;
}

}  // namespace

void check_table(const StudySpec& spec, const StudyPlaces& places) {
  if (spec.score == StudySpec::Score::kSuccess)
    for (const std::string& task : spec.tasks)
      if (!make_environment(find_task(task, places).environment, {})->info().has_success)
        throw Error(spec.name + ": score", fmt::format("{} has no successes to show", task),
                    "set score to return");
  const std::vector<std::string> known = {"published", "recipe", "searched", "validation"};
  for (const std::string& protocol : spec.protocols) {
    if (std::find(known.begin(), known.end(), protocol) == known.end())
      throw Error(spec.name + ": protocols", fmt::format("'{}' is none", printable(protocol)),
                  suggestion(protocol, known));
    if (is_search(protocol) && spec.trials == 0)
      throw Error(spec.name + ": trials", fmt::format("is 0: '{}' searches", protocol),
                  "set trials, for example to 32");
    // A method may have no space of its own, but not all of them by a misspelt folder.
    if (is_search(protocol) && !fs::is_directory(places.studies / spec.spaces))
      throw Error(spec.name + ": spaces",
                  fmt::format("studies/ has no folder '{}'", printable(spec.spaces)),
                  "name the folder that says what is searched for, for example spaces");
  }
}

std::vector<StudyRun> table_runs(const StudySpec& spec, const StudyPlaces& places) {
  std::vector<StudyRun> runs;
  for (const TablePlan& plan : table_plans(spec, places)) {
    if (has_nothing(spec, plan, places) || needs_search(spec, plan, places)) continue;
    for (StudyRun& run : seed_runs(spec, plan, places)) runs.push_back(std::move(run));
  }
  return runs;
}

int64_t table_trials(const StudySpec& spec, const StudyPlaces& places) {
  int64_t trials = 0;
  for (const TablePlan& plan : table_plans(spec, places))
    if (needs_search(spec, plan, places)) trials += spec.trials;
  return trials;
}

std::optional<std::vector<TableResult>> table_results(const StudySpec& spec,
                                                      const StudyContext& context) {
  check_table(spec, context.places);
  if (context.options.planned != nullptr)
    for (const TablePlan& plan : table_plans(spec, context.places))
      if (needs_search(spec, plan, context.places))
        context.options.planned->push_back(
            fmt::format("search of {} trials: {}", spec.trials, plan.id()));
  const auto done = do_runs(table_runs(spec, context.places), context.options);
  if (!done) return std::nullopt;
  std::vector<TableResult> results;
  for (const TablePlan& plan : table_plans(spec, context.places)) {
    if (needs_search(spec, plan, context.places)) {
      auto result = search_result(spec, plan, context);
      if (!result) return std::nullopt;
      results.push_back(std::move(*result));
      continue;
    }
    TableResult result = empty_result(plan);
    for (const StudyRunResult& run : *done) {
      if (!run.id.starts_with(plan.id() + "/")) continue;
      result.evaluations.push_back(run.evaluations.at("report"));
      result.train_seconds += run.train_seconds;
      ++result.trainings;
    }
    result.chosen = is_search(plan.protocol);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace darp
