#pragma once
// Scalars for TensorBoard: an event file, written by hand. A record is
//   u64 length | u32 masked CRC-32C of the length | data | u32 masked CRC-32C of the data
// and its data is a protobuf Event{1: wall time, 2: step, 3: file version, 5: summary}. Files count
// as event files if their name has "tfevents" in it.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "darp/core/append_file.h"

namespace darp {

struct Scalar {
  std::string_view tag;  // "Train/Loss": slashes make groups
  double value = 0;      // kept as float
};

/// "events.out.tfevents.<seconds>.<host>".
std::string event_file_name(int64_t unix_seconds, std::string_view host);

/// Not for two threads at once.
class TensorboardLog {
 public:
  /// Keeps the first `position` bytes of the file; with 0 it begins a new one. Throws Error as
  /// AppendFile. Wall times are seconds since 1970.
  TensorboardLog(const std::filesystem::path& path, int64_t position, double wall_time);

  /// One event with all these scalars at this step.
  void append(int64_t step, double wall_time, std::span<const Scalar> scalars);
  /// Bytes that are on the disk, for the checkpoint (see AppendFile).
  int64_t sync() { return file_.sync(); }
  int64_t position() const { return file_.position(); }

 private:
  AppendFile file_;
};

/// Castagnoli's CRC, and as TensorFlow masks it for files that hold CRCs themselves.
uint32_t crc32c(Bytes bytes);
uint32_t masked_crc32c(Bytes bytes);

}  // namespace darp
