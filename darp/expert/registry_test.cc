#include "darp/expert/registry.h"

#include <gtest/gtest.h>

#include "darp/env/registry.h"
#include "tests/error_of.h"
#include "tests/random_expert.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

std::string refusal(const ExpertChoice& choice) {
  return error_of([&] { resolved(choice); });
}

TEST(ExpertRegistry, HasAnExpertForEveryTaskButTheDummy) {
  for (const std::string& name : environment_names())
    EXPECT_EQ(expert_names(name).empty(), name == "dummy") << name;
  EXPECT_EQ(expert_names("hopper"), std::vector<std::string>{"rl"});
  EXPECT_EQ(expert_names("maze_umaze"), std::vector<std::string>{"planner"});
  EXPECT_EQ(expert_names("push_t"), std::vector<std::string>{"mpc"});
  EXPECT_TRUE(expert_names("hoppers").empty());
}

TEST(ExpertRegistry, FillsInWhatIsLeftOut) {
  EXPECT_EQ(resolved({"hopper", "", "mine.safetensors"}).expert, "rl");
  EXPECT_EQ(resolved({"hopper", "rl", "mine.safetensors"}).network, "mine.safetensors");
  const ExpertChoice maze = resolved({"maze_long", "", {}});
  EXPECT_EQ(maze.expert, "planner");
  EXPECT_TRUE(maze.network.empty());
}

TEST(ExpertRegistry, SaysWhatDoesNotFitAndWhatWould) {
  EXPECT_SAYS(refusal({"hoper", "rl", {}}), "'hoper' is none");
  EXPECT_SAYS(refusal({"hoper", "rl", {}}), "hopper");
  EXPECT_SAYS(refusal({"dummy", "", {}}), "nobody knows dummy");
  EXPECT_SAYS(refusal({"hopper", "planner", {}}), "'planner' does not know hopper");
  EXPECT_SAYS(refusal({"hopper", "planner", {}}), "rl");
  EXPECT_SAYS(refusal({"push_t", "\x1b[2J", {}}), "does not know push_t");
  EXPECT_EQ(refusal({"push_t", "\x1b[2J", {}}).find('\x1b'), std::string::npos);
  EXPECT_SAYS(refusal({"push_t", "", "net.safetensors"}), "is for expert rl, not for mpc");
}

TEST(ExpertRegistry, FindsBundledNetworksInTheProjectsFolderAlone) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(DARP_SOURCE_DIR);
  const ExpertChoice hopper = resolved({"hopper", "", {}});
  std::filesystem::current_path(test_folder());
  const std::string elsewhere = refusal({"hopper", "", {}});
  std::filesystem::current_path(before);
  EXPECT_EQ(hopper.expert, "rl");
  EXPECT_EQ(hopper.network, bundled_network("hopper"));
  EXPECT_SAYS(elsewhere, "run darp in its own folder");
}

TEST(ExpertRegistry, BundledNetworksLieInTheTree) {
  EXPECT_EQ(bundled_network("ant").generic_string(), "demos/experts/ant/expert.safetensors");
  for (const std::string& name : environment_names())
    for (const std::string& expert : expert_names(name))
      if (expert == "rl") {
        const auto path = std::filesystem::path(DARP_SOURCE_DIR) / bundled_network(name);
        EXPECT_EQ(error_of([&] { make_expert({name, expert, path}); }), "no error");
      }
}

TEST(ExpertRegistry, MakesExpertsThatStartInTheirEnvironment) {
  for (const char* name : {"maze_umaze", "push_t"}) {
    const auto environment = make_environment(name);
    environment->reset(1);
    const auto expert = make_expert({name, "", {}});
    EXPECT_EQ(error_of([&] { expert->start(*environment, Rng(1)); }), "no error");
  }
}

TEST(ExpertRegistry, RefusesNetworksOfOtherEnvironments) {
  const auto path = test_folder() / "expert.safetensors";
  write_expert_network(path, random_expert("hopper", {11, 4, 3}, 1));
  EXPECT_EQ(error_of([&] { make_expert({"hopper", "rl", path}); }), "no error");
  EXPECT_SAYS(error_of([&] {
                make_expert({"ant", "rl", path});
              }),
              "is an expert for hopper, not for ant");
  EXPECT_SAYS(error_of([&] {
                make_expert({"ant", "rl", path.parent_path() / "none"});
              }),
              "cannot be opened");
}

}  // namespace
}  // namespace darp
