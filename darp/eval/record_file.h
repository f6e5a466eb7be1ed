#pragma once
// Episodes as they end, in a file that an interrupted evaluation goes on from: one line of JSON
// that says what is evaluated, then one per episode (docs/formats/evaluation.md).

#include <filesystem>
#include <memory>
#include <vector>

#include "darp/core/append_file.h"
#include "darp/core/file_lock.h"
#include "darp/eval/evaluation.h"

namespace darp {

/// Not for two threads at once, nor for two writers of one file.
class RecordFile {
 public:
  /// Opens or creates it. Episodes that are in it already are in records(); a torn last line is cut
  /// off. Throws Error if the file holds another evaluation, or none, and while another process is
  /// at it.
  RecordFile(const std::filesystem::path& path, const EvaluationSubject& subject);

  /// Whether the file has episodes of this evaluation, or nothing yet.
  static bool belongs_to(const EvaluationSubject& subject, const std::filesystem::path& path);

  /// Those in the file, in its order.
  const std::vector<EpisodeRecord>& records() const { return records_; }

  /// Throws Error when it cannot be written.
  void append(const EpisodeRecord& record);

  /// All seeds are done: writes the file anew with episodes by seed, so that the same evaluation
  /// gives the same bytes however many threads it had and however often it was interrupted.
  void finish();

 private:
  std::filesystem::path path_;
  std::string heading_;
  FileLock lock_;
  std::vector<EpisodeRecord> records_;
  std::unique_ptr<AppendFile> file_;
};

}  // namespace darp
