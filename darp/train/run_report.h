#pragma once
// What `darp info RUN` tells about the folder of a run.

#include <filesystem>
#include <string>

#include "darp/train/metrics_log.h"

namespace darp {

struct RunReport {
  std::string config, manifest;  // the files' text as it is: make it printable before showing it
  MetricsSummary metrics;        // a line per epoch
  bool has_checkpoint = false, has_policy = false;
};

/// Whether this is a folder with a config.yaml in it.
bool is_run_directory(const std::filesystem::path& folder);

/// Reads a run, also while it is being trained. What was not written yet is empty. Throws Error for
/// a folder that is no run and for files that are damaged or absurdly large.
RunReport read_run(const std::filesystem::path& folder);

}  // namespace darp
