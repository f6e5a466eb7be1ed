// Where behaviour cloning and a retrieval policy part ways, and what they see there: the paper's
// "Divergence Analysis".

#include <algorithm>

#include "darp/core/hash.h"
#include "darp/env/registry.h"
#include "darp/study/analysis/divergence_step.h"
#include "darp/study/divergence_exhibits.h"

namespace darp {
namespace {

/// All that the evidence depends on.
std::string evidence_key(const RolloutRuns& runs, size_t training, std::span<const uint64_t> seeds,
                         const RolloutSettings& settings) {
  return fmt::format("1 {} {} {} {} {} {} {}", runs.task.environment,
                     fmt::join(changed_settings(runs.environment), " "),
                     runs.first.policies[training].hash, runs.second.policies[training].hash,
                     fmt::join(seeds, ","), fmt::join(settings.components, ","),
                     settings.differences);
}

/// The evidence of one training of both methods, on the seeds that were chosen for it.
DivergenceEvidence evidence_for(const RolloutRuns& runs, size_t training,
                                const std::vector<uint64_t>& seeds, const StudySpec& spec,
                                const StudyContext& context, ThreadPool& pool) {
  const PolicyArchive archive = PolicyArchive::read(runs.second.policies[training].file);
  const DivergenceQuestion question{
      runs.first.policies[training].make, runs.second.policies[training].make, archive,
      [&runs] { return make_environment(runs.task.environment, runs.environment); }, seeds};
  const auto file = context.options.out / "rollouts" /
                    fmt::format("{}-training-{}.json", runs.task.name, training);
  return kept_evidence(file, evidence_key(runs, training, seeds, spec.rollouts), question,
                       spec.rollouts, pool);
}

/// The evidence of every training that has a rollout, and which it is of each.
struct FoundEvidence {
  struct Place {
    const RolloutRuns* runs;
    RolloutPair pair;
    size_t evidence, rollout;
  };
  std::vector<std::pair<std::string, DivergenceEvidence>> all;  // with its task
  std::vector<Place> places;
};
std::optional<FoundEvidence> find_all_evidence(const std::vector<RolloutRuns>& tasks,
                                               const StudySpec& spec, const StudyContext& context) {
  ThreadPool pool(context.options.jobs);
  FoundEvidence found;
  for (const RolloutRuns& runs : tasks)
    for (size_t training = 0; training < runs.first.policies.size(); ++training) {
      std::vector<uint64_t> seeds;
      for (const RolloutPair& pair : runs.choice.pairs)
        if (pair.training == static_cast<int64_t>(training)) {
          found.places.push_back({&runs, pair, found.all.size(), seeds.size()});
          seeds.push_back(pair.seed);
        }
      if (seeds.empty()) continue;
      if (context.options.stop != nullptr && *context.options.stop) return std::nullopt;
      found.all.emplace_back(runs.task.name,
                             evidence_for(runs, training, seeds, spec, context, pool));
    }
  return found;
}

}  // namespace

std::optional<ExhibitSet> show_divergence(const std::vector<RolloutRuns>& tasks,
                                          const StudySpec& spec, const StudyContext& context) {
  const auto found = find_all_evidence(tasks, spec, context);
  if (!found) return std::nullopt;
  std::vector<DivergencePair> pairs;
  for (const FoundEvidence::Place& place : found->places) {
    const DivergenceEvidence& evidence = found->all[place.evidence].second;
    const RolloutEvidence &first = evidence.first[place.rollout],
                          &second = evidence.second[place.rollout];
    std::optional<int64_t> step;
    if (!first.rewards.empty() && !second.rewards.empty())
      step = step_of_divergence(first.rewards, second.rewards);
    pairs.push_back({*place.runs, evidence, place.pair, first, second, step});
  }
  return divergence_exhibits(tasks, pairs, found->all, spec);
}

std::optional<ExhibitSet> divergence_study(const StudySpec& spec, const StudyContext& context) {
  const auto tasks = do_rollout_runs(spec, context);
  return tasks ? show_divergence(*tasks, spec, context) : std::nullopt;
}

}  // namespace darp
