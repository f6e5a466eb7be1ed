#include "darp/expert/manifest.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "darp/core/error.h"
#include "darp/core/file.h"
#include "darp/core/hash.h"
#include "darp/core/strict_json.h"
#include "darp/data/ingest/read_dataset.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

constexpr size_t kManifestDepth = 4;  // object, list of files, one, its returns
constexpr uint64_t kMostManifestBytes = uint64_t{16} << 20, kMostSteps = uint64_t{1} << 40;
constexpr auto kManifestKeys = std::to_array<std::string_view>({"kind", "version", "files"});
constexpr auto kFileKeys = std::to_array<std::string_view>(
    {"file", "environment", "environment_settings", "expert", "network_hash", "noise", "command",
     "seeds", "tried", "episodes", "steps", "return_mean", "success_rate", "bytes", "hash",
     "data_hash", "version", "returns"});

double mean_return(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

nlohmann::ordered_json entry_object(const ManifestEntry& entry) {
  return {{"file", entry.file},
          {"environment", entry.environment},
          {"environment_settings", entry.environment_settings},
          {"expert", entry.expert},
          {"network_hash", entry.network_hash},
          {"noise", entry.noise},
          {"command", entry.command},
          {"seeds", entry.seeds},
          {"tried", entry.tried},
          {"episodes", entry.episodes},
          {"steps", entry.steps},
          {"return_mean", mean_return(entry.returns)},  // for people; not read
          {"success_rate", entry.success_rate},
          {"bytes", entry.bytes},
          {"hash", entry.hash},
          {"data_hash", entry.data_hash},
          {"version", entry.version},
          {"returns", entry.returns}};
}

int64_t count_at(const JsonPlace& place) {
  return static_cast<int64_t>(place.unsigned_integer(kMostSteps));
}

ManifestEntry read_entry(const JsonPlace& place) {
  place.check_keys(kFileKeys);
  ManifestEntry entry;
  entry.file = place.member("file").text();
  entry.environment = place.member("environment").text();
  entry.environment_settings = place.member("environment_settings").text();
  entry.expert = place.member("expert").text();
  entry.network_hash = place.member("network_hash").text();
  entry.noise = place.member("noise").number();
  entry.command = place.member("command").text();
  entry.seeds = place.member("seeds").text();
  entry.tried = count_at(place.member("tried"));
  entry.episodes = count_at(place.member("episodes"));
  entry.steps = count_at(place.member("steps"));
  entry.success_rate = place.member("success_rate").number();
  entry.bytes = place.member("bytes").unsigned_integer();
  entry.hash = place.member("hash").text();
  entry.data_hash = place.member("data_hash").text();
  entry.version = place.member("version").text();
  const JsonPlace returns = place.member("returns");
  for (size_t i = 0; i < returns.size(); ++i) entry.returns.push_back(returns.item(i).number());
  if (static_cast<int64_t>(entry.returns.size()) != entry.episodes)
    returns.fail(
        fmt::format("has {} entries for {} episodes", entry.returns.size(), entry.episodes),
        "collect the file again");
  return entry;
}

/// What a file's bytes, episodes and data are.
void describe_contents(const fs::path& file, ManifestEntry& entry) {
  const DemonstrationReader reader(file);
  int64_t successes = 0;
  entry.episodes = reader.episodes();
  for (int64_t i = 0; i < reader.episodes(); ++i) {
    const EpisodeRecord record = reader.record(i);
    entry.returns.push_back(record.episode_return);
    entry.steps += record.length;
    successes += record.success;
  }
  if (entry.episodes > 0)
    entry.success_rate = static_cast<double>(successes) / static_cast<double>(entry.episodes);
  entry.data_hash = read_dataset(file).dataset.content_hash();
}

void describe_bytes(const fs::path& file, ManifestEntry& entry) {
  const MappedFile mapped(file);
  entry.bytes = mapped.bytes().size();
  entry.hash = Hasher().add(mapped.bytes()).hex();
}

void check_entry(const ManifestEntry& entry, const fs::path& manifest) {
  const fs::path file = manifest.parent_path() / entry.file;
  const auto check = [&](const auto& found, const auto& expected, std::string_view what) {
    if (found != expected)
      throw Error(file.string(),
                  fmt::format("has {} {}, {} says {}", what, found, manifest.string(), expected),
                  "make it again: " + entry.command);
  };
  ManifestEntry found;
  describe_bytes(file, found);
  check(found.bytes, entry.bytes, "size");
  check(found.hash, entry.hash, "hash");
  describe_contents(file, found);
  check(found.episodes, entry.episodes, "episodes");
  check(found.steps, entry.steps, "steps");
  check(found.returns, entry.returns, "returns");
  check(found.success_rate, entry.success_rate, "success rate");
  check(found.data_hash, entry.data_hash, "data hash");
}

}  // namespace

ManifestEntry describe_demonstrations(const fs::path& file, const fs::path& manifest,
                                      const Provenance& provenance) {
  const DemonstrationSubject& subject = provenance.subject;
  ManifestEntry entry;
  const fs::path relative = fs::absolute(file).lexically_normal().lexically_relative(
      fs::absolute(manifest).lexically_normal().parent_path());
  if (relative.empty() || *relative.begin() == "..")
    throw Error(manifest.string(), fmt::format("cannot list {}", file.string()),
                "keep the manifest in the folder of the files, or above it");
  entry.file = relative.generic_string();
  entry.environment = subject.environment;
  entry.environment_settings = fmt::format("{}", fmt::join(subject.environment_settings, " "));
  entry.expert = subject.expert;
  entry.network_hash = subject.network_hash;
  entry.noise = subject.noise;
  entry.command = provenance.command;
  entry.seeds = provenance.choice.seeds.text();
  entry.tried = provenance.tried;
  entry.version = subject.version;
  describe_bytes(file, entry);
  describe_contents(file, entry);
  return entry;
}

std::vector<ManifestEntry> read_manifest(const fs::path& path) {
  const MappedFile file(path);
  if (file.bytes().size() > kMostManifestBytes)
    throw Error(path.string(), fmt::format("has {} bytes, too many", file.bytes().size()),
                "give a manifest of darp collect");
  const std::string name = path.string();
  const nlohmann::json parsed = parse_strict_json(as_text(file.bytes()), name, kManifestDepth);
  const JsonPlace top(parsed, name);
  top.check_keys(kManifestKeys);
  if (top.member("kind").text() != "darp demonstrations" ||
      top.member("version").unsigned_integer() != 1)
    throw Error(name, "is no manifest of demonstrations that this darp knows",
                "give a manifest of darp collect");
  std::vector<ManifestEntry> entries;
  const JsonPlace files = top.member("files");
  for (size_t i = 0; i < files.size(); ++i) {
    entries.push_back(read_entry(files.item(i)));
    if (i > 0 && entries[i].file <= entries[i - 1].file)
      files.item(i).fail("is not behind the one before it by name", "sort files, each once");
  }
  return entries;
}

void write_manifest(const fs::path& path, std::vector<ManifestEntry> entries) {
  std::sort(entries.begin(), entries.end(),
            [](const ManifestEntry& a, const ManifestEntry& b) { return a.file < b.file; });
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const ManifestEntry& entry : entries) files.push_back(entry_object(entry));
  write_file(path, json_lines({{"kind", "darp demonstrations"}, {"version", 1}, {"files", files}}));
}

void update_manifest(const fs::path& path, const ManifestEntry& entry) {
  std::vector<ManifestEntry> entries;
  if (fs::exists(path)) entries = read_manifest(path);
  std::erase_if(entries, [&](const ManifestEntry& other) { return other.file == entry.file; });
  entries.push_back(entry);
  write_manifest(path, std::move(entries));
}

void check_manifest(const fs::path& path) {
  for (const ManifestEntry& entry : read_manifest(path)) check_entry(entry, path);
}

}  // namespace darp
