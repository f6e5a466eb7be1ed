// Damaged HDF5 files. The format has no checksums to speak of and the library may crash or loop on
// them, so what is asked for is: an Error, or a dataset that is valid in itself; never the end of
// this process.

#include <gtest/gtest.h>
#include <unistd.h>

#include "darp/core/file.h"
#include "darp/data/ingest/read_dataset.h"
#include "tests/random_dataset.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

class Hdf5Robustness : public ::testing::TestWithParam<const char*> {
 protected:
  /// Either one of our own making or a fixture with packed chunks.
  std::string original() const {
    fs::path path = fs::path(DARP_SOURCE_DIR) / "tests/fixtures/hdf5" / GetParam();
    if (std::string(GetParam()) == "ours") {
      path = folder_ / "original.hdf5";
      write_dataset(random_dataset(1, {.episodes = 2, .longest = 5}), path);
    }
    return std::string(as_text(MappedFile(path).bytes()));
  }
  /// True if the bytes give a dataset, false if an Error.
  bool reads(const std::string& bytes) const {
    const fs::path path = folder_ / "damaged.hdf5";
    write_file(path, bytes);
    try {
      const Dataset dataset = read_dataset(path).dataset;
      EXPECT_GT(dataset.steps(), 0);
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return false;
    }
  }

  Hdf5Robustness()
      : folder_(fs::path(::testing::TempDir()) / fmt::format("hdf5_robustness_{}", ::getpid())) {
    fs::create_directories(folder_);
  }
  ~Hdf5Robustness() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_P(Hdf5Robustness, RefusesTruncatedFiles) {
  const std::string whole = original();
  Rng rng(1);
  EXPECT_TRUE(reads(whole));
  for (int i = 0; i < 100; ++i) {
    const size_t length = rng.below(whole.size());
    ASSERT_FALSE(reads(whole.substr(0, length))) << length;
  }
}

TEST_P(Hdf5Robustness, SurvivesDamagedFiles) {
  const std::string whole = original();
  Rng rng(4);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole;
    damaged[rng.below(damaged.size())] ^= static_cast<char>(1 + rng.below(255));
    refused += !reads(damaged);
  }
  EXPECT_GT(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Files, Hdf5Robustness,
                         ::testing::Values("ours", "d4rl.hdf5", "robomimic_packed.hdf5",
                                           "minari_dict/data/main_data.hdf5"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

/// Bytes of a small D4RL file (h5py: gzip chunks of 8 x 2, a bool array) whose change makes
/// libhdf5 1.10.8 crash.
TEST(Hdf5Crash, IsReportedAsDamage) {
  const fs::path fixture = fs::path(DARP_SOURCE_DIR) / "tests/fixtures/hdf5/crashes_libhdf5.hdf5";
  try {
    read_dataset(fixture);
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("damaged"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace darp
