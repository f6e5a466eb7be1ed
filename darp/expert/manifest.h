#pragma once
// What demonstration files a folder has, how they were made, and what must be in them: JSON, one
// entry for each file (docs/collecting.md).

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "darp/expert/demonstration_file.h"

namespace darp {

struct ManifestEntry {
  std::string file;  // its path from the manifest's folder, with /
  std::string environment, environment_settings, expert, network_hash;
  double noise = 0;
  std::string command;  // that makes it again
  std::string seeds;    // the range that was searched, "1000000..1000099"
  int64_t tried = 0, episodes = 0, steps = 0;
  std::vector<double> returns;  // by episode
  double success_rate = 0;      // of the episodes; 0 where the environment has none
  uint64_t bytes = 0;
  std::string hash;       // of the file's bytes
  std::string data_hash;  // of what is learned from it, as darp info prints it
  std::string version;    // of the program

  bool operator==(const ManifestEntry&) const = default;
};

/// The entry for a file that was just written, which it reads again. Throws Error when that is not
/// below the manifest's folder.
ManifestEntry describe_demonstrations(const std::filesystem::path& file,
                                      const std::filesystem::path& manifest,
                                      const Provenance& provenance);

/// By file name. Throws Error for anything that write_manifest() does not give.
std::vector<ManifestEntry> read_manifest(const std::filesystem::path& path);
/// Atomic; the same entries in any order give the same bytes.
void write_manifest(const std::filesystem::path& path, std::vector<ManifestEntry> entries);
/// Adds the entry, or replaces the one of the same file; the manifest may be missing.
void update_manifest(const std::filesystem::path& path, const ManifestEntry& entry);

/// Throws Error unless every file is there with the size, hash, episodes, steps and returns that
/// the manifest says. Files are opened only if their hash is right.
void check_manifest(const std::filesystem::path& path);

}  // namespace darp
