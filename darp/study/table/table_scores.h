#pragma once
// What a table's result amounts to, in the study's score: a mean return, or successes in percent.

#include <optional>
#include <string>
#include <vector>

#include "darp/study/table/table_results.h"

namespace darp {

/// Of one network, over its episodes, 95 %.
struct NetworkScore {
  double score = 0;
  Interval interval;
};

/// Scores of one table with as many digits as tell them apart: "3,411", "57.0", "0.482".
class ScoreText {
 public:
  explicit ScoreText(double largest);
  std::string operator()(double score) const;
  std::string with_sign(double score) const;
  /// "[3,2 .. 3,4]" in those digits.
  std::string range(const Interval& interval) const;

 private:
  int decimals_ = 0;
};

class TableScores {
 public:
  explicit TableScores(const StudySpec& spec)
      : success_(spec.score == StudySpec::Score::kSuccess) {}

  NetworkScore of(const Evaluation& evaluation) const;
  /// One of each training.
  std::vector<double> trainings(const TableResult& result) const;
  /// The median of trainings, or the chosen network's; nothing without evaluations.
  std::optional<double> middle(const TableResult& result) const;
  /// The training nearest to the median; `result` has evaluations.
  const Evaluation& median_training(const TableResult& result) const;
  /// "mean return", "success %": of an axis.
  std::string_view title() const { return success_ ? "success %" : "mean return"; }
  /// Digits that fit all scores of a task.
  ScoreText text(const std::vector<TableResult>& results, const std::string& task) const;
  /// "Scores are mean returns."
  std::string_view sentence() const {
    return success_ ? "Scores are rates of success in percent." : "Scores are mean returns.";
  }

 private:
  bool success_;
};

/// The paper's number for a method on a task, if it gives one.
std::optional<PaperNumber> paper_number(const StudySpec& spec, const std::string& method,
                                        const std::string& task);
/// The result of a cell; null if there is none.
const TableResult* find_result(const std::vector<TableResult>& results, const std::string& protocol,
                               const std::string& task, const std::string& method);

}  // namespace darp
