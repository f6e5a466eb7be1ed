#include "darp/eval/text_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "darp/core/error.h"
#include "darp/core/utf8.h"
#include "darp/eval/return_text.h"

namespace darp {
namespace {

constexpr size_t kLongestPolicyName = 24, kLongestComparedName = 40;
/// With fewer, intervals over policies are narrow: see summarize_policies.
constexpr int64_t kFewPolicies = 10;

/// The end of a path tells policies apart better than its beginning, but for the name that policies
/// of all runs have.
std::string short_name(std::string_view name, size_t longest) {
  constexpr std::string_view kPolicyOfRun = "/policy.darp";
  if (name.ends_with(kPolicyOfRun) && name != kPolicyOfRun) name.remove_suffix(kPolicyOfRun.size());
  std::string text = printable(name);
  if (utf8_columns(text) <= longest) return text;
  size_t begin = 0;
  while (utf8_columns(std::string_view(text).substr(begin)) > longest - 3 ||
         (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80)
    ++begin;
  return "..." + text.substr(begin);
}

std::string percent_text(const SuccessSummary& success) {
  return fmt::format("{:.0f} % [{:.0f}, {:.0f}]", 100 * success.rate, 100 * success.wilson.low,
                     100 * success.wilson.high);
}

using TableRow = std::vector<std::string>;

/// The first column to the left, the others to the right; columns without entries left out.
std::string aligned_table(std::span<const TableRow> rows) {
  std::vector<size_t> widths(rows[0].size(), 0);
  for (size_t c = 0; c < widths.size(); ++c) {
    for (const TableRow& row : rows.subspan(1))
      widths[c] = std::max(widths[c], utf8_columns(row[c]));
    if (widths[c] > 0) widths[c] = std::max(widths[c], utf8_columns(rows[0][c]));
  }
  std::string text;
  for (const TableRow& row : rows) {
    std::string line = row[0] + std::string(widths[0] - utf8_columns(row[0]), ' ');
    for (size_t c = 1; c < row.size(); ++c)
      if (widths[c] > 0) line += "  " + std::string(widths[c] - utf8_columns(row[c]), ' ') + row[c];
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

/// From the mean to the interquartile mean.
void append_returns(const ReturnSummary& returns, const ReturnText& text, TableRow& row) {
  const Interval& interval = returns.mean_bootstrap;
  row.push_back(
      fmt::format("{} [{}, {}]", text(returns.mean), text(interval.low), text(interval.high)));
  row.push_back(text(returns.median));
  row.push_back(text(returns.interquartile_mean));
}

std::string score_text(const ReturnSummary& returns) {
  return returns.normalized ? fmt::format("{:.1f}", *returns.normalized) : "";
}

TableRow policy_row(const Evaluation& evaluation, const EvaluationSummary& summary,
                    const ReturnText& text) {
  TableRow row = {short_name(evaluation.subject.policy, kLongestPolicyName),
                  fmt::format("{}", summary.returns.count)};
  append_returns(summary.returns, text, row);
  row.push_back(summary.success ? percent_text(*summary.success) : "");
  row.push_back(score_text(summary.returns));
  row.push_back(fmt::format("{:.0f}", summary.mean_length));
  return row;
}

TableRow row_over_policies(const ReturnSummary& returns, const ReturnText& text) {
  TableRow row = {fmt::format("over {} policies", returns.count), ""};
  append_returns(returns, text, row);
  row.insert(row.end(), {"", score_text(returns), ""});
  return row;
}

std::string undecided_text(const Comparison& comparison, const ReturnText& text) {
  if (comparison.smallest_p_value >= kSignificance)
    return comparison.paired
               ? fmt::format(
                     "undecided: {} pairs cannot give a p-value below {:.3g}; take more seeds",
                     comparison.count_a, comparison.smallest_p_value)
               : fmt::format(
                     "undecided: {} and {} policies cannot give a p-value below {:.3g}; "
                     "train more of them",
                     comparison.count_a, comparison.count_b, comparison.smallest_p_value);
  if (comparison.interval == Interval{0, 0}) return "undecided: there is no difference";
  // How many would decide depends on the true difference, which nobody knows; this does not.
  return fmt::format(
      "undecided (p = {:.3g}): the difference may be anything from {} to {};\n"
      "            four times as many {} would halve that range",
      comparison.p_value, text.with_sign(comparison.interval.low),
      text.with_sign(comparison.interval.high), comparison.paired ? "episodes" : "policies");
}

}  // namespace

std::string mishap_text(const EvaluationSummary& summary) {
  std::vector<std::string> parts;
  for (size_t end = 0; end < summary.ends.size(); ++end)
    if (is_mishap(static_cast<EpisodeEnd>(end)) && summary.ends[end] > 0)
      parts.push_back(
          fmt::format("{} {}", summary.ends[end], name_of(static_cast<EpisodeEnd>(end))));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string evaluation_table(std::span<const Evaluation> evaluations) {
  DARP_CHECK(!evaluations.empty(), "no evaluations to show");
  const ReturnSummary over = summarize_policies(evaluations);  // checks that they belong together
  std::vector<EvaluationSummary> summaries;
  double largest = 0;
  for (const Evaluation& evaluation : evaluations) {
    summaries.push_back(summarize(evaluation));
    largest = std::max({largest, std::abs(summaries.back().returns.mean_bootstrap.low),
                        std::abs(summaries.back().returns.mean_bootstrap.high)});
  }
  const ReturnText text(largest);
  std::vector<TableRow> rows = {{"policy", "episodes", "mean return [95 %]", "median", "IQM",
                                 "success [95 %]", "score", "length"}};
  for (size_t i = 0; i < evaluations.size(); ++i)
    rows.push_back(policy_row(evaluations[i], summaries[i], text));
  if (evaluations.size() > 1) rows.push_back(row_over_policies(over, text));

  const EvaluationSubject& subject = evaluations[0].subject;
  std::string table =
      fmt::format("{}, seeds {} ({})\n{}", printable(subject.environment), subject.seeds.text(),
                  name_of(subject.purpose), aligned_table(rows));
  if (evaluations.size() > 1)
    table += fmt::format(
        "Lines of policies: how sure their own means are. Last line: what to expect of training "
        "again{}.\n",
        over.count < kFewPolicies ? "\n(of few policies: its interval is too narrow)" : "");
  for (size_t i = 0; i < evaluations.size(); ++i)
    if (summaries[i].mishaps > 0)
      table +=
          fmt::format("Mishaps of {}: {} of {} episodes ({}), counted with their returns.\n",
                      short_name(evaluations[i].subject.policy, kLongestPolicyName),
                      summaries[i].mishaps, summaries[i].returns.count, mishap_text(summaries[i]));
  return table;
}

std::string comparison_text(const Comparison& comparison, std::string_view name_a,
                            std::string_view name_b) {
  const std::string a = short_name(name_a, kLongestComparedName),
                    b = short_name(name_b, kLongestComparedName);
  const ReturnText text(
      std::max({std::abs(comparison.mean_a), std::abs(comparison.mean_b),
                std::abs(comparison.interval.low), std::abs(comparison.interval.high)}));
  std::string lines = fmt::format("mean A      {} ({})\nmean B      {} ({})\n",
                                  text(comparison.mean_a), a, text(comparison.mean_b), b);
  lines += fmt::format(
      "B - A       {} [{}, {}] (95 %, {}), p = {:.3g}\n", text.with_sign(comparison.difference),
      text.with_sign(comparison.interval.low), text.with_sign(comparison.interval.high),
      comparison.paired ? fmt::format("{} pairs of episodes", comparison.count_a)
                        : fmt::format("{} and {} policies", comparison.count_a, comparison.count_b),
      comparison.p_value);
  if (const auto& successes = comparison.successes)
    lines +=
        fmt::format("successes   both {}, only A {}, only B {}, neither {}, p = {:.3g} (McNemar)\n",
                    successes->both, successes->only_a, successes->only_b, successes->neither,
                    successes->p_value);
  lines += fmt::format("verdict     {}\n",
                       comparison.verdict == Verdict::kUndecided
                           ? undecided_text(comparison, text)
                           : fmt::format("B is {} than A (p = {:.3g})", name_of(comparison.verdict),
                                         comparison.p_value));
  if (comparison.paired)
    lines +=
        "            (of these two policies; methods are compared by several trainings of each)\n";
  return lines;
}

}  // namespace darp
