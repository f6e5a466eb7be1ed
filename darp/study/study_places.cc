// Where declarations, configs and demonstrations are found, and what a study makes of them.

#include <algorithm>

#include "darp/core/has_field.h"
#include "darp/core/suggest.h"
#include "darp/study/study.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

/// Names of a folder's YAML files, sorted.
std::vector<std::string> declared_names(const fs::path& folder) {
  std::error_code failure;
  std::vector<std::string> names;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure))
    if (at->path().extension() == ".yaml") names.push_back(at->path().stem().string());
  if (failure)
    throw Error(folder.string(), "cannot be read: " + failure.message(),
                "run darp in the project's folder, or say where it is");
  std::sort(names.begin(), names.end());
  return names;
}

/// folder/NAME.yaml. Throws Error that lists the names there are.
fs::path declared_file(const fs::path& folder, const std::string& name, std::string_view what) {
  const fs::path file = folder / (name + ".yaml");
  if (name.find('/') != std::string::npos || !fs::is_regular_file(file))
    throw Error(folder.string(), fmt::format("has no {} '{}'", what, printable(name)),
                suggestion(name, declared_names(folder)));
  return file;
}

StudySpec read_study(const fs::path& file) {
  StudySpec spec;
  read_yaml_file(file, spec);
  spec.name = file.stem().string();
  if (!is_exhibit_name(spec.name))
    throw Error(file.string(), "its name is none for a study", "use a-z, 0-9, '-' and '_'");
  return spec;
}

constexpr std::string_view kEnvironment = "env.", kWhereThere = "?";

void apply_settings(const std::vector<std::string>& settings, TrainConfig& config) {
  for (const std::string_view setting : settings) {
    if (setting.starts_with(kEnvironment)) continue;
    if (!setting.starts_with(kWhereThere)) {
      apply_override(setting, config, "set");
      continue;
    }
    const std::string_view assignment = setting.substr(kWhereThere.size());
    if (has_field(config, assignment.substr(0, assignment.find('='))))
      apply_override(assignment, config, "set");
  }
}

void apply_environment(const std::vector<std::string>& settings, EnvironmentSettings& environment) {
  for (const std::string_view setting : settings)
    if (setting.starts_with(kEnvironment))
      apply_override(setting.substr(kEnvironment.size()), environment, "set env.");
}

}  // namespace

std::vector<StudySpec> list_studies(const StudyPlaces& places) {
  std::vector<StudySpec> specs;
  for (const std::string& name : declared_names(places.studies))
    specs.push_back(read_study(places.studies / (name + ".yaml")));
  return specs;
}

StudySpec find_study(const std::string& name, const StudyPlaces& places) {
  if (name.ends_with(".yaml")) return read_study(name);
  return read_study(declared_file(places.studies, name, "study"));
}

StudySpec quick_version(StudySpec spec) {
  const std::vector<std::string> changes = spec.quick;
  for (const std::string& change : changes)
    apply_override(change, spec, fmt::format("{}: quick", spec.name));
  return spec;
}

TaskSpec find_task(const std::string& name, const StudyPlaces& places) {
  TaskSpec task;
  read_yaml_file(declared_file(places.studies / "tasks", name, "task"), task);
  task.name = name;
  return task;
}

fs::path demonstrations_of(const TaskSpec& task, const StudyPlaces& places) {
  if (!places.demos.empty() && !task.demonstrations.empty()) {
    const fs::path file = places.demos / task.demonstrations;
    if (!fs::exists(file))
      throw Error(file.string(), fmt::format("is not there: the demonstrations of {}", task.name),
                  "check --demos, or leave it out to use the bundled demonstrations");
    return file;
  }
  if (task.bundled.empty())
    throw Error(task.name, "has no demonstrations that come with this project",
                "give the paper's with --demos DIR");
  return places.root / task.bundled;
}

TrainConfig config_from(const fs::path& file, const StudySpec& spec, const TaskSpec& task,
                        const std::string& method, int64_t seed, const StudyPlaces& places) {
  TrainConfig config = read_train_config(file);
  config.data = demonstrations_of(task, places).string();
  config.train.seed = seed;
  apply_settings(task.set, config);
  apply_settings(parse_method(method).set, config);
  apply_settings(spec.set, config);
  config.policy.check();
  config.train.check(config.policy);
  return config;
}

TrainConfig method_config(const StudySpec& spec, const TaskSpec& task, const std::string& method,
                          int64_t seed, const StudyPlaces& places) {
  const StudyMethod parsed = parse_method(method);
  return config_from(declared_file(places.root / task.configs, parsed.config, "method"), spec, task,
                     method, seed, places);
}

fs::path recipe_of(const std::string& method, const StudyPlaces& places) {
  return places.root / "configs" / "recipe" / (parse_method(method).config + ".yaml");
}

void check_optional_settings(const StudySpec& spec, const StudyPlaces& places) {
  for (const std::string_view setting : spec.set) {
    if (!setting.starts_with(kWhereThere)) continue;
    const std::string_view path = setting.substr(1, setting.find('=') - 1);
    bool known = spec.tasks.empty();
    for (const std::string& task : spec.tasks) {
      const fs::path folder = places.root / find_task(task, places).configs;
      for (const std::string& method : declared_names(folder))
        known = known || has_field(read_train_config(folder / (method + ".yaml")), path);
    }
    if (!known)
      throw Error(spec.name, fmt::format("no method has the setting '{}'", printable(path)),
                  "check its spelling");
  }
}

EnvironmentSettings environment_settings(const StudySpec& spec, const TaskSpec& task) {
  EnvironmentSettings settings;
  apply_environment(task.set, settings);
  apply_environment(spec.set, settings);
  return settings;
}

StudyEvaluation report_evaluation(const StudySpec& spec, const TaskSpec& task) {
  StudyEvaluation evaluation;
  evaluation.environment = task.environment;
  evaluation.settings = environment_settings(spec, task);
  evaluation.seeds = default_seeds(SeedPurpose::kReport, spec.episodes);
  return evaluation;
}

}  // namespace darp
