// From how far into its failure a cloned policy's rollout can still be saved: the paper's appendix
// "Can DARP Recover From BC Error?".

#include <algorithm>
#include <cmath>

#include "darp/core/numbers.h"
#include "darp/core/quantile.h"
#include "darp/env/registry.h"
#include "darp/policy/policy_archive.h"
#include "darp/study/analysis/fork_evidence.h"
#include "darp/study/analysis/rollout_runs.h"

namespace darp {
namespace {

constexpr size_t kForkedInFull = 3;
/// Where the paper sees the second method fail on Hopper, as a part of the first's rollout.
constexpr double kPaperPart = 0.8;

/// What goes on from the forks, in this order; those after the second are not always there.
enum ForkSeries : size_t { kSecond, kFirst };
struct ForkedTask {
  const RolloutRuns& runs;
  std::vector<std::string> names;      // of the continuations
  std::vector<ForkEvidence> rollouts;  // by runs.choice.pairs
};

bool remembers(const PolicySpec& spec) {
  return spec.chunk.length > 1 || spec.observation_horizon() > 1 ||
         (spec.retrieval() != nullptr && spec.retrieval()->history.lookback > 1);
}

/// Names, and for each pair who goes on.
struct ForkPlan {
  std::vector<std::string> names;
  std::vector<ForkQuestion> questions;
};
ForkPlan plan_forks(const RolloutRuns& runs) {
  const std::string &first = runs.first.name, &second = runs.second.name;
  const bool memory = remembers(PolicyArchive::read(runs.second.policies[0].file).spec());
  const size_t trainings = runs.first.policies.size();
  ForkPlan plan{{second, first}, {}};
  if (memory) plan.names.push_back(second + ", nothing remembered");
  if (trainings > 1) plan.names.push_back(first + " of another training");
  for (const RolloutPair& pair : runs.choice.pairs) {
    const auto training = static_cast<size_t>(pair.training);
    ForkQuestion question{runs.first.policies[training].make, pair.seed, {}};
    question.continuations = {{runs.second.policies[training].make},
                              {runs.first.policies[training].make}};
    if (memory)
      question.continuations.push_back({runs.second.policies[training].make, ForkMemory::kEmpty});
    if (trainings > 1)
      question.continuations.push_back({runs.first.policies[(training + 1) % trainings].make});
    plan.questions.push_back(std::move(question));
  }
  return plan;
}

std::string forks_key(const RolloutRuns& runs, const RolloutSettings& settings) {
  std::string key =
      fmt::format("1 {} {} {}", runs.task.environment,
                  fmt::join(changed_settings(runs.environment), " "), settings.fork_every);
  for (const RolloutMethod* method : {&runs.first, &runs.second})
    for (const PolicyExecutor& policy : method->policies) key += " " + policy.hash;
  for (const RolloutPair& pair : runs.choice.pairs)
    key += fmt::format(" {}:{}", pair.training, pair.seed);
  return key;
}

/// What the second method has from the start: its own episode.
double own_return(const ForkEvidence& one) {
  return one.returns[kSecond][0];
}

ExhibitCurves one_rollout(const ForkedTask& task, size_t index) {
  const ForkEvidence& one = task.rollouts[index];
  const RolloutPair& pair = task.runs.choice.pairs[index];
  ExhibitCurves curves;
  curves.name = fmt::format("{}-{}-{}-forks", task.runs.task.name, pair.training, pair.seed);
  curves.title = fmt::format("{}, training {}, seed {}: final return by the step of the fork",
                             task.runs.task.name, pair.training, pair.seed);
  curves.x.title = fmt::format("steps of {} before the fork", task.runs.first.name);
  curves.y.title = "return of the whole episode";
  const std::vector<double> steps(one.steps.begin(), one.steps.end());
  // The rollout's own policy has its own return from every fork: the mark shows that.
  for (size_t c = 0; c < task.names.size(); ++c)
    if (c != kFirst) curves.series.push_back({task.names[c], steps, one.returns[c]});
  curves.marks = {{one.episode_return, fmt::format("{} alone", task.runs.first.name), true},
                  {kPaperPart * static_cast<double>(one.length), "80 % of the rollout"}};
  return curves;
}

/// Over all rollouts, which differ in length: by the part of the rollout.
ExhibitCurves all_rollouts(const ForkedTask& task) {
  ExhibitCurves curves;
  curves.name = task.runs.task.name + "-forks";
  curves.title = fmt::format("{}: final return by how far {}'s rollout was when {} took over",
                             task.runs.task.name, task.runs.first.name, task.runs.second.name);
  curves.note = fmt::format("Median of {}, with the middle half.",
                            counted(std::ssize(task.rollouts), "rollout"));
  curves.x.title = fmt::format("part of {}'s rollout before the fork, %", task.runs.first.name);
  curves.y.title = "return of the whole episode";
  for (size_t c = 0; c < task.names.size(); ++c) {
    if (c == kFirst) continue;
    ExhibitCurves::Series series;
    series.name = task.names[c];
    for (int percent = 0; percent < 100; percent += 5) {
      std::vector<double> returns;
      for (const ForkEvidence& one : task.rollouts)
        returns.push_back(return_at(one, c, percent / 100.0));
      std::ranges::sort(returns);
      series.x.push_back(percent);
      series.y.push_back(median(returns));
      series.band.push_back({quantile(returns, 0.25), quantile(returns, 0.75)});
    }
    curves.series.push_back(std::move(series));
  }
  std::vector<double> alone;
  for (const ForkEvidence& one : task.rollouts) alone.push_back(one.episode_return);
  curves.marks = {{median(alone), fmt::format("{} alone", task.runs.first.name), true},
                  {100 * kPaperPart, "paper, Hopper"}};
  return curves;
}

/// How often the second method has that much from any start: a policy that often fails, and is
/// looked at where it did not, fails again where things are a little different.
double usual_share(const RolloutRuns& runs, const RolloutPair& pair, double enough) {
  const Evaluation& evaluation = runs.second.evaluations[static_cast<size_t>(pair.training)];
  const auto count = std::ranges::count_if(
      evaluation.records, [&](const EpisodeRecord& r) { return r.episode_return >= enough; });
  return static_cast<double>(count) / static_cast<double>(evaluation.records.size());
}

/// The mean over rollouts of the part of forks that a continuation makes enough of.
double mean_part(const ForkedTask& task, size_t continuation, double recovers_from) {
  std::vector<double> parts;
  for (const ForkEvidence& one : task.rollouts)
    parts.push_back(recovery_of(one, continuation, recovers_from * own_return(one)).part);
  return mean(parts);
}

ExhibitCell part_cell(int64_t step, int64_t length, std::string_view none) {
  if (step < 0) return {std::string(none)};
  const double part = static_cast<double>(step) / static_cast<double>(length);
  return {fmt::format("{} ({:.0f} %)", step, 100 * part), part};
}

ExhibitTable recovery_table(const std::vector<ForkedTask>& tasks, const StudySpec& spec) {
  const std::string first = parse_method(spec.methods[0]).label,
                    second = parse_method(spec.methods[1]).label;
  ExhibitTable table;
  table.name = "recovery";
  table.title = fmt::format("From where {} recovers", second);
  table.note = fmt::format(
      "Recovered: the whole episode has at least {:.0f} % of what {} has alone. Steps, and how far "
      "into {}'s rollout they are. Episodes are fragile: a fork may fail between two that recover, "
      "so the first that is lost stands beside the last that is not. In the last column, how many "
      "report episodes of this training have as much, without any fork.",
      100 * spec.rollouts.recovers_from, second, first);
  table.columns = {{"rollout", false},  {first + " alone"},          {"its steps"},
                   {second + " alone"}, {"first fork lost"},         {"last fork recovered"},
                   {"forks recovered"}, {second + " from any start"}};
  for (const ForkedTask& task : tasks)
    for (size_t i = 0; i < task.rollouts.size(); ++i) {
      const ForkEvidence& one = task.rollouts[i];
      const RolloutPair& pair = task.runs.choice.pairs[i];
      std::vector<ExhibitCell> row;
      row.push_back(
          {fmt::format("{}, training {}, seed {}", task.runs.task.name, pair.training, pair.seed)});
      row.push_back({fmt::format("{:.0f}", one.episode_return), one.episode_return});
      row.push_back({grouped(one.length), static_cast<double>(one.length)});
      row.push_back({fmt::format("{:.0f}", own_return(one)), own_return(one)});
      const double enough = spec.rollouts.recovers_from * own_return(one);
      const double usual = usual_share(task.runs, pair, enough);
      const Recovery recovery = recovery_of(one, kSecond, enough);
      row.push_back(part_cell(recovery.first_lost, one.length, "none"));
      row.push_back(part_cell(recovery.last_step, one.length, "none"));
      row.push_back({fmt::format("{:.0f} %", 100 * recovery.part), recovery.part});
      row.push_back({fmt::format("{:.0f} %", 100 * usual), usual});
      table.rows.push_back(std::move(row));
    }
  return table;
}

/// How many forks each continuation makes something of: is it the second method, or anything else?
ExhibitTable continuation_table(const std::vector<ForkedTask>& tasks, const StudySpec& spec) {
  ExhibitTable table;
  table.name = "continuations";
  table.title = "Who recovers";
  table.note = fmt::format(
      "Shares of forks, the mean over rollouts. {} itself from its own forks has its own return, "
      "to the bit: a check.",
      parse_method(spec.methods[0]).label);
  if (spec.seeds > 1)
    table.note += fmt::format(" {} of another training shows what a change of network alone does.",
                              parse_method(spec.methods[0]).label);
  table.columns = {{"goes on", false}, {"forks recovered"}, {"median last fork recovered"}};
  for (const ForkedTask& task : tasks)
    for (size_t c = 0; c < task.names.size(); ++c) {
      const double part = mean_part(task, c, spec.rollouts.recovers_from);
      std::vector<double> lasts;
      for (const ForkEvidence& one : task.rollouts) {
        const Recovery recovery =
            recovery_of(one, c, spec.rollouts.recovers_from * own_return(one));
        lasts.push_back(static_cast<double>(std::max<int64_t>(recovery.last_step, 0)) /
                        static_cast<double>(one.length));
      }
      table.rows.push_back({{fmt::format("{}: {}", task.runs.task.name, task.names[c])},
                            {fmt::format("{:.0f} %", 100 * part), part},
                            {fmt::format("{:.0f} %", 100 * median(lasts)), median(lasts)}});
    }
  return table;
}

std::string forking_summary(const std::vector<ForkedTask>& tasks, const StudySpec& spec) {
  std::string text;
  for (const ForkedTask& task : tasks) {
    std::vector<double> first_lost, last;
    for (const ForkEvidence& one : task.rollouts) {
      const Recovery r = recovery_of(one, kSecond, spec.rollouts.recovers_from * own_return(one));
      const auto length = static_cast<double>(one.length);
      first_lost.push_back(r.first_lost < 0 ? 1 : static_cast<double>(r.first_lost) / length);
      last.push_back(static_cast<double>(std::max<int64_t>(r.last_step, 0)) / length);
    }
    text += task.runs.about(spec.rollouts) +
            fmt::format(
                " {} first fails to recover after {:.0f} % of {}'s rollout and last recovers "
                "after {:.0f} % (medians of {}).",
                task.runs.second.name, 100 * median(first_lost), task.runs.first.name,
                100 * median(last), counted(std::ssize(task.rollouts), "rollout"));
    text += " Of all forks are recovered:";
    for (size_t c = 0; c < task.names.size(); ++c)
      text += fmt::format("{} {:.0f} % by {}", c == 0 ? "" : ",",
                          100 * mean_part(task, c, spec.rollouts.recovers_from), task.names[c]);
    text += ".\n\n";
  }
  return text +
         "The paper's figure shows one Hopper rollout, in which DARP is prevented from a "
         "high score from about 80 % on.";
}

}  // namespace

std::optional<ExhibitSet> show_forks(const std::vector<RolloutRuns>& all, const StudySpec& spec,
                                     const StudyContext& context) {
  ThreadPool pool(context.options.jobs);
  std::vector<ForkedTask> tasks;
  for (const RolloutRuns& runs : all) {
    if (context.options.stop != nullptr && *context.options.stop) return std::nullopt;
    const ForkPlan plan = plan_forks(runs);
    tasks.push_back({runs, plan.names,
                     kept_forks(
                         context.options.out / "rollouts" / (runs.task.name + "-forks.json"),
                         forks_key(runs, spec.rollouts), plan.questions,
                         [&] { return make_environment(runs.task.environment, runs.environment); },
                         spec.rollouts.fork_every, pool)});
  }
  ExhibitSet set;
  set.summary = forking_summary(tasks, spec);
  for (const ForkedTask& task : tasks) set.exhibits.emplace_back(all_rollouts(task));
  set.exhibits.emplace_back(recovery_table(tasks, spec));
  set.exhibits.emplace_back(continuation_table(tasks, spec));
  for (const ForkedTask& task : tasks)
    for (size_t i = 0; i < std::min(task.rollouts.size(), kForkedInFull); ++i)
      set.exhibits.emplace_back(one_rollout(task, i));
  return set;
}

std::optional<ExhibitSet> forking_study(const StudySpec& spec, const StudyContext& context) {
  const auto tasks = do_rollout_runs(spec, context);
  return tasks ? show_forks(*tasks, spec, context) : std::nullopt;
}

}  // namespace darp
