#include "darp/expert/mimicgen/mimicgen_expert.h"

#include <gtest/gtest.h>

#include "darp/env/registry.h"
#include "darp/expert/collector.h"
#include "darp/expert/mimicgen/source_episodes.h"
#include "tests/error_of.h"

namespace darp {
namespace {

class EveryMimicked : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Mimicgen, EveryMimicked, ::testing::Values("stack", "square", "threading"),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(EveryMimicked, SucceedsOftenAndMakesTheSameAgain) {
  const auto environment = make_environment(GetParam());
  const auto expert = make_mimicgen_expert();
  int solved = 0;
  for (uint64_t seed = 0; seed < 10; ++seed)
    solved += demonstrate(*environment, *expert, seed, 0).record.success ? 1 : 0;
  EXPECT_GE(solved, 4);
  const Demonstration first = demonstrate(*environment, *expert, 3, 0),
                      again = demonstrate(*environment, *make_mimicgen_expert(), 3, 0);
  EXPECT_EQ(again.actions, first.actions);
  EXPECT_EQ(again.states, first.states);
  EXPECT_NE(demonstrate(*environment, *expert, 4, 0).actions, first.actions);
}

TEST_P(EveryMimicked, SourcesGraspWhatTheyAreAbout) {
  for (const SourceEpisode& source : source_episodes(GetParam())) {
    EXPECT_GT(source.grasp, 10);
    EXPECT_LT(source.grasp, std::ssize(source.steps) - 10);
    EXPECT_LT(length(source.steps[source.grasp].grip.position -
                     source.steps[source.grasp].grasped.position),
              0.08);
  }
}

TEST(Mimicgen, KnowsThreeTasks) {
  const auto expert = make_mimicgen_expert();
  EXPECT_SAYS(error_of([&] { expert->start(*make_environment("hopper"), Rng(0)); }), "hopper");
  EXPECT_SAYS(error_of([&] { expert->start(*make_environment("close_door"), Rng(0)); }),
              "close_door");
}

}  // namespace
}  // namespace darp
