#include "darp/core/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace darp {

AppendFile::AppendFile(const std::filesystem::path& path, int64_t position)
    : path_(path), position_(position) {
  DARP_CHECK(position >= 0, "position {} of {}", position, path.string());
  // O_NONBLOCK: opening a pipe would wait for somebody to read from it.
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
  if (descriptor_ < 0)
    throw FileError(path.string(), fmt::format("cannot be written: {}", std::strerror(errno)),
                    "check that the folder exists and is writable");
  try {
    struct stat info {};
    if (::fstat(descriptor_, &info) != 0 || !S_ISREG(info.st_mode))
      throw FileError(path.string(), "is not a regular file", "remove it");
    if (info.st_size < position)
      throw FileError(
          path.string(),
          fmt::format("has {} bytes where the checkpoint counts on {}", info.st_size, position),
          "put the whole file back, or train again with another --out");
    if (info.st_size > position && ::ftruncate(descriptor_, position) != 0) fail("cutting");
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

AppendFile::~AppendFile() {
  ::close(descriptor_);
}

void AppendFile::fail(std::string_view doing) const {
  const bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
  throw FileError(
      path_.string(), fmt::format("{} failed: {}", doing, std::strerror(errno)),
      full ? "free some space, then run the same command again (darp train: with --resume)" : "");
}

void AppendFile::append(Bytes bytes) {
  const auto size = static_cast<int64_t>(bytes.size());
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      // Half a record helps nobody. If even this fails, opening the file again cuts it off.
      const int cause = errno;
      [[maybe_unused]] const int ignored = ::ftruncate(descriptor_, position_);
      errno = cause;
      fail("writing");
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  position_ += size;
}

int64_t AppendFile::sync() {
  if (::fsync(descriptor_) != 0) fail("syncing");
  return position_;
}

}  // namespace darp
