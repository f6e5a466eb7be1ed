#include "darp/report/report_inputs.h"

#include <fmt/ranges.h>

#include <limits>
#include <map>
#include <set>

#include "darp/core/file.h"
#include "darp/core/hash.h"
#include "darp/core/strict_json.h"
#include "darp/eval/evaluation_file.h"
#include "darp/exhibit/exhibit_file.h"
#include "darp/train/run_directory.h"
#include "darp/train/run_report.h"
#include "darp/train/train_config.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostMembers = 10'000, kMostLines = 10'000'000;

double value_of(const MetricsNumbers& numbers, std::string_view name) {
  for (const auto& [key, value] : numbers)
    if (key == name) return value;
  return std::numeric_limits<double>::quiet_NaN();
}

void read_curves(const fs::path& file, RunInput& run) {
  std::map<int64_t, LearningCurve> by_member;
  int64_t lines = 0;
  visit_metrics(file, [&](const MetricsNumbers& numbers) {
    const double member = value_of(numbers, "member"), seconds = value_of(numbers, "seconds");
    const std::string where = fmt::format("{}:{}", file.string(), ++lines);
    if (!(member >= 0 && member < kMostMembers))
      throw Error(where, "has no 'member', or one that no policy has",
                  "the file is damaged: train again, or cut it before this line");
    if (lines > kMostLines)
      throw Error(where, "is more than a training writes", "the file is damaged: train again");
    LearningCurve& curve = by_member[static_cast<int64_t>(member)];
    curve.member = static_cast<int64_t>(member);
    curve.epoch.push_back(value_of(numbers, "epoch"));
    curve.train_loss.push_back(value_of(numbers, "train_loss"));
    curve.validation_loss.push_back(value_of(numbers, "validation_loss"));
    if (seconds > 0) run.seconds += seconds;
  });
  for (auto& [member, curve] : by_member) run.curves.push_back(std::move(curve));
}

/// Text as it is, other values as JSON; empty where there is none.
std::string manifest_text(const nlohmann::json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return "";
  const nlohmann::json& value = object.at(key);
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::vector<std::string> items;
  for (const auto& item : value) items.push_back(item.dump());
  return fmt::format("{}", fmt::join(items, ", "));
}

void read_manifest(const std::string& text, const fs::path& file, RunInput& run) {
  if (text.empty()) return;
  const nlohmann::json manifest = parse_strict_json(text, file.string(), 4);
  if (manifest.is_object() && manifest.contains("data")) {
    run.data_file = manifest_text(manifest.at("data"), "file");
    run.data_hash = manifest_text(manifest.at("data"), "hash");
  }
  run.seeds = manifest_text(manifest, "seeds");
  run.version = manifest_text(manifest, "version");
  run.cpu = manifest_text(manifest, "cpu");
  run.threads = manifest_text(manifest, "threads");
}

RunInput read_run_input(const fs::path& folder) {
  const RunLayout layout{folder};
  const RunReport report = read_run(folder);
  RunInput run;
  run.folder = folder;
  run.config = report.config;
  TrainConfig config;
  read_yaml(report.config, layout.config().string(), config);
  config.data.clear();  // told by the manifest
  run.kind = config.policy.kind_name();
  run.changed = changed_settings(config);
  read_manifest(report.manifest, layout.manifest(), run);
  read_curves(layout.metrics(), run);
  if (report.has_policy) run.policy_hash = Hasher().add(MappedFile(layout.policy()).bytes()).hex();
  return run;
}

constexpr std::string_view kGiveInputs =
    "give folders of darp study, run directories of darp train and files of darp eval --json";

/// A study's folder has the file, and runs below it; a file says what it is on its first lines.
bool is_study(const fs::path& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) return fs::exists(path / kExhibitFile, failure);
  if (path.filename() == kExhibitFile) return true;
  const MappedFile file(path);
  return as_text(file.bytes()).substr(0, 100).find("\"darp exhibits\"") != std::string_view::npos;
}

StudyInput read_study_input(const InputPath& input) {
  std::error_code failure;
  const bool is_folder = fs::is_directory(input.path, failure);
  StudyInput study{is_folder ? input.path : input.path.parent_path(), read_exhibits(input.path)};
  if (!input.label.empty()) study.set.title = input.label;
  return study;
}

/// Data and policies are easily given by mistake: they are not damaged evaluations.
void check_looks_like_json(const fs::path& path) {
  const MappedFile file(path);
  const std::string_view text = as_text(file.bytes());
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{')
    throw Error(path.string(), "is neither a study, a run nor an evaluation", kGiveInputs);
}

/// The last part of a path that is a name: of "runs/a/" it is "a", of "." the folder's own.
fs::path named(const fs::path& path) {
  std::error_code failure;
  fs::path whole = fs::absolute(path, failure).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  return whole;
}

template <class Input>
std::string default_label(const Input& input, bool with_folder) {
  if constexpr (std::is_same_v<Input, RunInput>) {
    const fs::path whole = named(input.folder);
    return with_folder ? (whole.parent_path().filename() / whole.filename()).string()
                       : whole.filename().string();
  } else {
    const fs::path whole = named(input.file);
    return with_folder ? (whole.parent_path().filename() / whole.stem()).string()
                       : whole.stem().string();
  }
}

/// Labels differ within it: of runs all, of evaluations those in one environment.
std::string label_scope(const RunInput&) {
  return "";
}
std::string label_scope(const EvaluationInput& input) {
  return environment_title(input.evaluations[0].subject);
}

/// Gives those without a label one of their own.
template <class Input>
void label_inputs(std::vector<Input>& inputs, const std::vector<std::string>& given) {
  const auto plain = [&](size_t i) {
    return given[i].empty() ? default_label(inputs[i], false) : given[i];
  };
  std::map<std::pair<std::string, std::string>, int> count;
  for (size_t i = 0; i < inputs.size(); ++i) ++count[{label_scope(inputs[i]), plain(i)}];
  std::set<std::pair<std::string, std::string>> seen;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Input& input = inputs[i];
    const std::string scope = label_scope(input);
    const bool shared = given[i].empty() && count[{scope, plain(i)}] > 1;
    input.label = shared ? default_label(input, true) : plain(i);
    if (!seen.insert({scope, input.label}).second)
      throw Error("darp report", fmt::format("two inputs are called '{}'", input.label),
                  "give each a name of its own: --label NAME=INPUT");
  }
}

/// The same label has the same style everywhere, and so have a run and the evaluation of its
/// policy.
void choose_styles(ReportInputs& inputs) {
  std::map<std::string, int> by_label;
  std::map<std::string, int> by_policy;
  const auto style_of = [&](const std::string& label) {
    return by_label.emplace(label, static_cast<int>(by_label.size())).first->second;
  };
  for (EvaluationInput& input : inputs.evaluations) {
    input.style = style_of(input.label);
    for (const Evaluation& evaluation : input.evaluations)
      by_policy.emplace(evaluation.subject.policy_hash, input.style);
  }
  for (RunInput& run : inputs.runs) {
    const auto found = by_policy.find(run.policy_hash);
    run.style = found != by_policy.end() && !by_label.contains(run.label) ? found->second
                                                                          : style_of(run.label);
  }
}

}  // namespace

std::string environment_title(const EvaluationSubject& subject) {
  return subject.environment_settings.empty()
             ? subject.environment
             : fmt::format("{} with {}", subject.environment, subject.environment_settings);
}

ReportInputs read_report_inputs(const std::vector<InputPath>& paths) {
  ReportInputs inputs;
  std::vector<std::string> run_labels, evaluation_labels;
  for (const InputPath& input : paths) {
    std::error_code failure;
    const auto kind = fs::status(input.path, failure).type();
    if (kind == fs::file_type::not_found)
      throw Error(input.path.string(), "does not exist", kGiveInputs);
    if (is_study(input.path)) {
      inputs.studies.push_back(read_study_input(input));
    } else if (kind == fs::file_type::directory) {
      inputs.runs.push_back(read_run_input(input.path));
      run_labels.push_back(input.label);
    } else {
      check_looks_like_json(input.path);
      inputs.evaluations.push_back({"", input.path, 0, read_evaluations(input.path)});
      evaluation_labels.push_back(input.label);
    }
  }
  label_inputs(inputs.runs, run_labels);
  label_inputs(inputs.evaluations, evaluation_labels);
  choose_styles(inputs);
  return inputs;
}

}  // namespace darp
