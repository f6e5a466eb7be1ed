#include "darp/train/run_directory.h"

#include <fmt/chrono.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "darp/core/file.h"
#include "darp/core/make_folders.h"
#include "darp/train/tensorboard.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

/// What is in a folder, sorted; nothing if there is no such folder.
std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure))
    found.push_back(at->path());
  if (failure && failure != std::errc::no_such_file_or_directory)
    throw FileError(folder.string(), "cannot be read: " + failure.message(),
                    "check the path and its permissions");
  std::sort(found.begin(), found.end());
  return found;
}

/// What a run that was killed before it wrote its config leaves: the lock, and config.yaml under a
/// temporary name (core/file.h).
bool is_beginning(const RunLayout& layout, const fs::path& path) {
  return path == layout.lock() || path.filename().string().starts_with(".config.yaml.");
}

/// Refuses a folder that this start must not touch. A run's mere beginning is nothing.
void check_contents(const RunLayout& layout, RunDirectory::Start start) {
  const auto found = entries(layout.folder);
  const bool empty = std::all_of(found.begin(), found.end(),
                                 [&](const auto& p) { return is_beginning(layout, p); });
  const bool resume = start == RunDirectory::Start::kResume;
  std::error_code failure;
  if (resume && !fs::exists(layout.folder, failure))
    throw FileError(layout.folder.string(), "does not exist: there is nothing to resume",
                    "check --out, or leave out --resume to start a new run");
  if (!resume && !empty)
    throw FileError(layout.folder.string(), "is not empty",
                    "choose another --out, or add --resume to go on with the run in it");
  if (resume && !empty && !fs::exists(layout.config(), failure))
    throw FileError(layout.folder.string(), "has files in it but no config.yaml: it is no run",
                    "check --out");
}

FileLock lock_of(const RunLayout& layout) {
  if (auto lock = FileLock::try_take(layout.lock())) return std::move(*lock);
  throw FileError(layout.folder.string(), "is in use: another training writes into it",
                  "wait for its end, or choose another --out");
}

}  // namespace

fs::path RunLayout::event_file(int64_t unix_seconds) const {
  for (const fs::path& path : entries(tensorboard()))
    if (path.filename().string().find("tfevents") != std::string::npos) return path;
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {"unknown"};
  return tensorboard() / event_file_name(unix_seconds, host.data());
}

RunDirectory::RunDirectory(const fs::path& folder, Start start) : layout_{folder} {
  // Before anything is written into a folder that may be somebody's home, and again when no other
  // training can come between.
  check_contents(layout_, start);
  make_folders(folder);
  lock_ = std::make_unique<FileLock>(lock_of(layout_));
  check_contents(layout_, start);
  if (has_run())
    for (const fs::path& inner : {layout_.tensorboard(), layout_.checkpoints()})
      make_folders(inner);
}

bool RunDirectory::has_run() const {
  std::error_code failure;
  return fs::exists(layout_.config(), failure);
}

void RunDirectory::write_config(std::string_view yaml) {
  write_file(layout_.config(), yaml);
  for (const fs::path& inner : {layout_.tensorboard(), layout_.checkpoints()}) make_folders(inner);
}

void RunDirectory::write_manifest(const RunManifest& manifest) {
  const nlohmann::ordered_json json = {
      {"data", {{"file", manifest.data_file}, {"hash", manifest.data_hash}}},
      {"seeds", manifest.seeds},
      {"version", manifest.version},
      {"cpu", manifest.cpu},
      {"threads", manifest.threads},
      {"started", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                              fmt::gmtime(static_cast<std::time_t>(manifest.started)))}};
  // Paths need not be UTF-8, JSON must be.
  write_file(layout_.manifest(),
             json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

std::string cpu_name() {
  std::ifstream cpu("/proc/cpuinfo");
  for (std::string line; std::getline(cpu, line);)
    if (const size_t colon = line.find(": ");
        line.starts_with("model name") && colon != std::string::npos)
      return line.substr(colon + 2);
  return "unknown";
}

}  // namespace darp
