// darp study, as a user runs it.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "darp/core/file.h"
#include "darp/core/file_lock.h"
#include "tests/end_to_end/darp_command.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

const std::string kRoot = " --root " DARP_SOURCE_DIR " ";

std::string study_text(const fs::path& file) {
  return std::string(as_text(MappedFile(file).bytes()));
}

std::vector<std::string> study_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(DARP_SOURCE_DIR) / "studies"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class QuickStudy : public Cli, public ::testing::WithParamInterface<std::string> {};

TEST_P(QuickStudy, ComesToAReport) {
  const Outcome outcome =
      darp_command("study " + GetParam() + " --quick --out " + path("out") + kRoot);
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_CONTAINS(outcome.output, "report: ");
  for (const char* file : {"out/report.html", "out/report.md", "out/exhibits.json"})
    EXPECT_GT(bytes(file).size(), 100u) << file;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& study) {
  std::string name = study.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Tree, QuickStudy, ::testing::ValuesIn(study_names()), test_name);

/// What the docs refer to can be looked at with the program as it is.
TEST_F(Cli, KeptResultsOfStudiesAreDrawnAgain) {
  int kept = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(DARP_SOURCE_DIR) / "results")) {
    const std::string name = entry.path().filename().string();
    fs::copy(entry.path(), path(name), fs::copy_options::recursive);
    const Outcome outcome =
        darp_command("study " + name + " --report-only --out " + path(name) + kRoot);
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_GT(bytes(name + "/report.html").size(), 100u) << name;
    EXPECT_EQ(study_text(path(name) + "/exhibits.json").find("--demos /"), std::string::npos)
        << name << ": has a path of the machine that made it";
    ++kept;
  }
  EXPECT_GT(kept, 0);
}

/// And a study goes on from a copy: nothing that is kept is trained or rolled out again.
TEST_F(Cli, StudiesGoOnFromTheirKeptResults) {
  for (const std::string name : {"robosuite-table", "robocasa-table"}) {
    fs::copy(fs::path(DARP_SOURCE_DIR) / "results" / name, path(name), fs::copy_options::recursive);
    const std::string declared = study_text(path(name) + "/study.yaml");
    const size_t begin = declared.find("\nprotocols: [") + 12;
    const std::string protocols = declared.substr(begin, declared.find(']', begin) + 1 - begin);
    std::string without_spaces;
    std::ranges::remove_copy(protocols, std::back_inserter(without_spaces), ' ');
    const Outcome outcome = darp_command("study " + name + " --set protocols=" + without_spaces +
                                         " --out " + path(name) + kRoot);
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    for (const auto& entry : fs::recursive_directory_iterator(path(name)))
      EXPECT_NE(entry.path().filename(), "policy.darp") << entry.path() << ": was trained again";
  }
}

/// What a search has chosen is rolled out by one process; the others wait for it.
TEST_F(Cli, ASearchIsReportedByOneProcess) {
  const std::string command =
      "study mujoco-table --quick --set tasks=[hopper] --set methods=[bc] --set baseline=bc "
      "--set protocols=[searched] --out " +
      path("out") + kRoot;
  ASSERT_EQ(darp_command(command).code, 0);
  const fs::path search = fs::path(path("out")) / "searches/hopper/bc/searched";
  const auto reports = [&] {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(search))
      if (entry.path().filename().string().starts_with("report-")) found.push_back(entry.path());
    return found;
  };
  ASSERT_FALSE(reports().empty());
  for (const fs::path& report : reports()) fs::remove(report);
  {
    const FileLock elsewhere = FileLock::take(search / ".report-lock");
    interrupt(command, std::chrono::seconds(2), SIGINT);
    EXPECT_TRUE(reports().empty());
  }
  EXPECT_EQ(darp_command(command).code, 0);
  EXPECT_FALSE(reports().empty());
}

class StudyCli : public Cli {
 protected:
  /// A study of six runs that take long enough to be caught at work.
  std::string declare() const {
    write_file(path("few.yaml"), std::string_view(R"(
title: A few runs
tasks: [hopper]
methods: [bc, darp]
seeds: 3
episodes: 2
baseline: bc
set: ["train.epochs=3", "policy.network.hidden=[8]", "?policy.retrieval.k=20", "env.time_limit=40"]
)"));
    return "study " + path("few.yaml") + kRoot;
  }
  /// Time and bytes of each run's record.
  std::map<std::string, std::pair<fs::file_time_type, std::string>> records(
      const std::string& out) const {
    std::map<std::string, std::pair<fs::file_time_type, std::string>> found;
    if (!fs::exists(path(out))) return found;
    for (const auto& entry : fs::recursive_directory_iterator(path(out)))
      if (entry.path().filename() == "record.json")
        found[entry.path().string()] = {fs::last_write_time(entry.path()),
                                        study_text(entry.path())};
    return found;
  }
};

TEST_F(Cli, ASweepOfTheRecipeLearnsByIt) {
  const Outcome outcome =
      darp_command("study robustness --quick --set seeds=1 --out " + path("out") + kRoot);
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_CONTAINS(bytes("out/runs/hopper/darp/recipe/seed-0/record.json"),
                  "train.backstep.part=0.8");
}

TEST_F(StudyCli, ListsStudiesAndRuns) {
  const Outcome list = darp_command("study list" + kRoot);
  EXPECT_EQ(list.code, 0) << list.output;
  for (const std::string& name : study_names()) EXPECT_CONTAINS(list.output, name);
  const Outcome plan = darp_command(declare() + "--dry-run --out " + path("out"));
  EXPECT_CONTAINS(plan.output, "hopper/darp/published/seed-2\n");
  EXPECT_CONTAINS(plan.output, "6 runs\n");
  const Outcome timings =
      darp_command("study runtime-table --quick --dry-run --out " + path("out") + kRoot);
  EXPECT_CONTAINS(timings.output, "hopper-darp-k-5\n");
  EXPECT_CONTAINS(timings.output, "6 runs\n");
  EXPECT_FALSE(fs::exists(path("out")));
  EXPECT_EQ(darp_command("study nosuch" + kRoot).code, 1);
  EXPECT_CONTAINS(darp_command("study ablation" + kRoot).output, "did you mean 'ablations'");
}

TEST_F(StudyCli, LosesAndRepeatsNoRunWhenItIsKilled) {
  const std::string command = declare() + "--jobs 2 --out " + path("out");
  std::map<std::string, std::pair<fs::file_time_type, std::string>> before;
  for (const int wait : {60, 150, 250, 350}) {
    interrupt(command, std::chrono::milliseconds(wait), SIGKILL);
    for (const auto& [file, record] : before) EXPECT_EQ(records("out")[file], record) << file;
    before = records("out");
  }
  const Outcome rest = darp_command(command);
  EXPECT_EQ(rest.code, 0) << rest.output;
  const auto after = records("out");
  EXPECT_EQ(after.size(), 6u);
  for (const auto& [file, record] : before) EXPECT_EQ(after.at(file), record) << file;

  // Once more: nothing is done, and the same comes out.
  const std::string exhibits = bytes("out/exhibits.json");
  EXPECT_EQ(darp_command(command).code, 0);
  EXPECT_EQ(records("out"), after);
  EXPECT_EQ(bytes("out/exhibits.json"), exhibits);

  // As if it had never been killed.
  EXPECT_EQ(darp_command(declare() + "--jobs 1 --out " + path("whole")).code, 0);
  EXPECT_EQ(bytes("out/csv/main.csv"), bytes("whole/csv/main.csv"));
  EXPECT_EQ(bytes("out/csv/comparison.csv"), bytes("whole/csv/comparison.csv"));
}

TEST_F(StudyCli, SharesAFolderWithAnother) {
  const std::string one =
      DARP_BINARY_DIR "/bin/darp " + declare() + "--jobs 1 --out " + path("out");
  const Outcome both = shell_command(one + " & " + one + "; a=$?; wait $! && exit $a");
  EXPECT_EQ(both.code, 0) << both.output;
  EXPECT_EQ(records("out").size(), 6u);
  // Fewer methods, more seeds: what is there stays.
  const auto before = records("out");
  EXPECT_EQ(darp_command(declare() + "--set seeds=4 --set methods=[bc] --out " + path("out")).code,
            0);
  const auto after = records("out");
  EXPECT_EQ(after.size(), 7u);
  for (const auto& [file, record] : before) EXPECT_EQ(after.at(file), record) << file;
  // The same run with other settings is another run.
  const Outcome other =
      darp_command(declare() + "--set 'set=[\"train.epochs=4\"]' --out " + path("out"));
  EXPECT_EQ(other.code, 1);
  EXPECT_CONTAINS(other.output, "other settings");
  const Outcome again = darp_command(declare() + "--report-only --out " + path("out"));
  EXPECT_EQ(again.code, 0);
  EXPECT_CONTAINS(again.output, "report: ");
}

}  // namespace
}  // namespace darp
