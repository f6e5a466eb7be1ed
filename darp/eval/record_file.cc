#include "darp/eval/record_file.h"

#include <algorithm>
#include <set>

#include "darp/core/error.h"
#include "darp/core/file.h"
#include "darp/core/strict_json.h"

namespace darp {
namespace {

using Json = nlohmann::ordered_json;  // keys in the order in which they are written

constexpr int kRecordVersion = 1;
constexpr uint64_t kLongestEpisode = uint64_t{1} << 40;  // steps

std::string heading_line(const EvaluationSubject& subject) {
  return Json{{"kind", "darp episodes"},
              {"version", kRecordVersion},
              {"env", subject.environment},
              {"env_settings", subject.environment_settings},
              {"policy_hash", subject.policy_hash},
              {"executor", subject.executor},
              {"purpose", name_of(subject.purpose)},
              {"seeds", subject.seeds.text()}}
             .dump(-1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

std::string record_line(const EpisodeRecord& record) {
  Json json{{"seed", record.seed},        {"return", record.episode_return},
            {"length", record.length},    {"success", record.success},
            {"end", name_of(record.end)}, {"worst_novelty", record.worst_novelty}};
  if (!record.problem.empty()) json["problem"] = record.problem;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

EpisodeRecord parse_record(std::string_view line, const std::string& where) {
  constexpr std::string_view kKeys[] = {"seed", "return",        "length", "success",
                                        "end",  "worst_novelty", "problem"};
  const nlohmann::json parsed = parse_strict_json(line, where, 1);
  const JsonPlace place(parsed, where);
  place.check_keys(kKeys);
  EpisodeRecord record;
  record.seed = place.member("seed").unsigned_integer();
  record.episode_return = place.member("return").number();
  record.length = static_cast<int64_t>(place.member("length").unsigned_integer(kLongestEpisode));
  record.success = place.member("success").boolean();
  record.end = episode_end_named(place.member("end").text());
  record.worst_novelty = static_cast<float>(place.member("worst_novelty").number());
  if (parsed.contains("problem")) record.problem = place.member("problem").text();
  return record;
}

}  // namespace

bool RecordFile::belongs_to(const EvaluationSubject& subject, const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return true;
  const MappedFile file(path);
  const std::string_view text = as_text(file.bytes());
  const std::string heading = heading_line(subject);
  return text.starts_with(heading) || heading.starts_with(text);
}

RecordFile::RecordFile(const std::filesystem::path& path, const EvaluationSubject& subject)
    : path_(path),
      heading_(heading_line(subject)),
      lock_(FileLock::of(path, "another evaluation writes into it")) {
  size_t position = 0;
  if (std::filesystem::exists(path)) {
    const MappedFile file(path);
    const std::string_view text = as_text(file.bytes());
    if (text.starts_with(heading_)) {
      position = heading_.size();
      std::set<uint64_t> seen;
      for (int64_t line = 2;; ++line) {
        const size_t end = text.find('\n', position);
        if (end == std::string_view::npos) break;  // whole, or torn by a crash
        EpisodeRecord record = parse_record(text.substr(position, end - position),
                                            fmt::format("{}: line {}", path.string(), line));
        if (record.seed < subject.seeds.first || record.seed > subject.seeds.last ||
            !seen.insert(record.seed).second)
          throw FileError(path.string(),
                          fmt::format("line {}: seed {} does not belong there", line, record.seed),
                          "delete the file and evaluate again");
        records_.push_back(std::move(record));
        position = end + 1;
      }
    } else if (text.find('\n') != std::string_view::npos || !heading_.starts_with(text)) {
      throw FileError(path.string(),
                      "holds something else than episodes of this evaluation (policy, environment, "
                      "settings or seeds differ)",
                      "give another file, or delete this one");
    }
  }
  file_ = std::make_unique<AppendFile>(path, static_cast<int64_t>(position));
  if (position == 0) file_->append(as_byte_span(heading_));
}

void RecordFile::append(const EpisodeRecord& record) {
  file_->append(as_byte_span(record_line(record)));
  records_.push_back(record);
}

void RecordFile::finish() {
  std::sort(records_.begin(), records_.end(),
            [](const EpisodeRecord& a, const EpisodeRecord& b) { return a.seed < b.seed; });
  std::string text = heading_;
  for (const EpisodeRecord& record : records_) text += record_line(record);
  write_file(path_, text);
  file_ = std::make_unique<AppendFile>(path_, static_cast<int64_t>(text.size()));
}

}  // namespace darp
