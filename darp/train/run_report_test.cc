#include "darp/train/run_report.h"

#include <gtest/gtest.h>

#include "darp/core/file.h"
#include "darp/train/run_directory.h"
#include "tests/error_of.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

TEST(RunReport, TellsWhatIsThereSoFar) {
  const fs::path folder = fs::path(::testing::TempDir()) / "darp_run_report";
  fs::remove_all(folder);
  EXPECT_FALSE(is_run_directory(folder));
  EXPECT_SAYS(error_of([&] { read_run(folder); }), "no config.yaml");

  RunDirectory run(folder, RunDirectory::Start::kNew);
  run.write_config("epochs: 2\n");
  EXPECT_TRUE(is_run_directory(folder));
  RunReport report = read_run(folder);
  EXPECT_EQ(report.config, "epochs: 2\n");
  EXPECT_EQ(report.manifest, "");
  EXPECT_EQ(report.metrics.lines, 0);
  EXPECT_FALSE(report.has_checkpoint || report.has_policy);

  RunManifest manifest;
  manifest.version = "0.1.0";
  run.write_manifest(manifest);
  MetricsLog log(run.layout().metrics(), 0);
  log.append(std::vector<Metric>{{"epoch", int64_t{0}}, {"train_loss", 0.5}});
  log.append(std::vector<Metric>{{"epoch", int64_t{1}}, {"train_loss", 0.25}});
  write_file(run.layout().checkpoint(), "");
  write_file(run.layout().policy(), "");
  report = read_run(folder);
  EXPECT_SAYS(report.manifest, "0.1.0");
  EXPECT_EQ(report.metrics.lines, 2);
  EXPECT_EQ(report.metrics.last.at(1), (std::pair<std::string, double>("train_loss", 0.25)));
  EXPECT_TRUE(report.has_checkpoint && report.has_policy);
}

TEST(RunReport, RefusesTextThatIsAbsurdlyLarge) {
  const fs::path folder = fs::path(::testing::TempDir()) / "darp_run_report_large";
  fs::remove_all(folder);
  fs::create_directories(folder);
  write_file(folder / "config.yaml", std::string((1 << 20) + 1, 'x'));
  EXPECT_SAYS(error_of([&] { read_run(folder); }), "more than 1 MiB");
}

}  // namespace
}  // namespace darp
