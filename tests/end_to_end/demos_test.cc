// The demonstrations that come with the project are what their manifest says, and can be made
// again.

#include <gtest/gtest.h>

#include <set>

#include "darp/env/registry.h"
#include "darp/expert/demonstration_file.h"
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
  EXPECT_LE(bytes, 14'000'000u);
}

/// From the state and the actions in the file to every observation and reward in it, to the bit:
/// the last three episodes of each.
TEST_F(Demos, ReplayFromTheirFiles) {
  for (const ManifestEntry& entry : entries_) {
    SCOPED_TRACE(entry.file);
    const DemonstrationReader file(kProject / "demos" / entry.file);
    const auto environment = make_environment(entry.environment);
    std::vector<float> seen(static_cast<size_t>(environment->info().observations.dim()));
    const auto actions = static_cast<size_t>(environment->info().actions.dim());
    environment->reset(1);
    for (int64_t e = std::max<int64_t>(0, file.episodes() - 3); e < file.episodes(); ++e) {
      const Demonstration stored = file.demonstration(e);
      const std::vector<float>& done = stored.executed.empty() ? stored.actions : stored.executed;
      environment->restore(stored.initial_state);
      for (size_t t = 0; t < stored.rewards.size(); ++t) {
        environment->observe(seen);
        ASSERT_TRUE(std::equal(seen.begin(), seen.end(),
                               stored.observations.begin() + static_cast<int64_t>(seen.size() * t)))
            << "episode " << e << ", step " << t;
        ASSERT_EQ(environment->step(std::span(done).subspan(actions * t, actions)).reward,
                  stored.rewards[t])
            << "episode " << e << ", step " << t;
      }
    }
  }
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
