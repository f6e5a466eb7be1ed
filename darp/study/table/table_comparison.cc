#include "darp/study/table/table_comparison.h"

#include <algorithm>
#include <cmath>

#include "darp/core/numbers.h"
#include "darp/eval/statistics/significance.h"

namespace darp {
namespace {

/// Several trainings against a method that does not learn: is the one among the many?
Comparison compare_with_constant(const std::vector<double>& baseline,
                                 const std::vector<double>& method) {
  Comparison comparison;
  comparison.paired = false;
  comparison.count_a = std::ssize(baseline);
  comparison.count_b = std::ssize(method);
  comparison.mean_a = mean(baseline);
  comparison.mean_b = mean(method);
  std::vector<double> differences;
  for (const double a : baseline)
    for (const double b : method) differences.push_back(b - a);
  comparison.difference = mean(differences);
  comparison.interval = bootstrap_interval(differences, mean);
  comparison.p_value = sign_flip_p_value(differences);
  comparison.smallest_p_value = smallest_sign_flip_p_value(std::ssize(differences));
  if (comparison.p_value < kSignificance)
    comparison.verdict = comparison.difference > 0 ? Verdict::kBetter : Verdict::kWorse;
  return comparison;
}

std::optional<TableComparison> compare_cells(const TableResult& baseline,
                                             const TableResult& method) {
  const auto &a = baseline.evaluations, &b = method.evaluations;
  if (a.empty() || b.empty()) return std::nullopt;
  TableComparison made{method.protocol, method.task, method.method, {}, {}};
  if (a.size() == 1 && b.size() == 1) {
    if (a[0].records.size() < 2) return std::nullopt;
    made.comparison = compare(a[0], b[0]);
    made.units = fmt::format("these networks, {}", counted(made.comparison.count_a, "start"));
  } else if (a.size() > 1 && b.size() > 1) {
    made.comparison = compare_methods(a, b);
    made.units = fmt::format("{} with {} trainings", b.size(), a.size());
  } else {
    made.comparison = compare_with_constant(mean_returns_of(a), mean_returns_of(b));
    made.units = fmt::format("1 with {} trainings", std::max(a.size(), b.size()));
  }
  return made;
}

std::string verdict_text(const Comparison& comparison) {
  if (comparison.verdict != Verdict::kUndecided) return std::string(name_of(comparison.verdict));
  if (comparison.smallest_p_value >= kSignificance) return "undecided (too few to tell)";
  return "undecided";
}

std::string percent_text(double percent) {
  return fmt::format("{:+.1f} %", percent);
}

}  // namespace

std::vector<TableComparison> table_comparisons(const StudySpec& spec,
                                               const std::vector<TableResult>& results) {
  std::vector<TableComparison> comparisons;
  for (const TableResult& result : results) {
    if (spec.baseline.empty() || result.method == spec.baseline) continue;
    const TableResult* baseline = find_result(results, result.protocol, result.task, spec.baseline);
    if (baseline == nullptr) continue;
    if (auto made = compare_cells(*baseline, result)) comparisons.push_back(std::move(*made));
  }
  return comparisons;
}

ExhibitTable comparison_table(const StudySpec& spec,
                              const std::vector<TableComparison>& comparisons) {
  ExhibitTable table;
  table.name = "comparison";
  table.title = fmt::format("Against {}", spec.baseline);
  table.note =
      "Differences of mean returns. Where a method was trained several times, its trainings are "
      "the "
      "sample and p is from a permutation test over them; networks that a search chose are "
      "compared "
      "by pairs of episodes with the same start, which tells about these networks, not about "
      "searching again. Decided below p = 0.05.";
  table.columns = {{"protocol", false}, {"task", false}, {"method", false},  {"difference"},
                   {"95 % interval"},   {"p"},           {"verdict", false}, {"compared", false}};
  for (const TableComparison& one : comparisons) {
    const Comparison& c = one.comparison;
    const ScoreText text(std::max(std::abs(c.interval.low), std::abs(c.interval.high)));
    table.rows.push_back({{one.protocol},
                          {one.task},
                          {one.method},
                          {text.with_sign(c.difference), c.difference, c.interval},
                          {text.range(c.interval)},
                          {fmt::format("{:.3g}", c.p_value), c.p_value},
                          {verdict_text(c), {}, {}, c.verdict == Verdict::kBetter},
                          {one.units}});
  }
  return table;
}

ExhibitTable improvement_table(const StudySpec& spec,
                               const std::vector<TableComparison>& comparisons) {
  ExhibitTable table;
  table.name = "improvement";
  table.title = fmt::format("Improvement over {} in percent", spec.baseline);
  table.note = fmt::format(
      "Differences of mean returns, in percent of the size of {}'s mean; the interval is that of "
      "the difference.",
      spec.baseline);
  table.columns = {{"task", false}, {"method", false}, {"paper"}};
  for (const std::string& protocol : spec.protocols) table.columns.push_back({protocol});
  for (const std::string& task : spec.tasks)
    for (const std::string& declared : spec.methods) {
      const std::string method = parse_method(declared).label;
      if (method == spec.baseline) continue;
      std::vector<ExhibitCell> row = {{task}, {method}};
      const auto paper = paper_number(spec, method, task);
      row.push_back(paper ? ExhibitCell{percent_text(paper->value), paper->value}
                          : ExhibitCell{"-"});
      for (const std::string& protocol : spec.protocols) {
        ExhibitCell cell{"-"};
        for (const TableComparison& one : comparisons) {
          if (one.protocol != protocol || one.task != task || one.method != method) continue;
          const double unit = 100 / std::max(std::abs(one.comparison.mean_a), 1e-12);
          const double percent = unit * one.comparison.difference;
          const Interval interval{unit * one.comparison.interval.low,
                                  unit * one.comparison.interval.high};
          cell = {fmt::format("{} [{:+.0f} .. {:+.0f}]", percent_text(percent), interval.low,
                              interval.high),
                  percent, interval};
        }
        row.push_back(std::move(cell));
      }
      table.rows.push_back(std::move(row));
    }
  return table;
}

}  // namespace darp
