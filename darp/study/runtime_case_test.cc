#include "darp/study/runtime_case.h"

#include <gtest/gtest.h>

#include <cmath>

#include "darp/core/file.h"
#include "darp/study/runtime_exhibits.h"
#include "tests/error_of.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

Dataset smooth_data() {
  DatasetContents contents;
  contents.observations = Matrix::zeros(80, 3);
  contents.actions = Matrix::zeros(80, 2);
  for (int64_t i = 0; i < 80; ++i) {
    for (int64_t j = 0; j < 3; ++j)
      contents.observations(i, j) = static_cast<float>(std::sin(0.1 * static_cast<double>(i + j)));
    for (int64_t j = 0; j < 2; ++j)
      contents.actions(i, j) = static_cast<float>(std::cos(0.2 * static_cast<double>(i - j)));
  }
  contents.episode_ends = {40, 80};
  contents.source = "smooth";
  return Dataset(std::move(contents));
}

RuntimeCase small_case() {
  RuntimeCase c{.name = "small", .policy = {}, .train = {}};
  DarpSpec darp;
  darp.network.hidden = {8};
  darp.retrieval.k = 5;
  c.policy.kind = darp;
  c.train.epochs = 4;
  c.latency_steps = 50;
  return c;
}

TEST(Runtime, IsMeasuredForEpochsAndSteps) {
  const auto folder = test_folder() / "scratch";
  const auto record = measure_runtime(small_case(), smooth_data(), folder);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->one_thread.size(), 3u);  // the first does not count
  EXPECT_EQ(record->all_threads.size(), 3u);
  EXPECT_GT(record->one_thread_median(), 0);
  EXPECT_EQ(record->rows, 80);
  EXPECT_EQ(record->neighbors, 5);
  EXPECT_EQ(record->steps, 50);
  EXPECT_GT(record->step_median, 0);
  EXPECT_GE(record->step_p99, record->step_median);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Runtime, OfWhatDoesNotLearnHasNoEpochs) {
  RuntimeCase c = small_case();
  LwrSpec lwr;
  lwr.retrieval.k = 3;
  c.policy.kind = lwr;
  const auto record = measure_runtime(c, smooth_data(), test_folder() / "scratch");
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->one_thread.empty());
  EXPECT_TRUE(std::isnan(record->one_thread_median()));
  EXPECT_GT(record->step_median, 0);
}

TEST(Runtime, RecordsAreKeptForTheSameCaseOnly) {
  const auto folder = test_folder();
  const Dataset data = smooth_data();
  const auto first = kept_runtime(small_case(), data, folder / "timings");
  ASSERT_TRUE(first);
  const auto kept = kept_runtime(small_case(), data, folder / "timings");
  EXPECT_EQ(runtime_json(*kept), runtime_json(*first));
  RuntimeCase other = small_case();
  other.train.epochs = 2;
  const auto again = kept_runtime(other, data, folder / "timings");
  EXPECT_NE(again->key, first->key);
  EXPECT_EQ(again->one_thread.size(), 1u);
  write_file(folder / "timings" / "small.json", "{");
  EXPECT_SAYS(error_of([&] { kept_runtime(other, data, folder / "timings"); }), "small.json");
}

TEST(Runtime, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  const auto folder = test_folder();
  EXPECT_FALSE(kept_runtime(small_case(), smooth_data(), folder, &stop));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(Runtime, RecordsReadBackBitForBit) {
  const RuntimeRecord record{.key = "k",
                             .cpu = "a \"cpu\"",
                             .engine = "fused",
                             .executor = "runtime fp32",
                             .threads = 2,
                             .rows = 10,
                             .neighbors = 3,
                             .one_thread = {0.1, 1.0 / 3},
                             .all_threads = {},
                             .busy = 0.99,
                             .table_seconds = 1e-9,
                             .step_median = 12.5,
                             .step_p99 = 20,
                             .step_max = 1e3,
                             .steps = 7};
  const RuntimeRecord read = parse_runtime(runtime_json(record), "there");
  EXPECT_EQ(runtime_json(read), runtime_json(record));
  EXPECT_EQ(read.one_thread, record.one_thread);
  for (const char* wrong : {"", "{}", "[]", R"({"kind": "darp evaluation"})"})
    EXPECT_SAYS(error_of([&] { parse_runtime(wrong, "there"); }), "there");
}

TEST(Runtime, StandsBesideThePapersNumbers) {
  const std::vector<PaperTiming> paper = {parse_paper_timing("hopper bc 0.1 0.001"),
                                          parse_paper_timing("hopper 100 0.2 0.004")};
  EXPECT_EQ(paper[1].epoch, 0.2);
  EXPECT_EQ(paper[1].step, 0.004);
  for (const char* wrong : {"", "hopper bc 0.1", "hopper bc 0.1 0.2 0.3", "hopper bc -1 2"})
    EXPECT_SAYS(error_of([&] { parse_paper_timing(wrong); }), "no timing");

  RuntimeRecord record;
  record.threads = 2;
  record.one_thread = {0.2};
  record.all_threads = {0.1};
  record.step_median = 100;
  record.step_p99 = 200;
  const std::vector<RuntimeRow> rows = {{"bc", 0, record}, {"100", 100, record}, {"7", 7, record}};
  const auto exhibits = runtime_exhibits("hopper", "made up", rows, paper);
  ASSERT_EQ(exhibits.size(), 3u);
  const auto& table = std::get<ExhibitTable>(exhibits[0]);
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
  EXPECT_NEAR(*table.rows[1][4].value, 2, 1e-9);   // 0.2 / 0.1
  EXPECT_NEAR(*table.rows[1][9].value, 40, 1e-9);  // 4 ms / 0.1 ms
  EXPECT_EQ(table.rows[2][3].text, "");
  const auto& epochs = std::get<ExhibitCurves>(exhibits[1]);
  ASSERT_EQ(epochs.series.size(), 3u);
  EXPECT_EQ(epochs.series[0].x, (std::vector<double>{100, 7}));
  EXPECT_EQ(epochs.series[2].x, (std::vector<double>{100}));
  EXPECT_EQ(epochs.marks.size(), 3u);
}

}  // namespace
}  // namespace darp
