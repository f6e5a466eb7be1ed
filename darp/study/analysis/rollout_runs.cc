#include "darp/study/analysis/rollout_runs.h"

#include "darp/core/numbers.h"

namespace darp {
namespace {

void check_rollout_study(const StudySpec& spec) {
  if (spec.methods.size() != 2)
    throw Error(spec.name, fmt::format("has {}", counted(std::ssize(spec.methods), "method")),
                "name two: the one that fails, then the one that does not");
  if (spec.protocols.size() != 1 ||
      (spec.protocols[0] != "published" && spec.protocols[0] != "recipe"))
    throw Error(spec.name, "needs one protocol, published or recipe", "set protocols: [published]");
}

StudyRun rollout_run(const StudySpec& spec, const TaskSpec& task, const std::string& method,
                     int64_t seed, const StudyPlaces& places) {
  const std::string& protocol = spec.protocols[0];
  const StudyMethod parsed = parse_method(method);
  StudyRun run;
  run.id = fmt::format("{}/{}/{}/seed-{}", task.name, parsed.label, protocol, seed);
  run.config = protocol == "recipe"
                   ? config_from(places.root / "configs/recipe" / (parsed.config + ".yaml"), spec,
                                 task, method, seed, places)
                   : method_config(spec, task, method, seed, places);
  run.evaluations = {report_evaluation(spec, task)};
  return run;
}

}  // namespace

std::string RolloutRuns::about(const RolloutSettings& settings) const {
  const std::string wanted = fmt::format(
      "{} fails (below {:.0f} % of the expert's return, or without success) and {} "
      "succeeds (from {:.0f} %)",
      first.name, 100 * settings.fails_below, second.name, 100 * settings.succeeds_from);
  if (choice.as_wanted)
    return fmt::format("{}: of {} from the same start, {} have it that {}; {} are shown.",
                       task.name, counted(choice.all, "pair") + " of episodes", choice.wanted,
                       wanted, choice.pairs.size());
  return fmt::format(
      "{}: in none of {} from the same start {}; shown instead: the {} with the "
      "largest difference of return.",
      task.name, counted(choice.all, "pair") + " of episodes", wanted, choice.pairs.size());
}

std::optional<std::vector<RolloutRuns>> do_rollout_runs(const StudySpec& spec,
                                                        const StudyContext& context) {
  check_rollout_study(spec);
  std::vector<RolloutRuns> tasks;
  std::vector<StudyRun> runs;
  for (const std::string& name : spec.tasks) {
    RolloutRuns one;
    one.task = find_task(name, context.places);
    one.environment = environment_settings(spec, one.task);
    for (const std::string& method : spec.methods)
      for (int64_t seed = 0; seed < spec.seeds; ++seed)
        runs.push_back(rollout_run(spec, one.task, method, seed, context.places));
    tasks.push_back(std::move(one));
  }
  const auto results = do_runs(runs, context.options);
  if (!results) return std::nullopt;
  auto result = results->begin();
  for (RolloutRuns& one : tasks) {
    one.first.name = parse_method(spec.methods[0]).label;
    one.second.name = parse_method(spec.methods[1]).label;
    for (RolloutMethod* method : {&one.first, &one.second})
      for (int64_t seed = 0; seed < spec.seeds; ++seed, ++result) {
        method->policies.push_back(load_policy(result->policy.string(), {}));
        method->evaluations.push_back(result->evaluations.at("report"));
      }
    one.choice = choose_rollouts(one.first.evaluations, one.second.evaluations, spec.rollouts);
  }
  return tasks;
}

}  // namespace darp
