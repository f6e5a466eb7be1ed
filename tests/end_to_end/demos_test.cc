// The demonstrations that come with the project are what their manifest says, and can be made
// again.

#include <gtest/gtest.h>

#include <set>

#include "darp/env/registry.h"
#include "darp/expert/manifest.h"
#include "darp/expert/registry.h"
#include "tests/end_to_end/darp_command.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

const fs::path kProject = DARP_SOURCE_DIR;

class Demos : public Cli {
 protected:
  const std::vector<ManifestEntry> entries_ = read_manifest(kProject / "demos/manifest.json");
};

TEST_F(Demos, AreWhatTheManifestSays) {
  check_manifest(kProject / "demos/manifest.json");
}

TEST_F(Demos, AreThereForEveryEnvironmentThatHasAnExpert) {
  std::set<std::string> there;
  for (const ManifestEntry& entry : entries_) there.insert(entry.environment);
  for (const std::string& name : environment_names())
    if (!expert_names(name).empty()) {
      EXPECT_TRUE(there.contains(name)) << name;
    }
}

TEST_F(Demos, AreSmall) {
  uint64_t bytes = 0;
  for (const auto& file : fs::recursive_directory_iterator(kProject / "demos"))
    if (file.is_regular_file()) bytes += file.file_size();
  EXPECT_LE(bytes, 12'000'000u);
}

// The bits of a simulation are the same only where the compiler's library and MuJoCo are; the
// manifest was made on Debian 12, for which this project is.
TEST_F(Demos, AreMadeAgainByTheirCommands) {
  int again = 0;
  for (const ManifestEntry& entry : entries_) {
    if (entry.environment == "push_t") continue;  // takes minutes
    const std::string out = " --out demos/" + entry.file;
    std::string command = entry.command;
    const size_t at = command.find(out);
    ASSERT_NE(at, std::string::npos) << command;
    command = "cd " + kProject.string() + " && " DARP_BINARY_DIR "/bin/darp" +
              command.substr(4, at - 4) + " --out " + path(entry.file);
    const Outcome made = shell_command(command);
    ASSERT_EQ(made.code, 0) << made.output;
    EXPECT_CONTAINS(made.output, entry.data_hash);
    EXPECT_EQ(fs::file_size(path(entry.file)), entry.bytes);
    ++again;
  }
  EXPECT_GE(again, 6);
}

}  // namespace
}  // namespace darp
