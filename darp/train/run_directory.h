#pragma once
// The folder of a training run:
//   config.yaml     the resolved settings; its presence makes the folder a run
//   manifest.json   what it was made from and on
//   metrics.jsonl   one line per epoch (metrics_log.h)
//   tb/             the same for TensorBoard (tensorboard.h)
//   checkpoints/    last.safetensors (checkpoint.h); best.darp, the best policy so far by
//                   validation loss; the neighbours of the training rows; corrective labels
//   policy.darp     the result
// and `.lock`, which the process that trains holds.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "darp/core/file_lock.h"

namespace darp {

/// Where things are; looks at nothing but `event_file`.
struct RunLayout {
  std::filesystem::path folder;

  std::filesystem::path config() const { return folder / "config.yaml"; }
  std::filesystem::path manifest() const { return folder / "manifest.json"; }
  std::filesystem::path metrics() const { return folder / "metrics.jsonl"; }
  std::filesystem::path tensorboard() const { return folder / "tb"; }
  std::filesystem::path checkpoints() const { return folder / "checkpoints"; }
  std::filesystem::path checkpoint() const { return checkpoints() / "last.safetensors"; }
  std::filesystem::path best_policy() const { return checkpoints() / "best.darp"; }
  std::filesystem::path policy() const { return folder / "policy.darp"; }
  std::filesystem::path lock() const { return folder / ".lock"; }
  /// The event file in tb/ that a resumed run goes on with, or a new name in it.
  std::filesystem::path event_file(int64_t unix_seconds) const;
};

/// Where a run came from.
struct RunManifest {
  std::string data_file, data_hash;
  std::vector<int64_t> seeds;
  std::string version;  // of the program
  std::string cpu;      // cpu_name()
  int64_t threads = 1;
  int64_t started = 0;  // seconds since 1970
};

/// The folder while training writes into it. As long as this lives, no other process (nor another
/// object) gets the same folder.
class RunDirectory {
 public:
  enum class Start { kNew, kResume };

  /// kNew: makes the folder, which must be new or empty. kResume: the folder must be there, with a
  /// run or nothing in it. Throws Error otherwise, and when another training has the folder.
  RunDirectory(const std::filesystem::path& folder, Start start);
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  const RunLayout& layout() const { return layout_; }
  /// Whether there is a run to go on with; otherwise write_config begins one.
  bool has_run() const;

  /// Writes config.yaml, atomically, and makes the folders inside.
  void write_config(std::string_view yaml);
  /// Writes manifest.json, atomically.
  void write_manifest(const RunManifest& manifest);

 private:
  RunLayout layout_;
  std::unique_ptr<FileLock> lock_;
};

/// The processor as the system calls it, or "unknown".
std::string cpu_name();

}  // namespace darp
