// darp collect, as a user runs it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "darp/data/ingest/read_dataset.h"
#include "darp/env/registry.h"
#include "darp/expert/manifest.h"
#include "tests/end_to_end/darp_command.h"

namespace darp {
namespace {

const std::string kMaze = "collect --env maze_umaze --expert planner --episodes 3 ";

class CollectCli : public Cli {
 protected:
  /// Folders, because a file knows its name.
  std::string in_folder(const std::string& folder) const {
    std::filesystem::create_directories(folder_ / folder);
    return path(folder + "/maze.hdf5");
  }
};

TEST_F(CollectCli, MakesTheSameFileForOneThreadAndTwo) {
  const Outcome one = darp_command(kMaze + "--threads 1 --noise 0.1 --out " + in_folder("one"));
  EXPECT_EQ(one.code, 0) << one.output;
  EXPECT_CONTAINS(one.output, "kept         3 episodes");
  EXPECT_EQ(darp_command(kMaze + "--threads 2 --noise 0.1 --out " + in_folder("two")).code, 0);
  EXPECT_EQ(bytes("one/maze.hdf5"), bytes("two/maze.hdf5"));
  EXPECT_FALSE(std::filesystem::exists(path("one/maze.hdf5.partial")));
  // The hash is that of darp info.
  const Dataset dataset = read_dataset(path("one/maze.hdf5")).dataset;
  EXPECT_EQ(dataset.episodes(), 3);
  EXPECT_CONTAINS(one.output, dataset.content_hash());
  EXPECT_CONTAINS(darp_command("info " + path("one/maze.hdf5")).output, dataset.content_hash());
}

TEST_F(CollectCli, StoredStatesAndActionsReplayToTheBit) {
  ASSERT_EQ(darp_command(kMaze + "--noise 0.1 --out " + path("maze.hdf5")).code, 0);
  const Demonstration stored = DemonstrationReader(path("maze.hdf5")).demonstration(1);
  const auto environment = make_environment("maze_umaze");
  environment->reset(0);
  const size_t width = stored.initial_state.size(), steps = stored.rewards.size(), from = steps / 2,
               observed = environment->info().observations.names.size(),
               acted = environment->info().actions.names.size();
  environment->restore(std::span(stored.states).subspan(from * width, width));
  std::vector<float> seen(observed);
  for (size_t t = from; t < steps; ++t) {
    environment->observe(seen);
    EXPECT_TRUE(std::equal(seen.begin(), seen.end(),
                           stored.observations.begin() + static_cast<int64_t>(t * observed)));
    EXPECT_EQ(environment->step(std::span(stored.executed).subspan(t * acted, acted)).reward,
              stored.rewards[t]);
  }
}

TEST_F(CollectCli, TheManifestsCommandMakesTheFileAgain) {
  const std::string out = path("maze.hdf5"), manifest = path("manifest.json");
  const Outcome made =
      darp_command(kMaze + "--noise 0.05 --set time_limit=120 --states first --out " + out +
                   " --manifest " + manifest);
  ASSERT_EQ(made.code, 0) << made.output;
  check_manifest(manifest);
  const std::string file = bytes("maze.hdf5"), list = bytes("manifest.json");
  const std::string command = read_manifest(manifest).at(0).command;
  std::filesystem::remove(out);
  ASSERT_TRUE(command.starts_with("darp ")) << command;
  const Outcome again = darp_command(command.substr(5));
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_EQ(bytes("maze.hdf5"), file);
  EXPECT_EQ(bytes("manifest.json"), list);
}

TEST_F(CollectCli, WithoutAFileTheExpertIsEvaluated) {
  const Outcome outcome = darp_command(kMaze + "--json " + path("expert.json"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_CONTAINS(outcome.output, "maze_umaze, seeds 0..2 (report)");
  EXPECT_CONTAINS(outcome.output, "expert planner");
  const Outcome same = darp_command("compare " + path("expert.json") + " " + path("expert.json"));
  EXPECT_EQ(same.code, 4) << same.output;
}

TEST_F(CollectCli, WrongInputIsOneLineThatSaysWhatToDo) {
  const std::string out = " --out " + path("x.hdf5");
  for (const auto& [arguments, message] : std::vector<std::pair<std::string, std::string>>{
           {"--env maze_umase" + out, "did you mean 'maze_umaze'?"},
           {"--env maze_umaze --expert planer" + out, "planner"},
           {"--env maze_umaze --seeds 0..9" + out, "take seeds from 1000000 on"},
           {"--env maze_umaze --seeds 1000000..1000001 --episodes 3" + out, "give fewer episodes"},
           {"--env maze_umaze --episodes 1 --out " + path("none/x.hdf5"), "folder exists"},
           {"--env maze_umaze --episodes 1 --out " + folder_.string(), "is a folder"},
           {"--env maze_umaze --noise -1" + out, "--noise"},
           {"--env maze_umaze --states all" + out, "valid: every, first"},
           {"--env maze_umaze --min-return 5", "give --out"},
           {"--env maze_umaze --json x.json" + out, "give one of the two"},
           {"--env maze_umaze --set time_limt=5" + out, "did you mean 'time_limit'?"},
           {"--env maze_umaze --set time_limit=5 --episodes 2 --min-return 1e9" + out,
            "0 of 40 episodes passed where 2 are wanted"}}) {
    const Outcome outcome = darp_command("collect " + arguments);
    EXPECT_EQ(outcome.code, 1) << arguments << "\n" << outcome.output;
    EXPECT_CONTAINS(outcome.output, "error: ");
    EXPECT_CONTAINS(outcome.output, message);
    EXPECT_FALSE(std::filesystem::exists(path("x.hdf5")));
  }
  EXPECT_EQ(darp_command("collect").code, 2);
  EXPECT_EQ(darp_command("collect --env maze_umaze --episodes 0").code, 2);
}

TEST_F(CollectCli, AJournalOfSomethingElseIsLeftAlone) {
  // A range that was used up leaves its episodes to go on from.
  const std::string command = "collect --env maze_umaze --expert planner --set time_limit=5 ";
  const std::string out = " --out " + path("x.hdf5");
  EXPECT_EQ(darp_command(command + "--episodes 2 --min-return 1e9" + out).code, 1);
  ASSERT_TRUE(std::filesystem::exists(path("x.hdf5.partial")));
  const Outcome other = darp_command(command + "--episodes 2 --noise 0.5" + out);
  EXPECT_EQ(other.code, 1);
  EXPECT_CONTAINS(other.output, "x.hdf5.partial: holds episodes of another collection");
  const Outcome lower = darp_command(command + "--episodes 2" + out);
  EXPECT_EQ(lower.code, 0) << lower.output;
  EXPECT_CONTAINS(lower.output, "40 episodes already done");
}

}  // namespace
}  // namespace darp
