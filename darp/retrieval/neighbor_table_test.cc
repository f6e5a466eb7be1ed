#include "darp/retrieval/neighbor_table.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "darp/data/safetensors.h"
#include "tests/direct_retrieval.h"
#include "tests/error_of.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

class NeighborTableFile : public ::testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::shared_ptr<const Retriever> retriever(double rate = 0.1) {
    Rng rng(1);
    const RandomRows data(rng, 5, 60, 4);
    RetrievalSettings settings;
    settings.k = 7;
    settings.history.rate = rate;
    return std::make_shared<const Retriever>(data.rows, data.ends, settings);
  }
  fs::path only_file() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder_)) files.push_back(entry.path());
    EXPECT_EQ(files.size(), 1u);
    return files.at(0);
  }

  // A folder of its own for each test: tests run side by side.
  const fs::path folder_ = fs::path(::testing::TempDir()) /
                           (std::string("darp_neighbor_table_") +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name());
  ThreadPool pool_{2};
};

void expect_equal(const NeighborTable& a, const NeighborTable& b) {
  ASSERT_EQ(a.queries(), b.queries());
  ASSERT_EQ(a.width(), b.width());
  ASSERT_EQ(a.has_distances(), b.has_distances());
  for (int64_t i = 0; i < a.queries(); ++i) {
    ASSERT_TRUE(std::ranges::equal(a.rows(i), b.rows(i)));
    if (a.has_distances()) {
      ASSERT_TRUE(std::ranges::equal(a.distances(i), b.distances(i)));
    }
  }
}

TEST_F(NeighborTableFile, IsReadInsteadOfBuiltTheSecondTime) {
  for (const bool distances : {false, true}) {
    fs::remove_all(folder_);
    const TableOptions options{.distances = distances};
    const NeighborTable built = build_neighbor_table(retriever(), pool_, options);
    expect_equal(cached_neighbor_table(retriever(), folder_, pool_, options), built);
    const auto written = fs::last_write_time(only_file());
    expect_equal(cached_neighbor_table(retriever(), folder_, pool_, options), built);
    EXPECT_EQ(fs::last_write_time(only_file()), written);
  }
}

TEST_F(NeighborTableFile, BelongsToItsDataAndSettings) {
  cached_neighbor_table(retriever(), folder_, pool_);
  const fs::path path = only_file();
  EXPECT_EQ(error_of([&] { read_neighbor_table(path, retriever(0.2)->key(), 1000); }),
            path.string() +
                ": is not the neighbour table of these rows and settings; delete the "
                "file: it will be built again");
  cached_neighbor_table(retriever(0.2), folder_, pool_);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(NeighborTableFile, IsBuiltAgainWhenDamaged) {
  const NeighborTable built = cached_neighbor_table(retriever(), folder_, pool_);
  const fs::path path = only_file();
  const auto size = static_cast<std::streamoff>(fs::file_size(path));
  for (const std::streamoff place : {std::streamoff{3}, size / 3, size - 1}) {
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(place).put('\x5a');
    expect_equal(cached_neighbor_table(retriever(), folder_, pool_), built);
    EXPECT_NO_THROW(read_neighbor_table(path, retriever()->key(), built.queries()));
  }
  fs::resize_file(path, fs::file_size(path) / 2);
  expect_equal(cached_neighbor_table(retriever(), folder_, pool_), built);
}

TEST_F(NeighborTableFile, MayNotPointOutsideTheRows) {
  fs::create_directories(folder_);
  const fs::path path = folder_ / "made_up.safetensors";
  const auto write = [&](std::vector<int32_t> counts, std::vector<int32_t> rows) {
    const std::vector<TensorView> tensors = {
        {"counts", Dtype::kI32, {counts.size()}, std::as_bytes(std::span(counts))},
        {"rows",
         Dtype::kI32,
         {counts.size(), rows.size() / counts.size()},
         std::as_bytes(std::span(rows))}};
    write_safetensors(path, {{"darp.kind", "neighbor table"}, {"darp.key", "key"}}, tensors);
    return error_of([&] { read_neighbor_table(path, "key", 10); });
  };
  EXPECT_EQ(write({2, 1}, {9, 0, 3, -1}), "no error");
  const std::string impossible = "impossible neighbours";
  EXPECT_NE(write({2, 1}, {10, 0, 3, -1}).find("query 0 has " + impossible), std::string::npos);
  EXPECT_NE(write({2, 2}, {9, 0, 3, -1}).find("query 1 has " + impossible), std::string::npos);
  EXPECT_NE(write({3, 1}, {9, 0, 3, -1}).find("query 0 has " + impossible), std::string::npos);
  EXPECT_NE(write({-1, 1}, {9, 0, 3, -1}).find("query 0 has " + impossible), std::string::npos);
}

}  // namespace
}  // namespace darp
