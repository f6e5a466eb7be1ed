#include "darp/train/run_report.h"

#include "darp/core/file.h"
#include "darp/train/run_directory.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLargestText = 1 << 20;

bool is_file(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path, failure);
}

std::string text_of(const fs::path& path) {
  const MappedFile file(path);
  if (file.bytes().size() > kLargestText)
    throw Error(path.string(), fmt::format("has {} bytes, more than 1 MiB", file.bytes().size()),
                "it was not written by darp: remove it");
  return std::string(as_text(file.bytes()));
}

}  // namespace

bool is_run_directory(const fs::path& folder) {
  return is_file(RunLayout{folder}.config());
}

RunReport read_run(const fs::path& folder) {
  const RunLayout layout{folder};
  if (!is_run_directory(folder))
    throw Error(folder.string(), "has no config.yaml: it is no run",
                "give the folder that darp train made");
  RunReport report;
  report.config = text_of(layout.config());
  if (is_file(layout.manifest())) report.manifest = text_of(layout.manifest());
  report.metrics = read_metrics(layout.metrics());
  report.has_checkpoint = is_file(layout.checkpoint());
  report.has_policy = is_file(layout.policy());
  return report;
}

}  // namespace darp
