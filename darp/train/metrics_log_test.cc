#include "darp/train/metrics_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "darp/core/file.h"
#include "darp/core/rng.h"
#include "tests/error_of.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

class MetricsLogTest : public ::testing::Test {
 protected:
  const fs::path path_ = test_folder() / "metrics.jsonl";

  std::string content() {
    const MappedFile file(path_);
    return std::string(as_text(file.bytes()));
  }
  static void log(MetricsLog& metrics, int64_t epoch, double loss) {
    metrics.append(std::vector<Metric>{{"epoch", epoch}, {"train_loss", loss}});
  }
};

TEST_F(MetricsLogTest, WritesOneObjectPerLineInTheGivenOrder) {
  MetricsLog metrics(path_, 0);
  log(metrics, 0, 0.5);
  log(metrics, 1, std::numeric_limits<double>::infinity());
  EXPECT_EQ(content(), "{\"epoch\":0,\"train_loss\":0.5}\n{\"epoch\":1,\"train_loss\":null}\n");
  EXPECT_EQ(metrics.position(), static_cast<int64_t>(content().size()));
  EXPECT_EQ(metrics.sync(), metrics.position());
}

TEST_F(MetricsLogTest, KeepsEveryBitOfItsNumbers) {
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) {
    const double number = rng.normal() * std::pow(10, rng.uniform(-300, 300));
    const auto integer = static_cast<int64_t>(rng.next_u64());
    const auto line =
        nlohmann::json::parse(metrics_line(std::vector<Metric>{{"a", number}, {"b", integer}}));
    EXPECT_EQ(line["a"].get<double>(), number);
    EXPECT_EQ(line["b"].get<int64_t>(), integer);
  }
}

TEST_F(MetricsLogTest, GoesOnWhereTheCheckpointStood) {
  int64_t position = 0;
  {
    MetricsLog metrics(path_, 0);
    log(metrics, 0, 3);
    position = metrics.sync();
    log(metrics, 1, 2);
  }
  const std::string first = content().substr(0, static_cast<size_t>(position));
  // A crash tore the last line.
  write_file(path_, content() + "{\"epoch\":2,\"tra");
  MetricsLog metrics(path_, position);
  EXPECT_EQ(content(), first);
  log(metrics, 1, 2.5);
  EXPECT_EQ(content(), first + "{\"epoch\":1,\"train_loss\":2.5}\n");
}

TEST_F(MetricsLogTest, RefusesAFileThatIsNotTheOneOfTheCheckpoint) {
  write_file(path_, "{\"epoch\":0}\n{\"epoch\":1}\n");
  EXPECT_SAYS(error_of([&] { MetricsLog metrics(path_, 13); }), "no line that ends at byte 13");
  EXPECT_SAYS(error_of([&] { MetricsLog metrics(path_, 99); }), "counts on 99");
  fs::remove(path_);
  EXPECT_SAYS(error_of([&] { MetricsLog metrics(path_, 12); }), path_.string());
}

TEST_F(MetricsLogTest, IsReadBackWithoutATornLastLine) {
  EXPECT_EQ(read_metrics(path_).lines, 0);
  write_file(path_, "{\"epoch\":0");
  EXPECT_EQ(read_metrics(path_).lines, 0);
  write_file(
      path_,
      "nonsense\n{\"epoch\":1,\"loss\":0.25,\"valid\":null,\"x\":{\"y\":1},\"z\":[1,[2]]}\n{\"ep");
  const MetricsSummary summary = read_metrics(path_);
  EXPECT_EQ(summary.lines, 2);
  const std::vector<std::pair<std::string, double>> expected = {{"epoch", 1}, {"loss", 0.25}};
  EXPECT_EQ(summary.last, expected);
}

TEST_F(MetricsLogTest, IsVisitedLineByLine) {
  std::vector<MetricsNumbers> lines;
  const auto keep = [&](const MetricsNumbers& numbers) { lines.push_back(numbers); };
  visit_metrics(path_, keep);
  EXPECT_TRUE(lines.empty());
  write_file(path_, "{\"epoch\":0,\"loss\":null}\n{\"epoch\":1,\"loss\":2}\n{\"ep");
  visit_metrics(path_, keep);
  const std::vector<MetricsNumbers> expected = {{{"epoch", 0}}, {{"epoch", 1}, {"loss", 2}}};
  EXPECT_EQ(lines, expected);
  write_file(path_, "{\"epoch\":0}\nnonsense\n{\"epoch\":1}\n");
  EXPECT_SAYS(error_of([&] { visit_metrics(path_, keep); }), path_.string() + ":2");
}

TEST_F(MetricsLogTest, CountsTheLinesOfALongFile) {
  MetricsLog metrics(path_, 0);
  for (int64_t epoch = 0; epoch < 5000; ++epoch)
    log(metrics, epoch, 1.0 / static_cast<double>(epoch + 1));
  const MetricsSummary summary = read_metrics(path_);
  EXPECT_EQ(summary.lines, 5000);
  EXPECT_EQ(summary.last.at(0).second, 4999);
  EXPECT_EQ(summary.last.at(1).second, 1.0 / 5000);
}

TEST_F(MetricsLogTest, RefusesToReadALastLineThatIsNoObject) {
  for (const std::string& line :
       {std::string("nonsense"), std::string(""), std::string("[1]"), std::string("3"),
        std::string("{\"a\":1}}"), std::string(100'000, '['), std::string("{\"a\":1e999}"),
        "{\"" + std::string(2 << 20, 'a') + "\":1}", std::string("{\"\xff\":1}")}) {
    write_file(path_, "{\"epoch\":0}\n" + line + "\n");
    EXPECT_SAYS(error_of([&] { read_metrics(path_); }), path_.string() + ":2");
  }
}

}  // namespace
}  // namespace darp
