#pragma once
// metrics.jsonl: one JSON object of numbers per line and epoch.
//   {"member":0,"epoch":3,"step":400,"train_loss":0.12,"learning_rate":0.001}

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "darp/core/append_file.h"

namespace darp {

struct Metric {
  std::string_view name;
  std::variant<int64_t, double> value;
};

/// One line, with its end. Numbers read back to the same bits; those that are not finite, which
/// JSON cannot say, become null.
std::string metrics_line(std::span<const Metric> metrics);

/// Not for two threads at once. Lines are with the operating system when append returns: a crash of
/// this program loses none.
class MetricsLog {
 public:
  /// Keeps the first `position` bytes of the file (0 for a new run). Throws Error as AppendFile,
  /// and when no line ends at the position.
  MetricsLog(const std::filesystem::path& path, int64_t position);

  void append(std::span<const Metric> metrics);
  /// Bytes that are on the disk, for the checkpoint (see AppendFile).
  int64_t sync() { return file_.sync(); }
  int64_t position() const { return file_.position(); }

 private:
  AppendFile file_;
};

/// The numbers of a line, in its order; what is no number is left out.
using MetricsNumbers = std::vector<std::pair<std::string, double>>;

/// What a metrics file says.
struct MetricsSummary {
  int64_t lines = 0;
  MetricsNumbers last;  // of the last line
};

/// Reads the file, also while training writes it: a last line without its end is not there yet. A
/// missing file has no lines. Throws Error, with the line's number, if the last line is no JSON
/// object.
MetricsSummary read_metrics(const std::filesystem::path& path);

/// Calls `visit` with each line's numbers. Reads as read_metrics does, but every line must be a
/// JSON object.
void visit_metrics(const std::filesystem::path& path,
                   const std::function<void(const MetricsNumbers&)>& visit);

}  // namespace darp
