#include "darp/core/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "darp/core/error.h"

namespace darp {
namespace {

int open_lock_file(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (descriptor < 0)
    throw FileError(file.string(), fmt::format("cannot be written: {}", std::strerror(errno)),
                    "check that the folder exists and is writable");
  return descriptor;
}

/// 0, or errno.
int lock_descriptor(int descriptor, int operation) {
  int result = 0;
  do result = ::flock(descriptor, operation);
  while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

[[noreturn]] void fail_to_lock(const std::filesystem::path& file, int descriptor, int cause) {
  ::close(descriptor);
  throw FileError(file.string(), fmt::format("cannot be locked: {}", std::strerror(cause)),
                  "use a folder on a file system that has locks");
}

}  // namespace

std::optional<FileLock> FileLock::try_take(const std::filesystem::path& file) {
  const int descriptor = open_lock_file(file);
  const int cause = lock_descriptor(descriptor, LOCK_EX | LOCK_NB);
  if (cause == 0) return FileLock(descriptor);
  if (cause != EWOULDBLOCK) fail_to_lock(file, descriptor, cause);
  ::close(descriptor);
  return std::nullopt;
}

FileLock FileLock::of(const std::filesystem::path& file, const std::string& by) {
  if (auto lock = try_take(file)) return std::move(*lock);
  throw FileError(file.string(), "is in use: " + by, "wait for it, or write somewhere else");
}

FileLock FileLock::take(const std::filesystem::path& file) {
  const int descriptor = open_lock_file(file);
  const int cause = lock_descriptor(descriptor, LOCK_EX);
  if (cause != 0) fail_to_lock(file, descriptor, cause);
  return FileLock(descriptor);
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace darp
