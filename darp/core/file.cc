#include "darp/core/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace darp {
namespace {

std::string reason() {
  return std::strerror(errno);
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe would wait for somebody to write to it.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    throw FileError(path.string(), "cannot be opened: " + reason(),
                    "check the path and its permissions");
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    throw FileError(path.string(), "is not a regular file", "give the path of a file");
  }
  size_ = static_cast<size_t>(info.st_size);
  if (size_ > 0) {
    void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapped == MAP_FAILED) {
      const std::string why = reason();
      ::close(fd);
      throw FileError(path.string(), "cannot be mapped into memory: " + why, "");
    }
    data_ = static_cast<const std::byte*>(mapped);
  }
  ::close(fd);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

void MappedFile::forget() const {
  if (data_ != nullptr) ::madvise(const_cast<std::byte*>(data_), size_, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

AtomicFile::AtomicFile(const std::filesystem::path& target) : target_(target) {
  // Links are followed one by one: the last may lead to a file that does not exist yet.
  std::error_code failure;
  for (int hops = 0; std::filesystem::is_symlink(target_, failure); ++hops) {
    const auto next = std::filesystem::read_symlink(target_, failure);
    if (failure || hops >= 40)
      throw FileError(target.string(), "is a symbolic link that leads nowhere",
                      "remove the link or point it at a file");
    target_ = target_.parent_path() / next;
  }
  if (!target_.has_filename())
    throw FileError(target.string(), "is a folder", "give the name of a file to write");
  // A rename would put a plain file in the place of /dev/null or of a pipe that someone reads.
  if (const auto status = std::filesystem::status(target_, failure);
      std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_directory(status))
    throw FileError(target.string(), "is a device or a pipe, and files are replaced as a whole",
                    "give the name of a file to write");
  // O_EXCL makes the name ours alone; the counter keeps two writers of one process apart.
  static std::atomic<unsigned> counter{0};
  temporary_ = target_;
  temporary_.replace_filename(
      fmt::format(".{}.{}-{}.tmp", target_.filename().string(), ::getpid(), counter.fetch_add(1)));
  descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw FileError(target_.string(), "cannot be written: " + reason(),
                    "check that the folder exists and is writable");
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
  }
}

void AtomicFile::fail(std::string_view doing) const {
  const bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
  throw FileError(target_.string(), fmt::format("{} failed: {}", doing, reason()),
                  full ? "free some space and try again; the previous file, if any, is untouched"
                       : "the previous file, if any, is untouched");
}

void AtomicFile::write(Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("writing");
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail("syncing");
  // The rename comes before close, so that the destructor still removes the temporary if it fails.
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("renaming into place");
  ::close(std::exchange(descriptor_, -1));
  const std::filesystem::path folder = target_.has_parent_path() ? target_.parent_path() : ".";
  const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;  // a folder that may be written but not read cannot be synced
  const bool synced = ::fsync(directory) == 0;
  const int cause = errno;
  ::close(directory);
  if (!synced && cause != EINVAL) {  // EINVAL: the file system does not sync folders
    errno = cause;
    throw FileError(target_.string(),
                    "was written, but its folder could not be synced: " + reason(),
                    "after a power failure the previous file may be back");
  }
}

void write_file(const std::filesystem::path& target, Bytes bytes) {
  AtomicFile file(target);
  file.write(bytes);
  file.commit();
}

}  // namespace darp
