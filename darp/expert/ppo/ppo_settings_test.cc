#include "darp/expert/ppo/ppo_settings.h"

#include <gtest/gtest.h>

#include "darp/env/registry.h"
#include "darp/expert/ppo/expert_network.h"
#include "tests/error_of.h"

namespace darp {
namespace {

TEST(PpoSettings, HaveWholeUpdates) {
  PpoSettings settings;
  settings.environments = 3, settings.horizon = 10, settings.steps = 91;
  EXPECT_EQ(settings.rows(), 30);
  EXPECT_EQ(settings.iterations(), 4);
  settings.steps = 90;
  EXPECT_EQ(settings.iterations(), 3);
}

TEST(PpoSettings, ContradictionsSayWhatToChange) {
  const auto message = [](auto change) {
    PpoSettings settings;
    change(settings);
    return error_of([&] { settings.check(); });
  };
  EXPECT_EQ(message([](PpoSettings&) {}), "no error");
  EXPECT_SAYS(message([](PpoSettings& s) { s.batch = s.rows() + 1; }),
              "batch: is 8193, but an update has 8192 steps");
  EXPECT_SAYS(message([](PpoSettings& s) { s.batch = s.rows() + 1; }), "make it smaller");
  EXPECT_EQ(message([](PpoSettings& s) { s.batch = s.rows(); }), "no error");
  EXPECT_SAYS(message([](PpoSettings& s) { s.steps = s.rows() - 1; }), "give more");
  // Nobody could read such an expert.
  EXPECT_SAYS(message([](PpoSettings& s) { s.actor.assign(16, 4); }), "give 15 at most");
  EXPECT_SAYS(message([](PpoSettings& s) { s.critic.assign(16, 4); }), "critic");
  EXPECT_EQ(message([](PpoSettings& s) { s.actor.assign(15, 4); }), "no error");
  EXPECT_EQ(message([](PpoSettings& s) { s.actor.clear(); }), "no error");
}

TEST(PpoSettings, HaveARecipeForEveryEnvironment) {
  for (const std::string& name : environment_names())
    EXPECT_EQ(error_of([&] { ppo_recipe(name).check(); }), "no error") << name;
  EXPECT_NE(ppo_recipe("hopper").steps, PpoSettings().steps);
  EXPECT_EQ(ppo_recipe("dummy").steps, PpoSettings().steps);
}

}  // namespace
}  // namespace darp
