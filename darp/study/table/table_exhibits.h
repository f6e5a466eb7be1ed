#pragma once
// A table's results as exhibits.

#include "darp/study/table/table_comparison.h"

namespace darp {

/// Methods by tasks, the paper's numbers beside ours under every protocol: one table, or one for
/// each task where that would be too wide.
std::vector<ExhibitTable> main_tables(const StudySpec& spec,
                                      const std::vector<TableResult>& results);
/// All that is known of each result of a protocol.
ExhibitTable details_table(const StudySpec& spec, const std::vector<TableResult>& results,
                           const std::string& protocol);
/// How much the best training promises above the median one, and a search above its report.
ExhibitTable optimism_table(const StudySpec& spec, const std::vector<TableResult>& results);
/// The settings that searches chose.
ExhibitTable chosen_table(const std::vector<TableResult>& results);
/// Trainings side by side.
ExhibitBoxes training_boxes(const StudySpec& spec, const std::vector<TableResult>& results,
                            const std::string& task);

/// What came out, in sentences made of the numbers.
std::string table_summary(const StudySpec& spec, const std::vector<TableResult>& results,
                          const std::vector<TableComparison>& comparisons);

}  // namespace darp
