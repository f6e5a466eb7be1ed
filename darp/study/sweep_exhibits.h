#pragma once
// What came out of sweeps, as curves, tables and a few sentences.

#include <span>

#include "darp/exhibit/exhibit.h"
#include "darp/study/sweep_plan.h"

namespace darp {

/// How good a method is at one value.
struct SweepScore {
  int64_t trainings = 0;
  double mean = 0;    // over trainings, each with the mean of its episodes
  Interval interval;  // 95 %: over trainings, or over the episodes of a single one
  double median = 0, lowest = 0, highest = 0;  // trainings
};
/// `evaluations` is not empty.
SweepScore sweep_score(std::span<const Evaluation> evaluations);

/// Two methods at the same value: differences are method - baseline.
struct SweepDifference {
  double difference = 0;
  Interval interval;    // 95 %, over starts: these networks, episodes paired by seed
  double p_starts = 1;  // of the same
  std::optional<double> p_trainings = {};  // the trainings as units; from two of each on
};
SweepDifference sweep_difference(std::span<const Evaluation> baseline,
                                 std::span<const Evaluation> method);

struct SweepFindings {
  std::vector<Exhibit> exhibits;  // a figure, where values are numbers, and a table
  std::string summary;            // one sentence or two
};
/// `results` are those of the plan's runs. `baseline` is a method of the sweep, or empty.
SweepFindings sweep_findings(const TaskSweep& sweep, std::span<const StudyRunResult> results,
                             const std::string& baseline);

}  // namespace darp
