#include "darp/study/table/table_scores.h"

#include <algorithm>
#include <cmath>

#include "darp/core/numbers.h"

namespace darp {

NetworkScore TableScores::of(const Evaluation& evaluation) const {
  const EvaluationSummary summary = summarize(evaluation);
  if (!success_) return {summary.returns.mean, summary.returns.mean_bootstrap};
  if (!summary.success)
    throw Error(evaluation.subject.environment, "has no successes to show",
                "declare `score: return`");
  return {100 * summary.success->rate,
          {100 * summary.success->wilson.low, 100 * summary.success->wilson.high}};
}

std::vector<double> TableScores::trainings(const TableResult& result) const {
  if (!success_) return mean_returns_of(result.evaluations);
  std::vector<double> scores;
  for (const Evaluation& evaluation : result.evaluations) {
    int64_t successes = 0;
    for (const EpisodeRecord& record : evaluation.records) successes += record.success ? 1 : 0;
    scores.push_back(100 * static_cast<double>(successes) /
                     static_cast<double>(evaluation.records.size()));
  }
  return scores;
}

std::optional<double> TableScores::middle(const TableResult& result) const {
  if (result.evaluations.empty()) return std::nullopt;
  return median(trainings(result));
}

const Evaluation& TableScores::median_training(const TableResult& result) const {
  const std::vector<double> scores = trainings(result);
  const double middle = median(scores);
  const auto nearest = std::min_element(scores.begin(), scores.end(), [&](double a, double b) {
    return std::abs(a - middle) < std::abs(b - middle);
  });
  return result.evaluations[static_cast<size_t>(nearest - scores.begin())];
}

ScoreText::ScoreText(double largest) {
  const double size = std::abs(largest);
  decimals_ = size >= 1000 ? 0 : size >= 10 ? 1 : 3;
}

std::string ScoreText::operator()(double score) const {
  if (decimals_ == 0 && std::abs(score) < 1e15) return grouped(std::llround(score));
  return fmt::format("{:.{}f}", score, decimals_);
}

std::string ScoreText::with_sign(double score) const {
  return (score < 0 ? "-" : "+") + (*this)(std::abs(score));
}

std::string ScoreText::range(const Interval& interval) const {
  return fmt::format("[{} .. {}]", (*this)(interval.low), (*this)(interval.high));
}

ScoreText TableScores::text(const std::vector<TableResult>& results,
                            const std::string& task) const {
  double largest = success_ ? 100 : 0;
  for (const TableResult& result : results)
    if (result.task == task)
      for (const double score : trainings(result)) largest = std::max(largest, std::abs(score));
  return ScoreText(largest);
}

std::optional<PaperNumber> paper_number(const StudySpec& spec, const std::string& method,
                                        const std::string& task) {
  for (const std::string& line : spec.paper)
    if (const PaperNumber number = parse_paper_number(line);
        number.method == method && number.task == task)
      return number;
  return std::nullopt;
}

const TableResult* find_result(const std::vector<TableResult>& results, const std::string& protocol,
                               const std::string& task, const std::string& method) {
  for (const TableResult& result : results)
    if (result.protocol == protocol && result.task == task && result.method == method)
      return &result;
  return nullptr;
}

}  // namespace darp
