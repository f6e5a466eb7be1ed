#pragma once
// Files in and out. Reading maps; writing is atomic: a temporary file beside the target is written,
// synced, renamed over it, and the folder is synced, so that a crash or a full disk leaves the old
// file or the new one, never half.

#include <filesystem>
#include <string>

#include "darp/core/bytes.h"

namespace darp {

/// A whole file as read-only memory. Writers replace files by renaming, so a mapping stays valid
/// while it is open.
class MappedFile {
 public:
  /// Throws Error when the path is missing, not a regular file, or unreadable.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  Bytes bytes() const { return {data_, size_}; }
  /// Takes the file's pages out of this process's memory; they come back when they are looked at.
  /// For those who read a large file once and keep what they read elsewhere.
  void forget() const;

 private:
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

/// One file to be replaced as a whole. Destroyed without commit(), it leaves no trace.
class AtomicFile {
 public:
  /// Creates the temporary beside `target` (a symbolic link is followed: its target is replaced).
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(Bytes bytes);
  void write(std::string_view text) { write(as_byte_span(text)); }
  /// For libraries that write at places of their own choice: the open temporary, to read and write.
  int descriptor() const { return descriptor_; }
  /// Sync, rename, sync the folder. After this the target is the new file.
  void commit();
  /// Throws the Error for a failed system call (errno says why) while `doing` something to this
  /// file.
  [[noreturn]] void fail(std::string_view doing) const;

 private:
  std::filesystem::path target_, temporary_;
  int descriptor_ = -1;
};

/// Replaces `target` by these bytes, atomically.
void write_file(const std::filesystem::path& target, Bytes bytes);
inline void write_file(const std::filesystem::path& target, std::string_view text) {
  write_file(target, as_byte_span(text));
}

}  // namespace darp
