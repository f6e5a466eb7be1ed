#pragma once
// `darp study`: from a declaration to runs to exhibits.

#include "darp/exhibit/exhibit.h"
#include "darp/study/study_run.h"
#include "darp/study/study_spec.h"

namespace darp {

/// Where declarations and demonstrations are.
struct StudyPlaces {
  std::filesystem::path studies = "studies";  // NAME.yaml, tasks/, spaces/
  std::filesystem::path root = ".";           // that configs/ and demos/ of tasks are relative to
  std::filesystem::path demos = {};           // the paper's demonstrations; empty: the bundled ones
};

/// By name, sorted. Throws Error for files that are no studies.
std::vector<StudySpec> list_studies(const StudyPlaces& places);
/// One of them, or that of a file (NAME.yaml). Throws Error that names the nearest.
StudySpec find_study(const std::string& name, const StudyPlaces& places);
/// With the changes of its `quick` applied: seconds instead of hours.
StudySpec quick_version(StudySpec spec);

/// What a kind of study works with.
struct StudyContext {
  const StudyPlaces& places;
  const StudyOptions& options;
};

/// Does all that is missing and says what came out; nothing if stopped. The folder belongs to one
/// study: another in the same folder is refused, and so is a run that was done with other settings;
/// more seeds, tasks and methods join what is there.
std::optional<ExhibitSet> do_study(const StudySpec& spec, const StudyContext& context);
/// Lists the runs of the study's first stage in options.planned; leaves the folder alone.
void plan_study(const StudySpec& spec, const StudyContext& context);
/// How many trainings a study has, about: halved searches have more short ones.
int64_t planned_runs(const StudySpec& spec, const StudyPlaces& places);

/// One function for each kind of study; study.cc has the table.
std::optional<ExhibitSet> table_study(const StudySpec& spec, const StudyContext& context);
std::optional<ExhibitSet> sweep_study(const StudySpec& spec, const StudyContext& context);
std::optional<ExhibitSet> runtime_study(const StudySpec& spec, const StudyContext& context);
std::optional<ExhibitSet> divergence_study(const StudySpec& spec, const StudyContext& context);
std::optional<ExhibitSet> forking_study(const StudySpec& spec, const StudyContext& context);
std::optional<ExhibitSet> spectral_study(const StudySpec& spec, const StudyContext& context);
std::optional<ExhibitSet> smoothness_study(const StudySpec& spec, const StudyContext& context);

/// What kinds of studies build their runs from. A task's declaration, and its demonstrations' path:
/// the paper's where places.demos is given and there are any, else the bundled ones.
TaskSpec find_task(const std::string& name, const StudyPlaces& places);
std::filesystem::path demonstrations_of(const TaskSpec& task, const StudyPlaces& places);
/// A method's config on a task (parse_method), settings of task, method and study applied in this
/// order (seed: of training). Of
/// their `set`, "a.b=c" is for every run, "?a.b=c" for policies that have such a setting, "env.a=c"
/// for the environment.
TrainConfig method_config(const StudySpec& spec, const TaskSpec& task, const std::string& method,
                          int64_t seed, const StudyPlaces& places);
/// configs/recipe/<method>.yaml, which need not be there.
std::filesystem::path recipe_of(const std::string& method, const StudyPlaces& places);
/// The same from another file than the method's.
TrainConfig config_from(const std::filesystem::path& file, const StudySpec& spec,
                        const TaskSpec& task, const std::string& method, int64_t seed,
                        const StudyPlaces& places);
/// Throws Error for a "?a.b=c" that none of the tasks' configs has: a slip of the pen.
void check_optional_settings(const StudySpec& spec, const StudyPlaces& places);
/// The task's environment under those settings.
EnvironmentSettings environment_settings(const StudySpec& spec, const TaskSpec& task);
/// spec.episodes on report seeds, named "report".
StudyEvaluation report_evaluation(const StudySpec& spec, const TaskSpec& task);

}  // namespace darp
