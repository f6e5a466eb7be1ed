// Methods by tasks under several protocols.

#include <algorithm>
#include <cmath>

#include "darp/core/numbers.h"
#include "darp/study/table/table_exhibits.h"

namespace darp {
namespace {

/// "published: darp is better than bc on 2 of 4 tasks and worse on none."
std::string verdict_sentence(const StudySpec& spec, const std::string& protocol,
                             const std::string& method,
                             const std::vector<TableComparison>& comparisons) {
  int64_t better = 0, worse = 0, all = 0;
  for (const TableComparison& one : comparisons) {
    if (one.protocol != protocol || one.method != method) continue;
    ++all;
    better += one.comparison.verdict == Verdict::kBetter ? 1 : 0;
    worse += one.comparison.verdict == Verdict::kWorse ? 1 : 0;
  }
  if (all == 0) return "";
  return fmt::format(" {}: better than {} on {} of {}, worse on {}.", method, spec.baseline, better,
                     counted(all, "task"), worse);
}

/// How our trainings stand to the paper's numbers.
std::string paper_sentence(const StudySpec& spec, const std::string& protocol,
                           const std::vector<TableResult>& results) {
  const TableScores scores(spec);
  int64_t above = 0, within = 0, below = 0;
  for (const TableResult& result : results) {
    const auto paper = paper_number(spec, result.method, result.task);
    if (result.protocol != protocol || !paper || result.evaluations.empty()) continue;
    const std::vector<double> trainings = scores.trainings(result);
    const auto [low, high] = std::minmax_element(trainings.begin(), trainings.end());
    (paper->value > *high ? above : paper->value < *low ? below : within) += 1;
  }
  const int64_t all = above + within + below;
  if (all == 0) return "";
  return fmt::format(
      " Of {} with a number of the paper, it is above all of our trainings in {}, within their "
      "range "
      "in {} and below all in {}.",
      counted(all, "cell"), above, within, below);
}

/// The best training over the median, as a part of the median, on average.
std::string optimism_sentence(const StudySpec& spec, const std::string& protocol,
                              const std::vector<TableResult>& results) {
  const TableScores scores(spec);
  std::vector<double> parts;
  for (const TableResult& result : results) {
    if (result.protocol != protocol || result.evaluations.size() < 2) continue;
    const std::vector<double> trainings = scores.trainings(result);
    const double middle = median(trainings);
    if (middle > 0)
      parts.push_back(*std::max_element(trainings.begin(), trainings.end()) / middle - 1);
  }
  if (parts.empty()) return "";
  return fmt::format(" The best training is {:.0f} % above the median one (median over {}).",
                     100 * median(parts), counted(std::ssize(parts), "cell"));
}

/// What is left on report seeds of what a search promised.
std::string search_sentence(const StudySpec& spec, const std::string& protocol,
                            const std::vector<TableResult>& results) {
  std::vector<double> parts;
  if (spec.score == StudySpec::Score::kSuccess) return "";
  for (const TableResult& result : results)
    if (result.protocol == protocol && result.search_score && *result.search_score > 0)
      parts.push_back(mean_returns_of(result.evaluations).front() / *result.search_score);
  if (parts.empty()) return "";
  return fmt::format(
      " On report seeds the chosen networks have {:.0f} % of their score on search seeds (median "
      "over {}).",
      100 * median(parts), counted(std::ssize(parts), "cell"));
}

}  // namespace

std::string table_summary(const StudySpec& spec, const std::vector<TableResult>& results,
                          const std::vector<TableComparison>& comparisons) {
  std::string text = spec.about;
  for (const std::string& protocol : spec.protocols) {
    int64_t trainings = 0;
    for (const TableResult& result : results)
      if (result.protocol == protocol) trainings += result.trainings;
    text += fmt::format("\n\n{} ({}):", protocol, counted(trainings, "training"));
    for (const std::string& method : spec.methods)
      text += verdict_sentence(spec, protocol, parse_method(method).label, comparisons);
    if (spec.score != StudySpec::Score::kImprovement)
      text += paper_sentence(spec, protocol, results);
    text += optimism_sentence(spec, protocol, results);
    text += search_sentence(spec, protocol, results);
    if (text.ends_with(':')) text += " see the tables.";
  }
  return text;
}

std::optional<ExhibitSet> table_study(const StudySpec& spec, const StudyContext& context) {
  const auto results = table_results(spec, context);
  if (!results) return std::nullopt;
  const std::vector<TableComparison> comparisons = table_comparisons(spec, *results);
  ExhibitSet set;
  set.summary = table_summary(spec, *results, comparisons);
  if (spec.score == StudySpec::Score::kImprovement)
    set.exhibits.emplace_back(improvement_table(spec, comparisons));
  for (ExhibitTable& table : main_tables(spec, *results))
    set.exhibits.emplace_back(std::move(table));
  const auto add_table = [&](ExhibitTable table) {
    if (!table.rows.empty()) set.exhibits.emplace_back(std::move(table));
  };
  add_table(comparison_table(spec, comparisons));
  for (const std::string& task : spec.tasks)
    set.exhibits.emplace_back(training_boxes(spec, *results, task));
  for (const std::string& protocol : spec.protocols)
    add_table(details_table(spec, *results, protocol));
  add_table(optimism_table(spec, *results));
  add_table(chosen_table(*results));
  double seconds = 0;
  for (const TableResult& result : *results) seconds += result.train_seconds;
  set.facts.emplace_back("training", duration_text(std::chrono::seconds(std::llround(seconds))) +
                                         " of one core, without searches");
  return set;
}

}  // namespace darp
