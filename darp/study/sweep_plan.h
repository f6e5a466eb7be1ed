#pragma once
// A sweep: one setting takes several values, all else stays. A setting of the config means a
// training for each value; a setting of the environment (env.NAME) means the same trained policies,
// evaluated under each value.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "darp/data/dataset.h"
#include "darp/study/study_run.h"
#include "darp/study/study_spec.h"

namespace darp {

/// A line of StudySpec::sweeps.
struct Sweep {
  std::string setting;  // "policy.retrieval.k", or "push.force" of the environment
  bool of_environment = false;
  std::vector<std::string> values;  // as written

  /// As it was declared: "policy.retrieval.k", "env.push.force".
  std::string title() const { return (of_environment ? "env." : "") + setting; }
  /// For names of files and folders: "retrieval-k", "env-push-force".
  std::string slug() const;
};

/// "policy.retrieval.k: 10 30 100". Values have no spaces within. Throws Error for anything else,
/// for fewer than two values and for values that are there twice.
Sweep parse_sweep(std::string_view line);

/// Where a value stands on an axis: the number itself, or of a list of numbers its length, with the
/// sign of its only entry that is not 0. Nothing for words.
std::optional<double> axis_place(std::string_view value);

/// A value as part of a file's name: "0.05" -> "0p05", "[-5,0,0]" -> "m5_0_0".
std::string value_slug(std::string_view value);

/// The trainings of one method at one value, and the evaluation of each that counts.
struct SweepPoint {
  std::string value;         // empty: the method does not have the setting
  int64_t neighbors = 0;     // that a query gets; 0 for methods without
  std::vector<size_t> runs;  // in SweepPlan::runs, one for each training
  std::string evaluation;
};
struct SweepLine {
  std::string method;  // its label
  bool varies = true;  // false: one point, a reference for all values
  std::vector<SweepPoint> points;
};
struct TaskSweep {
  std::string task;
  Sweep sweep;
  std::vector<SweepLine> lines;  // by method
};
struct SweepPlan {
  std::vector<StudyRun> runs;
  std::vector<TaskSweep> sweeps;  // those of a task together
};

/// What a plan needs to know of a task.
struct SweepTask {
  std::string name;
  std::function<TrainConfig(const std::string& method, int64_t seed)> config;
  StudyEvaluation evaluation;  // as it is where the environment does not vary
  const Dataset& data;         // to check settings against, before the first training
};

/// Adds a task's runs and sweeps. A value that changes nothing shares its runs with the others that
/// do not. Throws Error for settings that no method has, and for values that cannot be: k above the
/// usable rows is refused, not clipped, so that a curve never shows what was not run.
void add_task_sweeps(const StudySpec& spec, const SweepTask& task, SweepPlan& plan);

}  // namespace darp
