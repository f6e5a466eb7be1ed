#include "darp/study/tune/trial_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "darp/core/append_file.h"
#include "darp/core/error.h"
#include "darp/core/file.h"
#include "darp/core/make_folders.h"
#include "darp/core/strict_json.h"

namespace darp {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kJournalVersion = 2;
constexpr uint64_t kLargestNumber = uint64_t{1} << 32;  // of trials and rungs

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string subject_line(const SearchSubject& subject) {
  std::vector<std::string> space;
  for (const SearchDimension& d : subject.space.dimensions)
    space.push_back(d.path + ": " + d.text());
  return line_of(Json{{"kind", "darp search"},
                      {"version", kJournalVersion},
                      {"environment", subject.environment},
                      {"data", subject.data},
                      {"config", subject.config},
                      {"space", space},
                      {"search", subject.search}});
}

/// A part of a heading, as users know it.
std::string other_part(std::string_view key) {
  if (key == "search") return "another objective or budget";
  if (key == "data") return "other demonstrations";
  return fmt::format("another {}", key);
}

}  // namespace

TrialJournal::TrialJournal(const fs::path& folder, const SearchSubject& subject)
    : folder_(folder),
      path_(folder / "journal.jsonl"),
      dimensions_(subject.space.dimensions.size()),
      heading_(subject_line(subject)) {
  make_folders(folder_ / "claims");
  with([&](View&) {
    if (position_ == 0) append(heading_, true);
  });
}

void TrialJournal::with(const std::function<void(View&)>& work) {
  const std::lock_guard lock(mutex_);
  const FileLock file_lock = FileLock::take(folder_ / ".lock");
  read_on();
  View view(*this);
  work(view);
}

void TrialJournal::read_on() {
  if (!fs::exists(path_)) return;
  const MappedFile file(path_);
  const std::string_view text = as_text(file.bytes());
  if (text.size() < position_)
    throw Error(path_.string(), "has become shorter", "run the command again");
  for (;;) {
    // What has no end was torn by a crash, since nobody writes now; the next line replaces it.
    const size_t end = text.find('\n', position_);
    if (end == std::string_view::npos) return;
    const std::string_view line = text.substr(position_, end - position_);
    ++lines_;
    position_ == 0 ? take_heading(line) : take(line);
    position_ = end + 1;
  }
}

void TrialJournal::take_heading(std::string_view line) {
  if (line.size() + 1 == heading_.size() && heading_.starts_with(line)) return;
  const nlohmann::json theirs = parse_strict_json(line, path_.string(), 2);
  const nlohmann::json ours = nlohmann::json::parse(heading_);
  std::string differs = "something that is no search";
  if (theirs.is_object() && theirs.contains("kind") && theirs["kind"] == ours["kind"])
    for (const char* key : {"version", "environment", "data", "space", "config", "search"})
      if (!theirs.contains(key) || theirs[key] != ours[key]) {
        differs = "a search with " + other_part(key);
        break;
      }
  throw Error(path_.string(), "holds " + differs,
              "go on with the command that it is from, or choose another folder (--out)");
}

void TrialJournal::take(std::string_view line) {
  const std::string where = fmt::format("{}: line {}", path_.string(), lines_);
  const nlohmann::json parsed = parse_strict_json(line, where, 2);
  const JsonPlace place(parsed, where);
  TrialRun run;
  run.trial = static_cast<int64_t>(place.member("trial").unsigned_integer(kLargestNumber));
  run.rung = static_cast<int64_t>(place.member("rung").unsigned_integer(kLargestNumber));
  const auto same = std::find_if(runs_.begin(), runs_.end(), [&](const TrialRun& other) {
    return other.trial == run.trial && other.rung == run.rung;
  });
  const std::string event = place.member("event").text();
  const std::string_view remedy = "choose another folder (--out)";
  if (event == "begin") {
    const JsonPlace values = place.member("values");
    for (size_t i = 0; i < values.size(); ++i) run.point.push_back(values.item(i).number());
    if (run.point.size() != dimensions_ || same != runs_.end())
      place.fail("is no training that begins here", remedy);
    runs_.push_back(std::move(run));
    return;
  }
  if (event != "end" || same == runs_.end() || same->ended)
    place.fail("is no end of a training that has begun", remedy);
  same->ended = true;
  if (parsed.contains("problem")) same->problem = place.member("problem").text();
  same->score = same->problem.empty() ? place.member("score").number()
                                      : -std::numeric_limits<double>::infinity();
  ended_.push_back(static_cast<size_t>(same - runs_.begin()));
}

void TrialJournal::append(const std::string& line, bool lasting) {
  AppendFile file(path_, static_cast<int64_t>(position_));
  file.append(as_byte_span(line));
  if (lasting) file.sync();
  read_on();
}

fs::path TrialJournal::claim_path(const TrialRun& run) const {
  return folder_ / "claims" / fmt::format("trial-{}-rung-{}", run.trial, run.rung);
}

std::optional<FileLock> TrialJournal::View::claim(const TrialRun& run) const {
  return FileLock::try_take(journal_.claim_path(run));
}

void TrialJournal::View::begin(const TrialRun& run) {
  const Json json{
      {"event", "begin"}, {"trial", run.trial}, {"rung", run.rung}, {"values", run.point}};
  journal_.append(line_of(json), true);
}

void TrialJournal::View::end(const TrialRun& run) {
  Json json{{"event", "end"}, {"trial", run.trial}, {"rung", run.rung}};
  run.problem.empty() ? json["score"] = run.score : json["problem"] = run.problem;
  journal_.append(line_of(json), false);
  // Nobody claims what has ended, so the file is of no more use.
  std::error_code ignored;
  fs::remove(journal_.claim_path(run), ignored);
}

}  // namespace darp
