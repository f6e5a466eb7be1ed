#include "darp/train/run_directory.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>

#include "darp/core/file.h"
#include "tests/error_of.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

namespace fs = std::filesystem;
using Start = RunDirectory::Start;

class RunDirectoryTest : public ::testing::Test {
 protected:
  const fs::path folder_ = test_folder() / "run";

  std::string error(Start start) {
    return error_of([&] { RunDirectory run(folder_, start); });
  }
};

TEST_F(RunDirectoryTest, IsMadeWithItsParents) {
  RunDirectory run(folder_ / "a" / "b", Start::kNew);
  EXPECT_FALSE(run.has_run());
  run.write_config("epochs: 3\n");
  EXPECT_TRUE(run.has_run());
  EXPECT_TRUE(fs::is_directory(folder_ / "a/b/tb"));
  EXPECT_TRUE(fs::is_directory(folder_ / "a/b/checkpoints"));
  EXPECT_EQ(as_text(MappedFile(folder_ / "a/b/config.yaml").bytes()), "epochs: 3\n");
}

TEST_F(RunDirectoryTest, IsNotWrittenIntoWhenSomethingIsThere) {
  fs::create_directories(folder_);
  EXPECT_EQ(error(Start::kNew), "no error");
  EXPECT_EQ(error(Start::kNew), "no error");  // nothing but the lock was left
  RunDirectory(folder_, Start::kNew).write_config("");
  EXPECT_SAYS(error(Start::kNew), "choose another --out, or add --resume");

  fs::remove_all(folder_);
  fs::create_directories(folder_);
  write_file(folder_ / "thesis.txt", "precious");
  EXPECT_SAYS(error(Start::kNew), "is not empty");
  EXPECT_SAYS(error(Start::kResume), "it is no run");
  EXPECT_FALSE(fs::exists(folder_ / ".lock"));
}

TEST_F(RunDirectoryTest, IsResumedWhereARunWasStarted) {
  EXPECT_SAYS(error(Start::kResume), "does not exist");
  EXPECT_FALSE(fs::exists(folder_));
  RunDirectory(folder_, Start::kNew).write_config("epochs: 3\n");
  fs::remove(folder_ / "tb");
  RunDirectory run(folder_, Start::kResume);
  EXPECT_TRUE(run.has_run());
  EXPECT_TRUE(fs::is_directory(folder_ / "tb"));
}

TEST_F(RunDirectoryTest, CanBeResumedBeforeAnythingWasWritten) {
  { RunDirectory run(folder_, Start::kNew); }
  EXPECT_FALSE(RunDirectory(folder_, Start::kResume).has_run());
}

TEST_F(RunDirectoryTest, BelongsToOneTrainingAtATime) {
  std::optional<RunDirectory> run;
  run.emplace(folder_, Start::kNew);
  EXPECT_SAYS(error(Start::kNew), "another training writes into it");
  run->write_config("");
  EXPECT_SAYS(error(Start::kResume), "another training writes into it");
  run.reset();
  EXPECT_EQ(error(Start::kResume), "no error");
}

TEST_F(RunDirectoryTest, IsFreeAgainWhenItsTrainingIsKilled) {
  fs::create_directories(folder_);
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      RunDirectory run(folder_, Start::kNew);
      if (::write(ready[1], "x", 1) == 1) ::pause();
    } catch (...) {
    }
    ::_exit(1);
  }
  ::close(ready[1]);
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_SAYS(error(Start::kNew), "another training");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(error(Start::kNew), "no error");
  ::close(ready[0]);
}

TEST_F(RunDirectoryTest, SaysWhenItCannotBe) {
  fs::create_directories(folder_);
  write_file(folder_ / "file", "");
  const fs::path below_file = folder_ / "file" / "run", file = folder_ / "file";
  EXPECT_SAYS(error_of([&] { RunDirectory run(file, Start::kNew); }), file.string());
  EXPECT_SAYS(error_of([&] { RunDirectory run(below_file, Start::kNew); }), below_file.string());
}

TEST_F(RunDirectoryTest, KeepsWhereItCameFrom) {
  RunDirectory run(folder_, Start::kNew);
  run.write_manifest({.data_file = "demos/\xff.hdf5",  // a path that is not UTF-8
                      .data_hash = "abc",
                      .seeds = {1, 2},
                      .version = "0.1.0",
                      .cpu = "A CPU",
                      .threads = 4,
                      .started = 1'700'000'000});
  const MappedFile file(run.layout().manifest());
  const auto json = nlohmann::json::parse(as_text(file.bytes()));
  EXPECT_EQ(json["data"]["hash"], "abc");
  EXPECT_EQ(json["data"]["file"], "demos/\xef\xbf\xbd.hdf5");
  EXPECT_EQ(json["seeds"], (std::vector<int>{1, 2}));
  EXPECT_EQ(json["version"], "0.1.0");
  EXPECT_EQ(json["cpu"], "A CPU");
  EXPECT_EQ(json["threads"], 4);
  EXPECT_EQ(json["started"], "2023-11-14T22:13:20Z");
  EXPECT_FALSE(cpu_name().empty());
}

TEST_F(RunDirectoryTest, GoesOnWithTheEventFileThatIsThere) {
  RunDirectory run(folder_, Start::kNew);
  run.write_config("");
  const fs::path first = run.layout().event_file(100);
  EXPECT_EQ(first.parent_path(), run.layout().tensorboard());
  EXPECT_EQ(first.filename().string().rfind("events.out.tfevents.100.", 0), 0u);
  EXPECT_NE(run.layout().event_file(200), first);
  write_file(first, "");
  write_file(run.layout().tensorboard() / "a_note.txt", "");
  EXPECT_EQ(run.layout().event_file(200), first);
}

}  // namespace
}  // namespace darp
