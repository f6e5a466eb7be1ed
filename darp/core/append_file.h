#pragma once
// A log file: it grows at its end, and a checkpoint remembers how far it had come.

#include <cstdint>
#include <filesystem>

#include "darp/core/bytes.h"

namespace darp {

/// Not for two threads at once, nor for two writers of one file.
class AppendFile {
 public:
  /// Opens or creates the file and cuts off everything behind its first `position` bytes: what was
  /// written after the checkpoint that says so, torn records among it. Throws Error when the file
  /// is shorter than that, or cannot be written.
  AppendFile(const std::filesystem::path& path, int64_t position);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  /// Hands all of it to the operating system, in one call where that takes it. Throws Error when it
  /// cannot (a full disk); the file then ends where it ended before.
  void append(Bytes bytes);
  /// The file's size.
  int64_t position() const { return position_; }
  /// Waits until all is on the disk and returns the file's size. A checkpoint that counts on these
  /// bytes is written after this.
  int64_t sync();

 private:
  [[noreturn]] void fail(std::string_view doing) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  int64_t position_ = 0;
};

}  // namespace darp
