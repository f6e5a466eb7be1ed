#include "darp/study/divergence_exhibits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "darp/core/numbers.h"

namespace darp {
namespace {

/// Rollouts that are drawn; the others are in the table.
constexpr size_t kRolloutsInFull = 3;

/// Whether a step's state is out of distribution, and whether its differences are in it.
struct StepVerdict {
  double state = 0, difference = 0;  // log-likelihoods above the threshold
  bool odd_state() const { return state < 0; }
  bool usual_difference() const { return difference > 0; }
};
StepVerdict verdict_of(const DivergenceEvidence& evidence, const RolloutEvidence& rollout,
                       size_t step, size_t states, size_t differences) {
  return {rollout.states[states][step] - evidence.states[states].threshold,
          rollout.differences[differences][step] - evidence.differences[differences].threshold};
}
StepVerdict verdict_of(const DivergenceEvidence& evidence, const RolloutEvidence& rollout,
                       size_t step) {
  return verdict_of(evidence, rollout, step, evidence.best_states(), evidence.best_differences());
}

struct VerdictCounts {
  int64_t odd_states = 0, usual_differences = 0, both = 0, all = 0;

  void add(const StepVerdict& verdict) {
    ++all;
    odd_states += verdict.odd_state();
    usual_differences += verdict.usual_difference();
    both += verdict.odd_state() && verdict.usual_difference();
  }
  /// "4 of 6", or a share where there are many.
  ExhibitCell cell(int64_t count) const {
    if (all == 0) return {"-"};
    const double share = static_cast<double>(count) / static_cast<double>(all);
    if (all > 100) return {fmt::format("{:.0f} %", 100 * share), share};
    return {fmt::format("{} of {}", count, all), share};
  }
  std::vector<ExhibitCell> row(const std::string& name) const {
    return {{name}, cell(odd_states), cell(usual_differences), cell(both)};
  }
};

using MethodRollout = const RolloutEvidence& (*)(const DivergencePair&);
const RolloutEvidence& first_of(const DivergencePair& one) {
  return one.first;
}
const RolloutEvidence& second_of(const DivergencePair& one) {
  return one.second;
}

VerdictCounts counts_at_divergence(const std::vector<DivergencePair>& pairs, MethodRollout of) {
  VerdictCounts counts;
  for (const DivergencePair& one : pairs)
    if (one.step) counts.add(verdict_of(one.evidence, of(one), one.step_in(of(one))));
  return counts;
}
VerdictCounts counts_before_divergence(const std::vector<DivergencePair>& pairs, MethodRollout of) {
  VerdictCounts counts;
  for (const DivergencePair& one : pairs)
    for (size_t t = 0; one.step && t < one.step_in(of(one)); ++t)
      counts.add(verdict_of(one.evidence, of(one), t));
  return counts;
}

std::vector<double> steps_below(size_t count) {
  std::vector<double> steps(count);
  std::iota(steps.begin(), steps.end(), 0.0);
  return steps;
}

/// A picture of both rollouts with the step of divergence.
ExhibitCurves both_rollouts(const DivergencePair& one, std::string_view name, std::string_view what,
                            std::vector<double> first, std::vector<double> second) {
  ExhibitCurves curves;
  curves.name =
      fmt::format("{}-{}-{}-{}", one.runs.task.name, one.pair.training, one.pair.seed, name);
  curves.title = fmt::format("{}, training {}, seed {}: {}", one.runs.task.name, one.pair.training,
                             one.pair.seed, what);
  curves.x.title = "step";
  curves.y.title = what;
  curves.series.push_back({one.runs.first.name, steps_below(first.size()), std::move(first)});
  curves.series.push_back({one.runs.second.name, steps_below(second.size()), std::move(second)});
  if (one.step) curves.marks.push_back({static_cast<double>(*one.step), "SoD"});
  return curves;
}

ExhibitCurves reward_curves(const DivergencePair& one) {
  const auto cumulative = [](std::vector<double> rewards) {
    std::inclusive_scan(rewards.begin(), rewards.end(), rewards.begin());
    return rewards;
  };
  ExhibitCurves curves =
      both_rollouts(one, "reward", "cumulative reward", cumulative(one.first.rewards),
                    cumulative(one.second.rewards));
  curves.note = fmt::format("{} ends after {}, {} after {}.", one.runs.first.name,
                            counted(std::ssize(one.first.rewards), "step"), one.runs.second.name,
                            counted(std::ssize(one.second.rewards), "step"));
  if (!one.step) curves.note += " There is no step of divergence.";
  return curves;
}

/// A fall is so unlikely that nothing else could be seen: what is far below is drawn at a floor.
ExhibitCurves likelihood_curves(const DivergencePair& one, std::string_view name,
                                std::string_view what, std::string_view threshold_name,
                                double threshold, std::vector<double> first,
                                std::vector<double> second) {
  double highest = threshold;
  for (const auto* series : {&first, &second})
    for (const double y : *series) highest = std::max(highest, std::isfinite(y) ? y : highest);
  const double floor = threshold - 3 * std::max(highest - threshold, 1.0);
  bool cut = false;
  for (auto* series : {&first, &second})
    for (double& y : *series) {
      cut |= y < floor;
      if (y < floor) y = floor;
    }
  ExhibitCurves curves = both_rollouts(one, name, what, std::move(first), std::move(second));
  curves.marks.push_back({threshold, std::string(threshold_name), true});
  if (cut) curves.note = fmt::format("Below {:.0f} drawn as {:.0f}.", floor, floor);
  return curves;
}

void add_pictures(const DivergencePair& one, ExhibitSet& set) {
  const DivergenceEvidence& e = one.evidence;
  const size_t states = e.best_states(), differences = e.best_differences();
  set.exhibits.emplace_back(reward_curves(one));
  set.exhibits.emplace_back(likelihood_curves(one, "state", "log-likelihood of the state", "tau_s",
                                              e.states[states].threshold, one.first.states[states],
                                              one.second.states[states]));
  set.exhibits.emplace_back(
      likelihood_curves(one, "difference", "mean log-likelihood of the differences", "tau_delta",
                        e.differences[differences].threshold, one.first.differences[differences],
                        one.second.differences[differences]));
}

ExhibitCell plain_cell(std::string text) {
  return {std::move(text)};
}
ExhibitCell likelihood_cell(double value, int digits = 0) {
  return {fmt::format("{:.{}f}", value, digits), value};
}

ExhibitTable rollout_table(const std::vector<DivergencePair>& pairs, const StudySpec& spec) {
  const std::string first = parse_method(spec.methods[0]).label,
                    second = parse_method(spec.methods[1]).label;
  ExhibitTable table;
  table.name = "rollouts";
  table.title = "At the step of divergence";
  table.note =
      "Log-likelihoods minus their thresholds, which are the first percentiles of the "
      "demonstrations' own: below 0 is out of distribution. " +
      fmt::format("Differences are those to {}'s neighbours, for both rollouts.", second);
  table.columns = {{"rollout", false},
                   {first + " return"},
                   {second + " return"},
                   {"SoD"},
                   {second + ": state"},
                   {"differences"},
                   {first + ": state"},
                   {"differences"},
                   {"as the paper says", false,
                    fmt::format("{}'s state out of distribution, its differences in it", second)}};
  for (const DivergencePair& one : pairs) {
    std::vector<ExhibitCell> row = {
        plain_cell(fmt::format("{}, training {}, seed {}", one.runs.task.name, one.pair.training,
                               one.pair.seed)),
        likelihood_cell(one.first.episode_return), likelihood_cell(one.second.episode_return)};
    if (!one.step) {
      row.push_back(plain_cell("none"));
      row.resize(table.columns.size(), plain_cell("-"));
    } else {
      row.push_back(likelihood_cell(static_cast<double>(*one.step)));
      const StepVerdict at_second = verdict_of(one.evidence, one.second, one.step_in(one.second));
      const StepVerdict at_first = verdict_of(one.evidence, one.first, one.step_in(one.first));
      for (const StepVerdict& verdict : {at_second, at_first}) {
        row.push_back(likelihood_cell(verdict.state, 1));
        row.push_back(likelihood_cell(verdict.difference, 1));
      }
      row.push_back(
          plain_cell(at_second.odd_state() && at_second.usual_difference() ? "yes" : "no"));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

const std::vector<ExhibitTable::Column> kVerdictColumns = {
    {"", false}, {"state below tau_s"}, {"differences above tau_delta"}, {"both"}};

/// What happens at the step of divergence means little where it happens at every step.
ExhibitTable control_table(const std::vector<DivergencePair>& pairs,
                           const std::vector<std::pair<std::string, DivergenceEvidence>>& evidence,
                           const StudySpec& spec) {
  const std::string first = parse_method(spec.methods[0]).label,
                    second = parse_method(spec.methods[1]).label;
  ExhibitTable table;
  table.name = "controls";
  table.title = "The step of divergence against other steps";
  table.note =
      "Held out: each fifth of the demonstrated steps, judged by mixtures and thresholds of the "
      "other four. Were the mixtures as good for steps that they have not seen, 1 % of the states "
      "would be below and 99 % of the differences above.";
  table.columns = kVerdictColumns;
  table.rows.push_back({{"paper, six rollouts"}, {"6 of 6"}, {"6 of 6"}, {"6 of 6"}});
  table.rows.push_back(counts_at_divergence(pairs, second_of).row(second + " at the SoD"));
  table.rows.push_back(counts_at_divergence(pairs, first_of).row(first + " at the SoD"));
  table.rows.push_back(counts_before_divergence(pairs, second_of).row(second + " before the SoD"));
  table.rows.push_back(counts_before_divergence(pairs, first_of).row(first + " before the SoD"));
  for (const std::string& task : spec.tasks) {
    std::vector<double> states, differences;
    for (const auto& [name, one] : evidence)
      if (name == task) {
        states.push_back(one.states_held_out);
        differences.push_back(1 - one.differences_held_out);
      }
    if (states.empty()) continue;
    table.rows.push_back({{fmt::format("demonstrations of {}, held out", task)},
                          {fmt::format("{:.0f} %", 100 * mean(states)), mean(states)},
                          {fmt::format("{:.0f} %", 100 * mean(differences)), mean(differences)},
                          {"-"}});
  }
  return table;
}

VerdictCounts counts_with(const std::vector<DivergencePair>& pairs, size_t mixture) {
  VerdictCounts counts;
  for (const DivergencePair& one : pairs)
    if (one.step)
      counts.add(verdict_of(one.evidence, one.second, one.step_in(one.second), mixture, mixture));
  return counts;
}

ExhibitTable component_table(const std::vector<DivergencePair>& pairs, const StudySpec& spec) {
  ExhibitTable table;
  table.name = "components";
  table.title = fmt::format("{} at the step of divergence, by the size of the mixtures",
                            parse_method(spec.methods[1]).label);
  table.note =
      "The paper does not say how many components it used. The tables above take, for "
      "states and for differences apart, the size with the least BIC.";
  table.columns = kVerdictColumns;
  for (size_t i = 0; i < spec.rollouts.components.size(); ++i)
    table.rows.push_back(
        counts_with(pairs, i).row(counted(spec.rollouts.components[i], "component")));
  return table;
}

std::string divergence_summary(const std::vector<RolloutRuns>& tasks,
                               const std::vector<DivergencePair>& pairs, const StudySpec& spec) {
  const VerdictCounts at = counts_at_divergence(pairs, second_of);
  const VerdictCounts before = counts_before_divergence(pairs, second_of);
  std::string text;
  for (const RolloutRuns& one : tasks) text += one.about(spec.rollouts) + " ";
  text += fmt::format(
      "\n\nAt the step of divergence {}'s state is out of distribution in {} of {} rollouts and "
      "its "
      "differences are in distribution in {}; both in {}. The paper says: all six of six. ",
      parse_method(spec.methods[1]).label, at.odd_states, at.all, at.usual_differences, at.both);
  const bool as_wanted =
      std::ranges::all_of(tasks, [](const RolloutRuns& one) { return one.choice.as_wanted; });
  text += at.all == 0            ? "Nothing can be said: no pair diverges."
          : !as_wanted           ? "These are not all rollouts of the paper's kind, so they say "
                                   "nothing for or against it."
          : at.both == at.all    ? "Our rollouts agree with it."
          : 2 * at.both > at.all ? "Our rollouts agree with it for the most part."
                                 : "Our rollouts do not agree with it.";
  if (before.all > 0)
    text += fmt::format(
        " Of the steps before, {:.0f} % have a state out of distribution and {:.0f} % both: the "
        "step of divergence is to be read against that.",
        100.0 * static_cast<double>(before.odd_states) / static_cast<double>(before.all),
        100.0 * static_cast<double>(before.both) / static_cast<double>(before.all));
  if (at.all > 0) {
    std::vector<int64_t> both;
    for (size_t i = 0; i < spec.rollouts.components.size(); ++i)
      both.push_back(counts_with(pairs, i).both);
    const auto [least, most] = std::ranges::minmax(both);
    text += fmt::format(" Other sizes of the mixtures would have given {} to {} of {}.", least,
                        most, at.all);
  }
  return text;
}

}  // namespace

ExhibitSet divergence_exhibits(
    const std::vector<RolloutRuns>& tasks, const std::vector<DivergencePair>& pairs,
    const std::vector<std::pair<std::string, DivergenceEvidence>>& evidence,
    const StudySpec& spec) {
  ExhibitSet set;
  set.summary = divergence_summary(tasks, pairs, spec);
  set.exhibits = {rollout_table(pairs, spec), control_table(pairs, evidence, spec),
                  component_table(pairs, spec)};
  for (size_t i = 0; i < std::min(pairs.size(), kRolloutsInFull); ++i) add_pictures(pairs[i], set);
  return set;
}

}  // namespace darp
