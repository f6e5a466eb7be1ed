#pragma once
// One process at a time: a lock on a file, which ends with the process that holds it, however it
// ends.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace darp {

/// Held as long as it lives. Another object in the same process counts as another process.
class FileLock {
 public:
  /// Nothing if somebody else has it. Creates the file; it stays when the lock ends. Throws Error
  /// where the file cannot be made or the file system has no locks.
  static std::optional<FileLock> try_take(const std::filesystem::path& file);
  /// Of a file that is itself to be written: throws FileError, "is in use: <by>", if somebody else
  /// has it.
  static FileLock of(const std::filesystem::path& file, const std::string& by);
  /// Waits for it.
  static FileLock take(const std::filesystem::path& file);

  ~FileLock();
  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

}  // namespace darp
