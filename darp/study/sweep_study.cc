// Curves over a setting: of the method (k, lookback, decay) or of the world (pushes, noise).

#include <algorithm>

#include "darp/core/numbers.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/study/study.h"
#include "darp/study/sweep_exhibits.h"

namespace darp {

std::optional<ExhibitSet> sweep_study(const StudySpec& spec, const StudyContext& context) {
  if (spec.protocols != std::vector<std::string>{"published"} &&
      spec.protocols != std::vector<std::string>{"recipe"})
    throw Error(spec.name, "protocols: a sweep starts from one config of each method",
                "choose [published] or [recipe]");
  const bool by_recipe = spec.protocols.front() == "recipe";
  ExhibitSet set{.study = spec.name, .title = spec.title, .summary = ""};
  SweepPlan plan;
  for (const std::string& name : spec.tasks) {
    const TaskSpec task = find_task(name, context.places);
    const auto config = [&](const std::string& method, int64_t seed) {
      return by_recipe ? config_from(recipe_of(method, context.places), spec, task, method, seed,
                                     context.places)
                       : method_config(spec, task, method, seed, context.places);
    };
    const TrainConfig any = config(spec.methods.empty() ? "bc" : spec.methods.front(), 0);
    const Dataset data = read_dataset(any.data, any.reading).dataset;
    add_task_sweeps(spec, {name, config, report_evaluation(spec, task), data}, plan);
  }
  const auto results = do_runs(plan.runs, context.options);
  if (!results) return std::nullopt;

  for (const TaskSweep& sweep : plan.sweeps) {
    SweepFindings findings = sweep_findings(sweep, *results, spec.baseline);
    std::ranges::move(findings.exhibits, std::back_inserter(set.exhibits));
    set.summary += (set.summary.empty() ? "" : "\n\n") + findings.summary;
  }
  if (std::ranges::any_of(plan.sweeps,
                          [](const TaskSweep& sweep) { return !sweep.sweep.of_environment; }))
    set.summary +=
        "\n\nThe best of several values is a maximum over chance too: it was found on the seeds "
        "that "
        "are shown.";
  set.facts.emplace_back("trainings",
                         fmt::format("{} for each method and value of its settings, {} in all",
                                     grouped(spec.seeds), grouped(std::ssize(plan.runs))));
  set.facts.emplace_back("episodes",
                         fmt::format("{} of each, report seeds {}", grouped(spec.episodes),
                                     default_seeds(SeedPurpose::kReport, spec.episodes).text()));
  return set;
}

}  // namespace darp
