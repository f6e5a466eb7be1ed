#include "darp/data/ingest/isolated_read.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "darp/core/file.h"

namespace darp {
namespace {

constexpr const char* kDamagedRead = "the file is damaged: copy or create it again";

/// What the child's message starts with.
enum class Reply : uint8_t { kPlan = 1, kError = 2, kNoMemory = 3 };

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

/// The child's side of the shared memory.
class SharedStaging final : public StagingArea {
 public:
  explicit SharedStaging(int memory) : memory_(memory) {}

  std::pair<float*, uint64_t> add(uint64_t floats) override {
    constexpr uint64_t kPage = 4096, kMost = uint64_t{1} << 46;
    if (floats > kMost / sizeof(float)) throw std::bad_alloc();
    const uint64_t bytes = (floats * sizeof(float) + kPage - 1) / kPage * kPage, begin = size_;
    if (bytes == 0) return {nullptr, begin};
    if (::ftruncate(memory_, static_cast<off_t>(begin + bytes)) != 0) throw std::bad_alloc();
    void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_,
                          static_cast<off_t>(begin));
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    size_ += bytes;
    return {static_cast<float*>(mapped), begin};  // stays mapped until the child ends
  }

 private:
  int memory_;
  uint64_t size_ = 0;
};

/// The parent's side, once the child has ended.
class StagedBytes {
 public:
  explicit StagedBytes(int memory) : memory_(memory) {
    struct stat info {};
    ::fstat(memory, &info);
    size_ = static_cast<size_t>(info.st_size);
    if (size_ == 0) return;
    data_ = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, memory, 0);
    if (data_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~StagedBytes() {
    if (size_ > 0) ::munmap(data_, size_);
  }
  StagedBytes(const StagedBytes&) = delete;
  StagedBytes& operator=(const StagedBytes&) = delete;

  Bytes bytes() const { return {static_cast<const std::byte*>(data_), size_}; }
  /// Gives memory before `end` back to the system, so that the numbers are not held twice.
  void release(uint64_t end) {
    ::fallocate(memory_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                static_cast<off_t>(end / 4096 * 4096));
  }

 private:
  int memory_;
  void* data_ = nullptr;
  size_t size_ = 0;
};

void write_all(int fd, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;  // the parent is gone
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

std::vector<std::byte> read_all(int fd) {
  std::vector<std::byte> bytes;
  for (std::vector<std::byte> block(1 << 16);;) {
    const ssize_t got = ::read(fd, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return bytes;
    bytes.insert(bytes.end(), block.begin(), block.begin() + got);
  }
}

/// Bytes of address space that this process has.
uint64_t address_space() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// The child is quiet when it crashes, gone when the parent is, and limited in time and memory:
/// beyond what deflate can unpack from the file, it is damage that asks for more.
void prepare_child(unsigned cpu_seconds, uint64_t file_size) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(signal, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const uint64_t most = address_space() + std::max<uint64_t>(uint64_t{2} << 30, 1100 * file_size);
  const rlimit no_core{0, 0}, time{cpu_seconds, cpu_seconds}, memory{most, most};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_CPU, &time);
  ::setrlimit(RLIMIT_AS, &memory);
}

ByteWriter run_child(int memory, const std::function<ReadPlan(StagingArea&)>& plan) {
  ByteWriter reply;
  try {
    SharedStaging staging(memory);
    const ReadPlan made = plan(staging);
    reply.write(static_cast<uint8_t>(Reply::kPlan));
    encode_plan(reply, made);
  } catch (const std::bad_alloc&) {
    reply = ByteWriter();
    reply.write(static_cast<uint8_t>(Reply::kNoMemory));
  } catch (const std::exception& error) {
    reply = ByteWriter();
    reply.write(static_cast<uint8_t>(Reply::kError)).append(std::string_view(error.what()));
  }
  return reply;
}

void check_ending(const std::string& source, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    throw Error(source, "takes far too long or too much memory to read", kDamagedRead);
  throw Error(source,
              fmt::format("makes the HDF5 library crash ({})",
                          WIFSIGNALED(status) ? ::strsignal(WTERMSIG(status)) : "it ended early"),
              kDamagedRead);
}

ReadPlan decode_reply(Bytes reply, const std::string& source) {
  ByteReader reader(reply, source);
  const auto kind = static_cast<Reply>(reader.read<uint8_t>());
  if (kind == Reply::kNoMemory) throw std::bad_alloc();
  if (kind == Reply::kError) throw Error("", as_text(reader.take(reader.remaining())), "");
  return decode_plan(reader, source);
}

}  // namespace

ReadResult read_isolated(const std::filesystem::path& path, unsigned cpu_seconds,
                         const std::function<ReadPlan(StagingArea&)>& plan) {
  const std::string source = path.string();
  const MappedFile file(path);
  const auto refuse = [&](const char* lacking) {
    throw Error(source, fmt::format("cannot be read: no {} ({})", lacking, ::strerror(errno)),
                "close other programs");
  };
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) refuse("pipe");
  Descriptor in(ends[0]), out(ends[1]), memory(::memfd_create("darp", MFD_CLOEXEC));
  if (memory.get() < 0) refuse("shared memory");

  const pid_t child = ::fork();
  if (child < 0) refuse("process");
  if (child == 0) {
    prepare_child(cpu_seconds, file.bytes().size());
    write_all(out.get(), run_child(memory.get(), plan).bytes());
    ::_exit(0);  // nothing of the parent's is flushed or destroyed twice
  }
  out.close();
  const std::vector<std::byte> reply = read_all(in.get());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  check_ending(source, status);

  // Numbers that have been copied need not be held twice.
  ReadPlan made = decode_reply(reply, source);
  std::string format = made.format;
  StagedBytes staging(memory.get());
  const auto give_back = [&](uint64_t staging_end) {
    file.forget();
    staging.release(staging_end);
  };
  return {carry_out(std::move(made), file.bytes(), staging.bytes(), give_back), std::move(format)};
}

}  // namespace darp
