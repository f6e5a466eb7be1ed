#pragma once
// Demonstrations as robomimic HDF5, with what it takes to make them again and to go back to any of
// their states (docs/formats/robomimic.md).

#include <filesystem>
#include <string>
#include <vector>

#include "darp/data/ingest/hdf5.h"
#include "darp/data/ingest/hdf5_output.h"
#include "darp/expert/collector.h"

namespace darp {

/// What decides an episode, apart from its seed.
struct DemonstrationSubject {
  std::string environment;
  std::vector<std::string> environment_settings;  // those that are not the usual ones: "a.b=c"
  std::string expert;
  std::string network_hash;  // of the expert's network file; empty without one
  double noise = 0;
  std::string version;  // of the program
};

/// Where a file's episodes come from.
struct Provenance {
  DemonstrationSubject subject;
  EpisodeChoice choice;
  int64_t tried = 0;    // episodes, from the first seed on
  std::string command;  // that makes the file again
};

/// What is kept of states: all where they have one length, or none but the first.
enum class StoredStates { kEvery, kFirst };

/// The name of the observations in files: that of robomimic for environments of Gym.
inline constexpr std::string_view kDemonstrationKey = "flat";

/// Writes a file, episode by episode. Atomic: without finish() the old file stays. Nothing is
/// time-stamped: the same episodes and provenance, the same bytes. Not for two threads at once, nor
/// while another thread uses HDF5.
class DemonstrationWriter {
 public:
  DemonstrationWriter(const std::filesystem::path& path, EnvironmentInfo info, StoredStates states);

  /// Becomes demo_0, demo_1, ... in this order. It has steps, in the environment's dimensions.
  void add(const Demonstration& demonstration);
  /// Throws Error, the old file untouched, if any write failed.
  void finish(const Provenance& provenance);

 private:
  EnvironmentInfo info_;
  StoredStates states_;
  Hdf5Output out_;
  int64_t episodes_ = 0, steps_ = 0;
};

/// Reads what DemonstrationWriter wrote, bit for bit, with all that read_dataset() leaves out. For
/// files that one trusts: HDF5's library is not shielded here as it is there. Throws Error for
/// files of others. Not for two threads at once.
class DemonstrationReader {
 public:
  explicit DemonstrationReader(const std::filesystem::path& path);

  int64_t episodes() const { return static_cast<int64_t>(names_.size()); }
  /// Without `problem` and `seconds`.
  EpisodeRecord record(int64_t episode) const;
  Demonstration demonstration(int64_t episode) const;
  /// JSON text: Provenance.
  std::string provenance() const;

 private:
  Hdf5Group file_, data_;
  std::vector<std::string> names_;
};

}  // namespace darp
