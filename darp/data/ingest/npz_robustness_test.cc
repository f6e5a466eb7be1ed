// Every cut and every changed byte of a small file gives an Error or the very same dataset.

#include <gtest/gtest.h>

#include "darp/data/ingest/npz.h"

namespace darp {
namespace {

using Blob = std::vector<std::byte>;

Blob small_written_file() {
  DatasetContents c;
  c.observations = Matrix::zeros(3, 2);
  c.actions = Matrix::zeros(3, 1);
  for (int64_t i = 0; i < 3; ++i)
    c.observations(i, 0) = 0.1f * static_cast<float>(i), c.actions(i, 0) = 2.5f;
  c.parts = {{"a", 0, 1}, {"b", 1, 2}};
  c.episode_ends = {1, 3};
  c.rewards = {1, 2, 3};
  c.filters = {{"train", {1}}};
  c.environment = "{}";
  ByteWriter out;
  ZipWriter archive([&](Bytes bytes) { out.append(bytes); });
  write_npz(Dataset(std::move(c)), archive);
  archive.finish();
  return out.release();
}

Blob fixture(const std::string& name) {
  const MappedFile file(std::filesystem::path(DARP_SOURCE_DIR) / "tests/fixtures/npz" / name);
  return {file.bytes().begin(), file.bytes().end()};
}

void expect_every_cut_refused(const Blob& file) {
  // Each cut has memory of its own, so that AddressSanitizer sees a look past the end.
  for (size_t length = 0; length < file.size(); ++length)
    ASSERT_THROW(read_npz(Blob(file.begin(), file.begin() + length), "cut.npz"), Error) << length;
}

/// Every value of a byte; every fifth where memory is watched, which takes four times as long.
#ifdef __SANITIZE_ADDRESS__
constexpr int kNextChange = 5;
#else
constexpr int kNextChange = 1;
#endif

void expect_every_change_noticed_or_harmless(const Blob& file) {
  const Dataset original = read_npz(file, "good.npz");
  Blob changed = file;
  size_t refused = 0;
  for (size_t at = 0; at < file.size(); ++at) {
    for (int delta = 1; delta < 256; delta += kNextChange) {
      changed[at] = file[at] ^ std::byte(delta);
      try {
        ASSERT_TRUE(identical(original, read_npz(changed, "changed.npz")))
            << "byte " << at << " xor " << delta;
      } catch (const Error&) {
        ++refused;
      }
    }
    changed[at] = file[at];
  }
  // Times, attributes and versions are a small part of a file; the rest must be watched.
  EXPECT_GT(refused, file.size() * (255 / kNextChange) / 2);
}

TEST(NpzRobustness, RefusesEveryCutOfAWrittenFile) {
  expect_every_cut_refused(small_written_file());
}
TEST(NpzRobustness, RefusesEveryCutOfNumpysFiles) {
  expect_every_cut_refused(fixture("tiny.npz"));
  expect_every_cut_refused(fixture("tiny_compressed.npz"));
}
TEST(NpzRobustness, NoticesEveryChangedByteOfAWrittenFile) {
  expect_every_change_noticed_or_harmless(small_written_file());
}
TEST(NpzRobustness, NoticesEveryChangedByteOfNumpysFile) {
  expect_every_change_noticed_or_harmless(fixture("tiny.npz"));
}
TEST(NpzRobustness, NoticesEveryChangedByteOfNumpysCompressedFile) {
  expect_every_change_noticed_or_harmless(fixture("tiny_compressed.npz"));
}

}  // namespace
}  // namespace darp
