// The tables behind the main ones, and the pictures.

#include "darp/study/table/table_exhibits.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace darp {
namespace {

ExhibitCell scored_cell(const NetworkScore& one, const ScoreText& text) {
  return {fmt::format("{} {}", text(one.score), text.range(one.interval)), one.score, one.interval};
}

ExhibitCell normalized_cell(const TableResult& result) {
  const auto& scale = result.evaluations.front().scale;
  if (!scale) return {"-"};
  const double score = normalized_score(mean(mean_returns_of(result.evaluations)), *scale);
  return {fmt::format("{:.1f}", score), score};
}

ExhibitCell success_cell(const TableResult& result) {
  if (!result.evaluations.front().has_success) return {"-"};
  int64_t successes = 0, trials = 0;
  for (const Evaluation& evaluation : result.evaluations) {
    const SuccessSummary summary = *summarize(evaluation).success;
    successes += summary.successes;
    trials += summary.trials;
  }
  const double rate = 100 * static_cast<double>(successes) / static_cast<double>(trials);
  return {fmt::format("{:.0f}", rate), rate};
}

}  // namespace

ExhibitTable details_table(const StudySpec& spec, const std::vector<TableResult>& results,
                           const std::string& protocol) {
  const TableScores scores(spec);
  ExhibitTable table;
  table.name = "details-" + protocol;
  table.title = "Details: " + protocol;
  table.note =
      std::string(scores.sentence()) +
      " The interval over trainings says what training again would give (BCa; too narrow for few), "
      "that over episodes what the median training would do from other starts.";
  table.columns = {{"task", false},
                   {"method", false},
                   {"trainings"},
                   {"mean [over trainings]", true, "95 % interval"},
                   {"median training [over episodes]", true, "95 % interval"},
                   {"D4RL score", true, "0: random, 100: expert"},
                   {"success %"},
                   {"training s", true, "seconds of one training, on one core"}};
  for (const TableResult& result : results) {
    if (result.protocol != protocol || result.evaluations.empty()) continue;
    const ScoreText text = scores.text(results, result.task);
    const std::vector<double> trainings = scores.trainings(result);
    const double average = mean(trainings);
    const double seconds =
        result.train_seconds / static_cast<double>(std::max<int64_t>(result.trainings, 1));
    table.rows.push_back(
        {{result.task},
         {result.method},
         {std::to_string(result.trainings), static_cast<double>(result.trainings)},
         trainings.size() > 1 ? scored_cell({average, bootstrap_interval(trainings, mean)}, text)
                              : ExhibitCell{text(average), average},
         scored_cell(scores.of(scores.median_training(result)), text),
         normalized_cell(result),
         success_cell(result),
         result.train_seconds > 0 ? ExhibitCell{fmt::format("{:.1f}", seconds), seconds}
                                  : ExhibitCell{"-"}});
  }
  return table;
}

ExhibitTable optimism_table(const StudySpec& spec, const std::vector<TableResult>& results) {
  const TableScores scores(spec);
  ExhibitTable table;
  table.name = "optimism";
  table.title = "What choosing the best would have promised";
  table.note =
      "Several trainings: the best one's score minus the median's, which is what reporting the "
      "best "
      "would add. A search: the score of the best trial on search seeds minus the same network's "
      "on "
      "report seeds.";
  table.columns = {{"protocol", false}, {"task", false},  {"method", false}, {"trainings"},
                   {"best promised"},   {"honest score"}, {"optimism"}};
  for (const TableResult& result : results) {
    if (result.evaluations.empty()) continue;
    const std::vector<double> trainings = scores.trainings(result);
    if (result.chosen ? !result.search_score : trainings.size() < 2) continue;
    if (result.chosen && spec.score == StudySpec::Score::kSuccess) continue;
    const ScoreText text = scores.text(results, result.task);
    const double promised = result.chosen ? *result.search_score
                                          : *std::max_element(trainings.begin(), trainings.end());
    const double honest = median(trainings);
    table.rows.push_back({{result.protocol},
                          {result.task},
                          {result.method},
                          {std::to_string(result.trainings), static_cast<double>(result.trainings)},
                          {text(promised), promised},
                          {text(honest), honest},
                          {text.with_sign(promised - honest), promised - honest}});
  }
  return table;
}

ExhibitTable chosen_table(const std::vector<TableResult>& results) {
  ExhibitTable table;
  table.name = "chosen";
  table.title = "Settings that were chosen";
  table.columns = {{"protocol", false}, {"task", false}, {"method", false}, {"settings", false}};
  for (const TableResult& result : results)
    if (!result.settings.empty())
      table.rows.push_back({{result.protocol},
                            {result.task},
                            {result.method},
                            {fmt::format("{}", fmt::join(result.settings, " "))}});
  return table;
}

ExhibitBoxes training_boxes(const StudySpec& spec, const std::vector<TableResult>& results,
                            const std::string& task) {
  const TableScores scores(spec);
  const ScoreText text = scores.text(results, task);
  ExhibitBoxes boxes;
  boxes.name = "trainings-" + task;
  boxes.title = "Trainings on " + task;
  boxes.note = "Each dot is one training (or the one network that a search chose).";
  boxes.axis_title = scores.title();
  boxes.mark_title = "the paper's number";
  for (size_t p = 0; p < spec.protocols.size(); ++p)
    for (const TableResult& result : results) {
      if (result.task != task || result.protocol != spec.protocols[p] || result.evaluations.empty())
        continue;
      ExhibitBoxes::Row row;
      row.name = spec.protocols.size() > 1 ? fmt::format("{}, {}", result.method, result.protocol)
                                           : result.method;
      row.values = scores.trainings(result);
      if (const auto paper = paper_number(spec, result.method, task);
          paper && spec.score != StudySpec::Score::kImprovement)
        row.mark = paper->value;
      row.text = text(median(row.values));
      row.group = static_cast<int>(p);
      boxes.rows.push_back(std::move(row));
    }
  return boxes;
}

}  // namespace darp
