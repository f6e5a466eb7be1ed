// The tables that answer the study's question.

#include <algorithm>
#include <cmath>

#include "darp/study/table/table_exhibits.h"

namespace darp {
namespace {

/// More columns than this do not fit a page and are cut into a table for each task.
constexpr size_t kWidest = 8;

ExhibitCell paper_cell(const StudySpec& spec, const std::string& method, const std::string& task,
                       const ScoreText& text) {
  const auto paper = paper_number(spec, method, task);
  if (!paper) return {"-"};
  ExhibitCell cell{text(paper->value), paper->value};
  if (!std::isnan(paper->half_width)) {
    cell.text += " ± " + text(paper->half_width);
    cell.interval = Interval{paper->value - paper->half_width, paper->value + paper->half_width};
  }
  return cell;
}

/// Median of trainings [lowest .. highest], or the chosen network's mean [95 %].
ExhibitCell result_cell(const TableResult* result, const TableScores& scores,
                        const ScoreText& text) {
  if (result == nullptr || result->evaluations.empty()) return {"-"};
  if (result->evaluations.size() == 1) {
    const NetworkScore one = scores.of(result->evaluations.front());
    return {fmt::format("{} {}", text(one.score), text.range(one.interval)), one.score,
            one.interval};
  }
  const std::vector<double> trainings = scores.trainings(*result);
  const auto [low, high] = std::minmax_element(trainings.begin(), trainings.end());
  const Interval range{*low, *high};
  const double middle = median(trainings);
  return {fmt::format("{} {}", text(middle), text.range(range)), middle, range};
}

/// Bold: the best number of each column, unless all are the same.
void mark_best(ExhibitTable& table) {
  for (size_t column = 0; column < table.columns.size(); ++column) {
    std::vector<double> values;
    for (const auto& row : table.rows)
      if (row[column].value) values.push_back(*row[column].value);
    if (values.empty()) continue;
    const auto [worst, best] = std::minmax_element(values.begin(), values.end());
    for (auto& row : table.rows) row[column].best = *worst < *best && row[column].value == *best;
  }
}

bool shows_paper(const StudySpec& spec) {
  return !spec.paper.empty() && spec.score != StudySpec::Score::kImprovement;
}

ExhibitTable main_table(const StudySpec& spec, const std::vector<TableResult>& results,
                        const std::vector<std::string>& tasks) {
  const TableScores scores(spec);
  const bool with_paper = shows_paper(spec);
  ExhibitTable table;
  table.columns = {{"method", false}};
  for (const std::string& task : tasks) {
    const std::string before = tasks.size() > 1 ? task + ", " : "";
    if (with_paper) table.columns.push_back({before + "paper"});
    for (const std::string& protocol : spec.protocols) table.columns.push_back({before + protocol});
  }
  for (const std::string& declared : spec.methods) {
    const std::string method = parse_method(declared).label;
    std::vector<ExhibitCell> row = {{method}};
    for (const std::string& task : tasks) {
      const ScoreText text = scores.text(results, task);
      if (with_paper) row.push_back(paper_cell(spec, method, task, text));
      for (const std::string& protocol : spec.protocols)
        row.push_back(result_cell(find_result(results, protocol, task, method), scores, text));
    }
    table.rows.push_back(std::move(row));
  }
  mark_best(table);
  const auto has = [&](std::string_view protocol) {
    return std::find(spec.protocols.begin(), spec.protocols.end(), protocol) !=
           spec.protocols.end();
  };
  table.note = std::string(scores.sentence()) + " All are on report seeds.";
  if (has("published") || has("recipe"))
    table.note +=
        spec.seeds == 1
            ? std::string(
                  " published and recipe: one training, with its 95 % interval over episodes.")
            : fmt::format(
                  " published and recipe: the median of {} trainings [lowest .. highest]; a "
                  "method that does not learn has one, with its 95 % interval over episodes.",
                  spec.seeds);
  if (has("searched") || has("validation"))
    table.note += fmt::format(
        " searched: the best of {} trials on search seeds; validation: the best by validation loss "
        "alone; both with the chosen network's 95 % interval over episodes.",
        spec.trials);
  return table;
}

}  // namespace

std::vector<ExhibitTable> main_tables(const StudySpec& spec,
                                      const std::vector<TableResult>& results) {
  std::vector<ExhibitTable> tables;
  const size_t columns_each = spec.protocols.size() + (shows_paper(spec) ? 1 : 0);
  if (1 + spec.tasks.size() * columns_each <= kWidest) {
    tables.push_back(main_table(spec, results, spec.tasks));
    tables.back().name = "main";
    tables.back().title = spec.tasks.size() == 1 ? spec.tasks.front() : "All tasks";
    return tables;
  }
  for (const std::string& task : spec.tasks) {
    tables.push_back(main_table(spec, results, {task}));
    tables.back().name = "main-" + task;
    tables.back().title = task;
  }
  return tables;
}

}  // namespace darp
