#include "darp/study/run_record.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "darp/core/file.h"
#include "darp/core/hash.h"
#include "darp/core/strict_json.h"
#include "darp/train/run_directory.h"

namespace darp {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kRecordKind = "darp study run";

Json summary_json(const Evaluation& evaluation) {
  const EvaluationSummary summary = summarize(evaluation);
  Json json{
      {"episodes", summary.returns.count},
      {"return_mean", summary.returns.mean},
      {"return_ci95", {summary.returns.mean_bootstrap.low, summary.returns.mean_bootstrap.high}}};
  if (summary.success) json["success_rate"] = summary.success->rate;
  return json;
}

std::vector<std::string> strings_of(const JsonPlace& place) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < place.size(); ++i) texts.push_back(place.item(i).text());
  return texts;
}

/// What one has and the other has not.
std::vector<std::string> only_in(std::vector<std::string> a, std::vector<std::string> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<std::string> rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
  constexpr size_t kShown = 3;
  if (rest.size() > kShown) {
    const size_t more = rest.size() - kShown;
    rest.resize(kShown);
    rest.push_back(fmt::format("{} more", more));
  }
  if (rest.empty()) rest.emplace_back("the usual settings");
  return rest;
}

}  // namespace

std::string conditions_of(const StudyEvaluation& evaluation) {
  return fmt::format("{} [{}] {} {}{}{}", evaluation.environment,
                     fmt::join(changed_settings(evaluation.settings), " "),
                     name_of(evaluation.purpose), evaluation.seeds.text(),
                     evaluation.acting.empty() ? "" : " ", evaluation.acting);
}

RunRecord record_for(const StudyRun& run, const std::string& data_hash,
                     const std::string& version) {
  RunRecord record;
  record.id = run.id;
  TrainConfig config = run.config;
  config.data.clear();
  record.settings = changed_settings(config);
  Hasher hasher;
  for (const std::string& setting : record.settings) hasher.add(setting);
  record.fingerprint = hasher.hex();
  record.data_file = std::filesystem::path(run.config.data).filename().string();
  record.data_hash = data_hash;
  record.version = version;
  record.cpu = cpu_name();
  for (const StudyEvaluation& evaluation : run.evaluations)
    record.evaluations.emplace(evaluation.name, conditions_of(evaluation));
  return record;
}

void write_record(const std::filesystem::path& file, const RunRecord& record,
                  const std::map<std::string, Evaluation>& evaluations) {
  Json json{{"kind", kRecordKind},
            {"version", 1},
            {"id", record.id},
            {"fingerprint", record.fingerprint},
            {"settings", record.settings},
            {"data_file", record.data_file},
            {"data_hash", record.data_hash},
            {"program", record.version},
            {"cpu", record.cpu},
            {"train_seconds", record.train_seconds},
            {"evaluate_seconds", record.evaluate_seconds},
            {"validation_loss", nullptr},
            {"evaluations", Json::object()}};
  if (record.validation_loss) json["validation_loss"] = *record.validation_loss;
  for (const auto& [name, conditions] : record.evaluations) {
    Json one{{"name", name}, {"conditions", conditions}};
    one.update(summary_json(evaluations.at(name)));
    json["evaluations"][name] = one;
  }
  write_file(file, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

RunRecord read_record(const std::filesystem::path& file) {
  constexpr size_t kDeep = 4, kLargest = size_t{1} << 20;
  const MappedFile mapped(file);
  if (mapped.bytes().size() > kLargest)
    throw FileError(file.string(), "is too large for a record",
                    "remove it and run the study again");
  const std::string where = file.string();
  const nlohmann::json parsed = parse_strict_json(as_text(mapped.bytes()), where, kDeep);
  const JsonPlace place(parsed, where);
  if (place.member("kind").text() != kRecordKind)
    place.fail("is no record of a study's run", "remove it and run the study again");
  RunRecord record;
  record.id = place.member("id").text();
  record.fingerprint = place.member("fingerprint").text();
  record.settings = strings_of(place.member("settings"));
  record.data_file = place.member("data_file").text();
  record.data_hash = place.member("data_hash").text();
  record.version = place.member("program").text();
  record.cpu = place.member("cpu").text();
  record.train_seconds = place.member("train_seconds").number();
  record.evaluate_seconds = place.member("evaluate_seconds").number();
  const JsonPlace loss = place.member("validation_loss");
  if (!loss.is_null()) record.validation_loss = loss.number();
  const JsonPlace evaluations = place.member("evaluations");
  for (const auto& entry : parsed.at("evaluations").items())
    record.evaluations.emplace(entry.key(),
                               evaluations.member(entry.key()).member("conditions").text());
  return record;
}

void check_record(const RunRecord& found, const RunRecord& wanted,
                  const std::filesystem::path& folder) {
  const char* remedy = "choose another folder for this study, or remove the run";
  if (found.fingerprint != wanted.fingerprint)
    throw FileError(folder.string(),
                    fmt::format("holds a run with other settings: it has {}, this has {}",
                                fmt::join(only_in(found.settings, wanted.settings), ", "),
                                fmt::join(only_in(wanted.settings, found.settings), ", ")),
                    remedy);
  if (found.data_hash != wanted.data_hash)
    throw FileError(folder.string(),
                    fmt::format("holds a run on other demonstrations ({}, hash {})",
                                printable(found.data_file), printable(found.data_hash)),
                    remedy);
  for (const auto& [name, conditions] : wanted.evaluations) {
    const auto had = found.evaluations.find(name);
    if (had != found.evaluations.end() && had->second != conditions)
      throw FileError(folder.string(),
                      fmt::format("has an evaluation '{}' of '{}', not of '{}'", name,
                                  printable(had->second), conditions),
                      remedy);
  }
}

}  // namespace darp
