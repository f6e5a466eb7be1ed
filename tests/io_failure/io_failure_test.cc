// Every writer, with a failure injected at every system call it makes: the error is clear, the old
// file stays as it was, no temporary is left. The calls are intercepted in this program itself, so
// that the real writers and the real HDF5 library run unchanged.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "darp/data/ingest/read_dataset.h"
#include "darp/data/safetensors.h"
#include "darp/train/checkpoint.h"
#include "darp/train/metrics_log.h"
#include "tests/random_dataset.h"

namespace {

/// Counts the intercepted calls while armed; the one numbered `fail_at` fails with `error`.
struct Injection {
  bool armed = false;
  int calls = 0, fail_at = -1, error = ENOSPC;
  bool short_write = false;  // the failing write first takes half of its bytes
} injection;

bool fails_now() {
  if (!injection.armed || injection.calls++ != injection.fail_at) return false;
  errno = injection.error;
  return true;
}

template <class F>
F next(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* data, size_t size) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  if (fails_now()) {
    if (!injection.short_write || size < 2) return -1;
    injection.fail_at += 1;  // half of it goes through; the next call fails
    return real(fd, data, size / 2);
  }
  return real(fd, data, size);
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t offset) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  return fails_now() ? -1 : real(fd, data, size, offset);
}
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t offset) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
  return fails_now() ? -1 : real(fd, data, size, offset);
}
int ftruncate(int fd, off_t size) noexcept {
  static const auto real = next<int (*)(int, off_t)>("ftruncate");
  return fails_now() ? -1 : real(fd, size);
}
int fsync(int fd) {
  static const auto real = next<int (*)(int)>("fsync");
  return fails_now() ? -1 : real(fd);
}
int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return fails_now() ? -1 : real(from, to);
}
}

namespace darp {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

/// Runs `save` with a failure at call 0, 1, 2, ... until one run meets none.
void fail_at_every_call(const std::string& name, const std::function<void(const fs::path&)>& save,
                        int error, bool short_write) {
  const fs::path folder = fs::path(::testing::TempDir()) / ("io_failure_" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  const fs::path target = folder / ("file." + name);
  const std::string old = "the old content";
  std::ofstream(target) << old;

  int failures = 0;
  for (int call = 0;; ++call) {
    ASSERT_LT(call, 10000);
    injection = {
        .armed = true, .calls = 0, .fail_at = call, .error = error, .short_write = short_write};
    std::string message;
    try {
      save(target);
    } catch (const Error& failure) {
      message = failure.what();
    }
    const bool was_met = injection.calls > injection.fail_at;
    injection = {};
    if (!was_met) {
      EXPECT_EQ(message, "");
      break;
    }
    ++failures;
    ASSERT_NE(message.find(target.string()), std::string::npos) << call << ": '" << message << "'";
    // The last call syncs the folder: by then the new file is in place, whole.
    const bool replaced = message.find("folder could not be synced") != std::string::npos;
    if (!replaced) {
      ASSERT_EQ(content(target), old) << "call " << call << ": " << message;
      ASSERT_EQ(message.find("free some space") != std::string::npos, error == ENOSPC) << message;
    } else {
      ASSERT_NE(content(target), old);
      std::ofstream(target) << old;
    }
    ASSERT_EQ(std::distance(fs::directory_iterator(folder), {}), 1)
        << "a temporary was left at call " << call;
  }
  EXPECT_GE(failures, 4) << "write, sync, rename, sync";
  EXPECT_NE(content(target), old);
}

void fail_in_every_way(const std::string& name, const std::function<void(const fs::path&)>& save) {
  for (const int error : {ENOSPC, EIO})
    for (const bool short_write : {false, true}) fail_at_every_call(name, save, error, short_write);
}

TEST(IoFailure, RobomimicKeepsTheOldFile) {
  DatasetContents contents =
      random_contents(1, {.episodes = 2, .longest = 200, .parts = {{"pos", 3}, {"joints", 7}}});
  contents.filters = {{"train", {0}}};
  const Dataset dataset(std::move(contents));
  fail_in_every_way("hdf5", [&](const fs::path& path) { write_dataset(dataset, path); });
}

TEST(IoFailure, NpzKeepsTheOldFile) {
  const Dataset dataset = random_dataset(2, {.episodes = 3, .rewards = true});
  fail_in_every_way("npz", [&](const fs::path& path) { write_dataset(dataset, path); });
}

TEST(IoFailure, SafetensorsKeepsTheOldFile) {
  const std::vector<float> numbers = {1, 2, 3, 4};
  const TensorView tensor{"weight", Dtype::kF32, {2, 2}, std::as_bytes(std::span(numbers))};
  fail_in_every_way("safetensors", [&](const fs::path& path) {
    write_safetensors(path, {{"k", "v"}},
                      std::vector{tensor, TensorView{"bias", Dtype::kF32, {4}, tensor.data}});
  });
}

TEST(IoFailure, CheckpointKeepsTheOldFile) {
  TrainState state;
  state.parameters = state.first_moments = state.second_moments = {1, 2, 3};
  fail_in_every_way("checkpoint", [&](const fs::path& path) { write_checkpoint(path, state); });
}

TEST(IoFailure, PlainFilesKeepTheOldFile) {
  fail_in_every_way("txt", [](const fs::path& path) { write_file(path, "new content"); });
}

TEST(IoFailure, LogsKeepWholeLines) {
  const fs::path path = fs::path(::testing::TempDir()) / "io_failure_metrics.jsonl";
  fs::remove(path);
  MetricsLog log(path, 0);
  const std::vector<Metric> line = {{"epoch", int64_t{1}}};
  log.append(line);
  const std::string whole = content(path);
  for (const bool short_write : {false, true}) {
    injection = {
        .armed = true, .calls = 0, .fail_at = 0, .error = ENOSPC, .short_write = short_write};
    std::string message;
    try {
      log.append(line);
    } catch (const Error& failure) {
      message = failure.what();
    }
    injection = {};
    EXPECT_NE(message.find("free some space"), std::string::npos) << message;
    EXPECT_EQ(content(path), whole);
    EXPECT_EQ(log.position(), static_cast<int64_t>(whole.size()));
  }
  log.append(line);
  EXPECT_EQ(content(path), whole + whole);
}

}  // namespace
}  // namespace darp
