#pragma once
// A study as declared in studies/NAME.yaml: plain data, read through visit_fields (core/fields.h).
// Tasks are declared once, in studies/tasks/NAME.yaml, and methods are the files of the task's
// folder of configs; so a new task joins every study by its name.

#include <filesystem>
#include <string>
#include <vector>

#include "darp/core/fields.h"
#include "darp/study/analysis/rollout_settings.h"

namespace darp {

struct TaskSpec {
  std::string name;            // of its file
  std::string environment;     // `darp environments`
  std::string configs;         // folder: configs/hopper
  std::string demonstrations;  // file name of the paper's demonstrations, below --demos
  std::string bundled;         // those of this project: demos/hopper.hdf5
  std::vector<std::string> set =
      {};  // settings for every method on this task, e.g. reading.columns

  void visit_fields(FieldVisitor& v);
};

/// The noisy samples of a smoothness study (study/analysis/smoothness_curve.h).
struct CurveSettings {
  int64_t samples = 100;
  double periods = 2, noise = 0.3;

  void visit_fields(FieldVisitor& v);
};

struct StudySpec {
  enum class Kind { kTable, kSweep, kRuntime, kDivergence, kForking, kSpectral, kSmoothness };
  enum class Score { kReturn, kSuccess, kImprovement };

  std::string name;   // of its file
  std::string title;  // one line
  std::string about;  // what it answers, where in the paper; a few sentences
  Kind kind = Kind::kTable;
  std::vector<std::string> tasks, methods;  // methods as parse_method takes them
  /// "published": the config as it is; "recipe": configs/recipe/<method>.yaml on every task;
  /// "searched", "validation": the best of `trials` from studies/spaces/<method>.yaml.
  std::vector<std::string> protocols = {"published"};
  int64_t seeds = 5;                  // trainings of each
  int64_t episodes = 100;             // report episodes of each
  std::vector<std::string> set = {};  // settings for every run: "train.epochs=1"
  int64_t trials = 0, search_episodes = 10, rungs = 3;
  std::string spaces = "spaces";        // folder below studies/ with what is searched for
  Score score = Score::kReturn;         // what tables show
  std::string baseline = "";            // the method that others are compared with
  std::vector<std::string> paper = {};  // "method task number [half width]": as published
  /// "policy.retrieval.k: 10 30 100", "env.push.force: [0,0,0] [50,0,0]" (sweep_plan.h); for
  /// runtime "hopper: 100 200" (runtime_study.cc).
  std::vector<std::string> sweeps = {};
  std::vector<double> lambdas = {};     // spectra: weights of the explicit penalty
  int64_t rows = 0;                     // the first of the demonstrations; 0: all
  CurveSettings curve = {};             // smoothness
  RolloutSettings rollouts = {};        // divergence and forking: which episodes, and how
  std::vector<std::string> quick = {};  // changes for --quick: "seeds=2", "tasks=[hopper]"

  void visit_fields(FieldVisitor& v);
};

/// Throws Error for a declaration that no run could make sense of: nothing to run, the same twice,
/// a baseline that is no method, numbers of the paper that cannot be read. What depends on other
/// files is not looked at.
void check_declaration(const StudySpec& spec);

/// A row of a table: a config of the task's folder, or a variant of one.
struct StudyMethod {
  std::string label, config;
  std::vector<std::string> set = {};
};
/// "darp", or "cosine = darp policy.retrieval.metric.kind=cosine": label, config and settings.
/// Throws Error for anything else; labels are of a-z, 0-9, '-', '_'.
StudyMethod parse_method(const std::string& text);

/// What the paper says of a method on a task; NaN where it gives no interval.
struct PaperNumber {
  std::string method, task;
  double value = 0, half_width = 0;
};
/// "darp hopper 3545.57 3.54". Throws Error for anything else.
PaperNumber parse_paper_number(const std::string& text);

}  // namespace darp
