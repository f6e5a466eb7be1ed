#pragma once
// Episodes of a collection as they end, beside the file that they are for: a collection that was
// interrupted goes on from them.

#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "darp/core/append_file.h"
#include "darp/core/file_lock.h"
#include "darp/expert/demonstration_file.h"

namespace darp {

/// A line of JSON that says what is demonstrated, then a record with a checksum for each episode,
/// whether it will be kept or not: other filters and more seeds go on from it too. Not for two
/// threads at once, nor for two writers of one file.
class CollectionJournal {
 public:
  /// "F.hdf5.partial" for F.hdf5.
  static std::filesystem::path path_for(const std::filesystem::path& out);

  /// Opens or creates it. What is torn or damaged is cut off with all behind it: those episodes are
  /// made again. Throws Error if the file holds something else.
  CollectionJournal(const std::filesystem::path& path, const DemonstrationSubject& subject,
                    const EnvironmentInfo& info);

  /// Those in the file when it was opened, in its order; without `seconds`.
  const std::vector<EpisodeRecord>& records() const { return records_; }

  /// Throws Error when it cannot be written.
  void append(const Demonstration& demonstration);
  /// Throws Error when the file is not what it was. The seed is in it.
  Demonstration read(uint64_t seed) const;
  /// Deletes the file; nothing can be done after this.
  void remove();

 private:
  struct Place {
    size_t begin, size;
  };

  void scan(Bytes bytes);
  Demonstration decode(Bytes payload) const;

  std::filesystem::path path_;
  std::string heading_;
  size_t observation_dim_, action_dim_;
  FileLock lock_;
  std::vector<EpisodeRecord> records_;
  std::map<uint64_t, Place> places_;  // of payloads
  size_t position_ = 0;
  std::unique_ptr<AppendFile> file_;
};

}  // namespace darp
