#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "darp/core/error.h"
#include "darp/core/numbers.h"
#include "darp/eval/return_text.h"
#include "darp/report/html_page.h"
#include "darp/report/report_sections.h"
#include "darp/report/svg_canvas.h"
#include "darp/report/svg_plot.h"

namespace darp {
namespace {

constexpr size_t kMostNames = 6, kMostClouds = 4;
/// Pixels of a chart alone, and beside another.
constexpr double kWide = 1000, kNarrow = 530;

bool is_single(const EvaluationInput& input) {
  return input.evaluations.size() == 1;
}

ReturnText text_for(const Comparison& c) {
  return ReturnText(std::max({std::abs(c.mean_a), std::abs(c.mean_b), std::abs(c.interval.low),
                              std::abs(c.interval.high)}));
}

std::string difference_text(const Comparison& c) {
  const ReturnText text = text_for(c);
  return fmt::format("{} [{}, {}]", text.with_sign(c.difference), text.with_sign(c.interval.low),
                     text.with_sign(c.interval.high));
}

std::string units_of(const Comparison& c) {
  return c.paired ? fmt::format("{} pairs of episodes with the same seeds", grouped(c.count_a))
                  : fmt::format("{} against {} trainings", c.count_b, c.count_a);
}

std::string undecided_reason(const Comparison& c) {
  if (c.smallest_p_value >= kSignificance)
    return fmt::format("So few cannot decide it (no p-value below {:.2g} is possible): {}.",
                       c.smallest_p_value, c.paired ? "take more seeds" : "train more");
  if (c.interval == Interval{0, 0}) return "There is no difference at all.";
  return fmt::format("Four times as many {} would halve the interval.",
                     c.paired ? "episodes" : "trainings");
}

std::string headline_of(const std::string& environment, const GroupComparison& pair) {
  const Comparison& c = *pair.comparison;
  if (c.verdict == Verdict::kUndecided)
    return fmt::format("{}: undecided between {} and {} (p = {:.2g})", environment, pair.b->label,
                       pair.a->label, c.p_value);
  return fmt::format("{}: {} is {} than {} by {} (p = {:.2g})", environment, pair.b->label,
                     name_of(c.verdict), pair.a->label, text_for(c)(std::abs(c.difference)),
                     c.p_value);
}

std::string explanation_of(const GroupComparison& pair) {
  const Comparison& c = *pair.comparison;
  const ReturnText text = text_for(c);
  std::string words = fmt::format("Mean return {} against {}: a difference of {} (95 %), from {}.",
                                  text(c.mean_b), text(c.mean_a), difference_text(c), units_of(c));
  if (c.successes) {
    const auto& s = *c.successes;
    const auto trials = static_cast<double>(s.both + s.only_a + s.only_b + s.neither);
    words += fmt::format(" Successes {:.0f} % against {:.0f} % (p = {:.2g}).",
                         100 * static_cast<double>(s.both + s.only_b) / trials,
                         100 * static_cast<double>(s.both + s.only_a) / trials, s.p_value);
  }
  return c.verdict == Verdict::kUndecided ? words + " " + undecided_reason(c) : words;
}

/// "darp, knn": those with this verdict.
std::string names_with(Verdict verdict, const std::vector<GroupComparison>& made) {
  std::vector<std::string> names;
  for (const GroupComparison& pair : made)
    if (pair.comparison->verdict == verdict) names.push_back(pair.b->label);
  if (names.size() > kMostNames) {
    const size_t more = names.size() - kMostNames;
    names.resize(kMostNames);
    names.push_back(fmt::format("{} more", more));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Who is better than the first, and by how much the best of all is.
Markup finding_of_several(const std::string& environment,
                          const std::vector<GroupComparison>& made) {
  const std::string& first = made[0].a->label;
  std::vector<std::string> parts;
  for (const auto& [verdict, words] : {std::pair(Verdict::kBetter, "better than {}: {}"),
                                       std::pair(Verdict::kWorse, "worse than {}: {}"),
                                       std::pair(Verdict::kUndecided, "undecided against {}: {}")})
    if (const std::string names = names_with(verdict, made); !names.empty())
      parts.push_back(fmt::format(fmt::runtime(words), first, names));
  const GroupComparison& best = *std::ranges::max_element(
      made, {}, [](const GroupComparison& pair) { return pair.comparison->difference; });
  return finding(fmt::format("{}: {}", environment, fmt::join(parts, "; ")),
                 best.comparison->difference > 0
                     ? fmt::format("The highest mean is {}'s (p = {:.2g}). {}", best.b->label,
                                   best.comparison->p_value, explanation_of(best))
                     : fmt::format("The highest mean is {}'s.", first));
}

Markup lone_finding(const EnvironmentGroup& group) {
  const EvaluationInput& input = *group.inputs[0];
  const ReturnSummary returns = is_single(input) ? summarize(input.evaluations[0]).returns
                                                 : summarize_policies(input.evaluations);
  const Interval& interval = returns.mean_bootstrap;
  const ReturnText text(std::max(std::abs(interval.low), std::abs(interval.high)));
  return finding(
      fmt::format("{}: {} returns {} [{}, {}]", group.title, input.label, text(returns.mean),
                  text(interval.low), text(interval.high)),
      fmt::format("Mean over {} with its 95 % interval{}.",
                  is_single(input) ? counted(returns.count, "episode")
                                   : fmt::format("{} trainings", returns.count),
                  returns.normalized
                      ? fmt::format("; score {:.1f}, where 0 is random and 100 D4RL's expert",
                                    *returns.normalized)
                      : ""));
}

Markup difference_chart(const std::vector<GroupComparison>& made, double width) {
  IntervalChart chart;
  chart.width = width;
  const std::string& first = made[0].a->label;
  chart.axis_title = fmt::format("difference of mean returns from {}", shortened(first, 40));
  chart.reference = 0;
  chart.left_of_reference = first + " better";
  chart.right_of_reference =
      made.size() == 1 ? made[0].b->label + " better" : "better than " + first;
  for (const GroupComparison& pair : made)
    chart.rows.push_back({pair.b->label, pair.b->style, pair.comparison->difference,
                          pair.comparison->interval, difference_text(*pair.comparison)});
  const Comparison& first_made = *made[0].comparison;
  const std::string chance =
      made.size() > 1
          ? ""
          : fmt::format(", p = {:.2g} by {}", first_made.p_value,
                        first_made.paired ? "sign flips of pairs" : "divisions of the trainings");
  return figure(interval_chart(chart),
                fmt::format("Difference with its 95 % interval (BCa bootstrap){}. An interval that "
                            "holds 0 leaves open which is better.",
                            chance));
}

Markup cloud(const GroupComparison& pair) {
  const PairedReturns returns = paired_returns(*pair.a, *pair.b);
  int64_t ahead = 0, equal = 0;
  for (size_t i = 0; i < returns.a.size(); ++i) {
    ahead += returns.b[i] > returns.a[i];
    equal += returns.b[i] == returns.a[i];
  }
  PairChart chart;
  chart.x_title = "return of " + shortened(pair.a->label, 40);
  chart.y_title = "return of " + shortened(pair.b->label, 30);
  const auto count = static_cast<int64_t>(returns.a.size());
  chart.above_text = fmt::format("{} ahead: {}", shortened(pair.b->label, 20), ahead);
  chart.below_text =
      fmt::format("{} ahead: {}", shortened(pair.a->label, 20), count - ahead - equal);
  chart.above_style = pair.b->style;
  chart.below_style = pair.a->style;
  chart.x = returns.a;
  chart.y = returns.b;
  return figure(
      pair_chart(chart),
      fmt::format(
          "Each marker is one start (seed) from which both were let go, {} in all{}. On the "
          "dashed line both do equally well.",
          grouped(count), equal > 0 ? fmt::format(", {} of them equal", equal) : ""));
}

HtmlTable comparison_table(const std::vector<GroupComparison>& made) {
  HtmlTable table;
  table.columns = {{"compared", Column::kText},
                   {"difference"},
                   {"95 % interval", Column::kNumber, "BCa bootstrap"},
                   {"p", Column::kNumber,
                    "How likely a difference so large is by chance: sign flips of pairs, or "
                    "divisions of the policies"},
                   {"from", Column::kText},
                   {"p of successes", Column::kNumber, "McNemar's exact test"},
                   {"verdict", Column::kText}};
  for (const GroupComparison& pair : made) {
    const Comparison& c = *pair.comparison;
    const ReturnText text = text_for(c);
    table.rows.push_back(
        {{style_key(pair.b->style) + escaped(pair.b->label + " \xE2\x88\x92 " + pair.a->label)},
         TableCell::text(text.with_sign(c.difference)),
         TableCell::text(fmt::format("[{}, {}]", text.with_sign(c.interval.low),
                                     text.with_sign(c.interval.high)),
                         true),
         TableCell::text(fmt::format("{:.2g}", c.p_value)),
         TableCell::text(c.paired ? fmt::format("{} pairs", grouped(c.count_a)) : units_of(c)),
         TableCell::text(c.successes ? fmt::format("{:.2g}", c.successes->p_value) : ""),
         TableCell::text(name_of(c.verdict))});
  }
  return table;
}

Markup one_comparison(const GroupComparison& pair) {
  if (!pair.comparison->paired) return difference_chart({pair}, kWide);
  return side_by_side({cloud(pair), difference_chart({pair}, kNarrow)});
}

Markup several_comparisons(const std::vector<GroupComparison>& made) {
  Markup body = html_table(comparison_table(made)) + difference_chart(made, kWide);
  std::vector<Markup> clouds;
  for (const GroupComparison& pair : made)
    if (pair.comparison->paired && clouds.size() < kMostClouds) clouds.push_back(cloud(pair));
  return clouds.empty() ? body : body + side_by_side(clouds);
}

}  // namespace

std::vector<GroupComparison> compare_with_first(const EnvironmentGroup& group) {
  std::vector<GroupComparison> all;
  for (size_t i = 1; i < group.inputs.size(); ++i) {
    GroupComparison pair{group.inputs[0], group.inputs[i], {}};
    const auto &a = pair.a->evaluations, &b = pair.b->evaluations;
    if (is_single(*pair.a) != is_single(*pair.b))
      pair.why_not = "one is a single policy, the other several trainings";
    else
      try {
        pair.comparison = is_single(*pair.a) ? compare(a[0], b[0]) : compare_methods(a, b);
      } catch (const Error& error) {
        pair.why_not = error.what();
      }
    all.push_back(std::move(pair));
  }
  return all;
}

PairedReturns paired_returns(const EvaluationInput& a, const EvaluationInput& b) {
  DARP_CHECK(is_single(a) && is_single(b), "pairs of several policies");
  PairedReturns pairs;
  const auto &left = a.evaluations[0].records, &right = b.evaluations[0].records;
  for (size_t i = 0, k = 0; i < left.size() && k < right.size();) {
    if (left[i].seed == right[k].seed) {
      pairs.a.push_back(left[i++].episode_return);
      pairs.b.push_back(right[k++].episode_return);
    } else if (left[i].seed < right[k].seed) {
      ++i;
    } else {
      ++k;
    }
  }
  return pairs;
}

Markup findings(const EnvironmentGroup& group, const std::vector<GroupComparison>& comparisons) {
  std::vector<GroupComparison> made;
  for (const GroupComparison& pair : comparisons)
    if (pair.comparison) made.push_back(pair);
  if (made.empty()) return lone_finding(group);
  return made.size() == 1 ? finding(headline_of(group.title, made[0]), explanation_of(made[0]))
                          : finding_of_several(group.title, made);
}

Markup comparison_section(const std::vector<GroupComparison>& comparisons) {
  std::vector<GroupComparison> made;
  Markup notes;
  for (const GroupComparison& pair : comparisons) {
    if (pair.comparison)
      made.push_back(pair);
    else
      notes += note(fmt::format("{} is not compared with {}: {}.", pair.b->label, pair.a->label,
                                pair.why_not));
  }
  if (made.empty()) return notes;

  const bool paired = made[0].comparison->paired;
  notes += note(paired ? "This is about these networks, from other starts. Whether a method is "
                         "better takes several trainings of each."
                       : "Trainings are the units: this is about the methods, trained again.");
  if (made.size() > 1)
    notes += note(fmt::format(
        "p-values are not corrected for making {} comparisons at once: a few of many come out "
        "small by chance.",
        made.size()));
  return subsection(
      "Compared with " + made[0].a->label,
      (made.size() == 1 ? one_comparison(made[0]) : several_comparisons(made)) + notes);
}

}  // namespace darp
