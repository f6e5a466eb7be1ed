#pragma once
// What a report is made of: studies, training runs and evaluations, read and labelled.

#include <filesystem>
#include <string>
#include <vector>

#include "darp/eval/evaluation.h"
#include "darp/exhibit/exhibit.h"
#include "darp/report/axis.h"

namespace darp {

/// Losses by epoch; NaN where a line has none.
struct LearningCurve {
  int64_t member = 0;
  std::vector<double> epoch, train_loss, validation_loss;
};

struct RunInput {
  std::string label;
  std::filesystem::path folder;
  int style = 0;                      // svg_canvas.h; the same label has the same
  std::string kind;                   // of policy: "bc", "darp"
  std::vector<LearningCurve> curves;  // by member
  double seconds = 0;                 // spent on all epochs
  std::string config;                 // all settings, as YAML
  std::vector<std::string> changed;   // "a.b=c": those that are not the usual ones
  /// Of the manifest; empty where it says nothing.
  std::string data_file, data_hash, seeds, version, cpu, threads;
  std::string policy_hash;  // empty while training is not done
};

struct EvaluationInput {
  std::string label;
  std::filesystem::path file;
  int style = 0;
  std::vector<Evaluation> evaluations;  // more than one: trainings of one method
};

/// What a study found; the films of its set lie in the folder.
struct StudyInput {
  std::filesystem::path folder;
  ExhibitSet set;
};

struct ReportInputs {
  std::vector<StudyInput> studies;
  std::vector<RunInput> runs;
  std::vector<EvaluationInput> evaluations;
};

/// "hopper", "hopper with time_limit=300".
std::string environment_title(const EvaluationSubject& subject);

/// A study's folder or exhibits file, a run directory or an evaluation file; an empty label is made
/// from its name. A study's label is its title.
struct InputPath {
  std::filesystem::path path;
  std::string label = {};
};

/// Reads them all, each kind in the order given. Where names of two runs, or of two evaluations in
/// one environment, are the same, their folders' names make them different. Throws Error for what
/// is none of them, for damaged files, and for labels that stay the same.
ReportInputs read_report_inputs(const std::vector<InputPath>& paths);

}  // namespace darp
