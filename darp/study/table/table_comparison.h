#pragma once
// Methods against the baseline, under each protocol.

#include "darp/eval/comparison.h"
#include "darp/study/table/table_scores.h"

namespace darp {

/// A method against the baseline on a task: by returns.
struct TableComparison {
  std::string protocol, task, method;
  Comparison comparison;  // baseline as a, method as b
  /// What was compared: "5 with 5 trainings", "these networks, 100 starts".
  std::string units;
};

/// Trainings with trainings where both have several; the differences to the one where a side does
/// not learn; chosen networks by pairs of episodes. Without a baseline there are none, and none of
/// cells that cannot be compared (fewer than two starts).
std::vector<TableComparison> table_comparisons(const StudySpec& spec,
                                               const std::vector<TableResult>& results);

/// Difference, interval, p-value and verdict of each.
ExhibitTable comparison_table(const StudySpec& spec,
                              const std::vector<TableComparison>& comparisons);
/// Differences in percent of the baseline, beside the paper's.
ExhibitTable improvement_table(const StudySpec& spec,
                               const std::vector<TableComparison>& comparisons);

}  // namespace darp
