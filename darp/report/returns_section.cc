#include <algorithm>
#include <cmath>

#include "darp/core/numbers.h"
#include "darp/eval/return_text.h"
#include "darp/eval/text_report.h"
#include "darp/report/html_page.h"
#include "darp/report/report_sections.h"
#include "darp/report/svg_canvas.h"
#include "darp/report/svg_plot.h"

namespace darp {
namespace {

/// With fewer, intervals over policies are narrow: see summarize_policies.
constexpr int64_t kFewTrainings = 10;

/// What a line of the table says: of one policy's episodes, or of several policies' means.
struct ReturnsRow {
  const EvaluationInput* input = nullptr;
  int64_t policies = 1, episodes = 0, mishaps = 0;
  ReturnSummary returns;
  std::optional<SuccessSummary> success;
  double length = 0;
  std::vector<double> values;  // that the returns are a summary of
  std::string mishap_words;
};

ReturnsRow row_of(const EvaluationInput& input) {
  ReturnsRow row;
  row.input = &input;
  row.policies = static_cast<int64_t>(input.evaluations.size());
  SuccessSummary success;
  for (const Evaluation& evaluation : input.evaluations) {
    const EvaluationSummary summary = summarize(evaluation);
    row.returns = summary.returns;
    row.episodes += summary.returns.count;
    row.mishaps += summary.mishaps;
    row.length += summary.mean_length / static_cast<double>(row.policies);
    if (summary.mishaps > 0) row.mishap_words = mishap_text(summary);
    if (!summary.success) continue;
    success.successes += summary.success->successes;
    success.trials += summary.success->trials;
  }
  if (success.trials > 0) {
    success.rate = static_cast<double>(success.successes) / static_cast<double>(success.trials);
    // Episodes of several policies are no independent trials: no interval for their rate.
    if (row.policies == 1) success.wilson = wilson_interval(success.successes, success.trials);
    row.success = success;
  }
  row.values = returns_of(input.evaluations[0]);
  if (row.policies > 1) {
    row.returns = summarize_policies(input.evaluations);
    row.values = mean_returns_of(input.evaluations);
  }
  return row;
}

double largest_of(const std::vector<ReturnsRow>& rows) {
  double largest = 0;
  for (const ReturnsRow& row : rows)
    largest = std::max({largest, std::abs(row.returns.mean_bootstrap.low),
                        std::abs(row.returns.mean_bootstrap.high)});
  return largest;
}

std::string interval_text(const Interval& interval, const ReturnText& text) {
  return fmt::format("[{}, {}]", text(interval.low), text(interval.high));
}

std::vector<TableCell> cells_of(const ReturnsRow& row, const ReturnText& text, bool any_mishaps) {
  const auto cell = [](const std::string& content) { return TableCell::text(content); };
  const bool has_wilson = row.success && row.policies == 1;
  return {
      {style_key(row.input->style) + escaped(row.input->label)},
      cell(row.policies > 1 ? fmt::format("{}", row.policies) : ""),
      cell(grouped(row.episodes)),
      cell(text(row.returns.mean)),
      TableCell::text(interval_text(row.returns.mean_bootstrap, text), true),
      cell(text(row.returns.median)),
      cell(text(row.returns.interquartile_mean)),
      cell(row.success ? fmt::format("{:.0f} %", 100 * row.success->rate) : ""),
      TableCell::text(has_wilson ? fmt::format("[{:.0f}, {:.0f}]", 100 * row.success->wilson.low,
                                               100 * row.success->wilson.high)
                                 : "",
                      true),
      cell(row.returns.normalized ? fmt::format("{:.1f}", *row.returns.normalized) : ""),
      cell(fmt::format("{:.0f}", row.length)),
      cell(any_mishaps ? fmt::format("{}", row.mishaps) : "")};
}

HtmlTable returns_table(const std::vector<ReturnsRow>& rows) {
  HtmlTable table;
  table.columns = {
      {"method", Column::kText},
      {"trainings", Column::kNumber, "Policies of the method; their means are what is summarised"},
      {"episodes"},
      {"mean return"},
      {"95 % interval", Column::kNumber, "BCa bootstrap"},
      {"median"},
      {"IQM", Column::kNumber, "Mean of the middle half"},
      {"success"},
      {"95 %", Column::kNumber, "Wilson's interval"},
      {"score", Column::kNumber, "D4RL's scale: 0 for random actions, 100 for its expert"},
      {"length", Column::kNumber, "Steps of an episode, on average"},
      {"mishaps", Column::kNumber,
       "Episodes that ended by an unstable simulation, an action that is none or a policy that "
       "failed; they count with their returns"}};
  const ReturnText text(largest_of(rows));
  const bool any_mishaps =
      std::any_of(rows.begin(), rows.end(), [](const ReturnsRow& row) { return row.mishaps > 0; });
  for (const ReturnsRow& row : rows) table.rows.push_back(cells_of(row, text, any_mishaps));
  return table;
}

Markup returns_chart(const std::vector<ReturnsRow>& rows) {
  const ReturnText text(largest_of(rows));
  IntervalChart chart;
  chart.axis_title = "return";
  bool several = false, thinned = false;
  for (const ReturnsRow& row : rows) {
    several = several || row.policies > 1;
    thinned = thinned || row.values.size() > kMostDots;
    chart.rows.push_back(
        {row.input->label, row.input->style, row.returns.mean, row.returns.mean_bootstrap,
         text(row.returns.mean) + " " + interval_text(row.returns.mean_bootstrap, text),
         row.values});
  }
  return figure(
      interval_chart(chart),
      fmt::format("Large marker: mean with its 95 % interval. Small ones: {}{}.",
                  several ? "episodes, or means of trained policies where there are several"
                          : "the episodes",
                  thinned ? fmt::format(" ({} of them, evenly chosen)", kMostDots) : ""));
}

std::string conditions_of(const EnvironmentGroup& group) {
  std::vector<std::string> texts;
  for (const EvaluationInput* input : group.inputs) {
    const EvaluationSubject& subject = input->evaluations[0].subject;
    const std::string text =
        fmt::format("Seeds {} ({})", subject.seeds.text(), name_of(subject.purpose));
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  }
  return texts.size() == 1 ? texts[0] + "." : "Seeds differ; see how it was made.";
}

}  // namespace

std::vector<EnvironmentGroup> group_by_environment(const std::vector<EvaluationInput>& inputs) {
  std::vector<EnvironmentGroup> groups;
  for (const EvaluationInput& input : inputs) {
    const std::string title = environment_title(input.evaluations[0].subject);
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&](const EnvironmentGroup& group) { return group.title == title; });
    if (found == groups.end()) found = groups.insert(groups.end(), {title, {}});
    found->inputs.push_back(&input);
  }
  return groups;
}

Markup returns_section(const EnvironmentGroup& group) {
  std::vector<ReturnsRow> rows;
  for (const EvaluationInput* input : group.inputs) rows.push_back(row_of(*input));
  Markup body = html_table(returns_table(rows));
  std::string notes = conditions_of(group);
  bool few = false;
  for (const ReturnsRow& row : rows) {
    few = few || (row.policies > 1 && row.policies < kFewTrainings);
    if (row.mishaps > 0)
      notes += fmt::format(" Mishaps of {}: {}.", row.input->label,
                           row.policies == 1 ? row.mishap_words : counted(row.mishaps, "episode"));
  }
  if (few) notes += " Intervals over few trainings are too narrow.";
  return body + note(notes) + returns_chart(rows);
}

std::vector<Exhibit> returns_exhibits(const EnvironmentGroup& group, const std::string& suffix) {
  std::vector<ReturnsRow> rows;
  for (const EvaluationInput* input : group.inputs) rows.push_back(row_of(*input));
  const ReturnText text(largest_of(rows));
  ExhibitTable table{{"returns" + suffix, "Returns: " + group.title, conditions_of(group)},
                     {{"method", false},
                      {"trainings"},
                      {"episodes"},
                      {"mean return"},
                      {"95 % interval"},
                      {"median"},
                      {"IQM"},
                      {"success"},
                      {"mishaps"}},
                     {}};
  ExhibitBoxes boxes{{"episodes" + suffix, "Every return: " + group.title,
                      "Each dot is an episode, or the mean of a training where there are several."},
                     "return",
                     "",
                     {}};
  const auto number = [](int64_t count) {
    return ExhibitCell{grouped(count), static_cast<double>(count)};
  };
  for (const ReturnsRow& row : rows) {
    const Interval& interval = row.returns.mean_bootstrap;
    const std::string mean = text(row.returns.mean), around = interval_text(interval, text);
    const double success = row.success ? 100 * row.success->rate : 0;
    table.rows.push_back(
        {{row.input->label},
         number(row.policies),
         number(row.episodes),
         {mean, row.returns.mean, interval},
         {around, {}, {}, false, true},
         {text(row.returns.median), row.returns.median},
         {text(row.returns.interquartile_mean), row.returns.interquartile_mean},
         row.success ? ExhibitCell{fmt::format("{:.0f} %", success), success} : ExhibitCell{},
         number(row.mishaps)});
    boxes.rows.push_back({row.input->label,
                          row.values,
                          {},
                          mean + " " + around,
                          static_cast<int>(boxes.rows.size())});
  }
  return {std::move(table), std::move(boxes)};
}

}  // namespace darp
