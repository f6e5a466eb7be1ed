// What every environment promises, asked of every one there is.

#include "darp/env/registry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "darp/core/finite.h"
#include "darp/core/rng.h"
#include "tests/error_of.h"
#include "tests/observation_of.h"

namespace darp {
namespace {

std::vector<float> random_action(const Environment& environment, Rng& rng) {
  const Space& space = environment.info().actions;
  std::vector<float> action;
  for (size_t i = 0; i < space.low.size(); ++i)
    action.push_back(static_cast<float>(rng.uniform(space.low[i], space.high[i])));
  return action;
}

/// What an episode with random actions shows, step by step.
std::vector<float> episode_of(Environment& environment, uint64_t seed, int64_t steps) {
  Rng rng(seed);
  environment.reset(seed);
  std::vector<float> shown = observation_of(environment);
  for (int64_t t = 0; t < steps; ++t) {
    const Step step = environment.step(random_action(environment, rng));
    const std::vector<float> now = observation_of(environment);
    shown.insert(shown.end(), now.begin(), now.end());
    shown.push_back(static_cast<float>(step.reward));
    if (step.end != EpisodeEnd::kRunning) break;
  }
  return shown;
}

class EveryEnvironment : public ::testing::TestWithParam<std::string> {
 protected:
  const std::unique_ptr<Environment> environment_ = make_environment(GetParam());
};

TEST_P(EveryEnvironment, TellsWhatItIs) {
  const EnvironmentInfo& info = environment_->info();
  EXPECT_EQ(info.name, GetParam());
  EXPECT_GT(info.title.size(), 10u);
  EXPECT_GT(info.time_limit, 0);
  EXPECT_GT(info.step_seconds, 0);
  EXPECT_FALSE(info.cameras.empty());
  EXPECT_FALSE(info.bodies.empty());
  for (const Space* space : {&info.observations, &info.actions}) {
    EXPECT_GT(space->dim(), 0);
    EXPECT_EQ(space->low.size(), space->names.size());
    EXPECT_EQ(space->high.size(), space->names.size());
    const std::set<std::string> names(space->names.begin(), space->names.end());
    EXPECT_EQ(names.size(), space->names.size()) << "names are all different";
    for (size_t i = 0; i < space->names.size(); ++i) EXPECT_LT(space->low[i], space->high[i]);
  }
}

TEST_P(EveryEnvironment, TheSameSeedIsTheSameEpisodeWhateverCameBefore) {
  const auto other = make_environment(GetParam());
  const std::vector<float> first = episode_of(*environment_, 7, 60);
  EXPECT_TRUE(all_finite(first));
  episode_of(*other, 8, 33);
  other->set_force(other->info().bodies.front(), {5, 3, 1});
  EXPECT_EQ(episode_of(*other, 7, 60), first);
  EXPECT_NE(episode_of(*other, 8, 60), first);
}

TEST_P(EveryEnvironment, StartsWithinItsLimits) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    environment_->reset(seed);
    const std::vector<float> observation = observation_of(*environment_);
    const Space& space = environment_->info().observations;
    for (size_t i = 0; i < observation.size(); ++i) {
      EXPECT_GE(observation[i], space.low[i]) << space.names[i];
      EXPECT_LE(observation[i], space.high[i]) << space.names[i];
    }
  }
}

TEST_P(EveryEnvironment, GoesOnToTheBitFromASavedState) {
  // Eight environments, 130 points each: in the middle of episodes, into the same and into another.
  Rng rng(5);
  const auto other = make_environment(GetParam());
  for (int point = 0; point < 130;) {
    environment_->reset(rng.below(1000));
    bool over = false;
    for (uint64_t t = rng.below(40); t > 0 && !over; --t)
      over = environment_->step(random_action(*environment_, rng)).end != EpisodeEnd::kRunning;
    if (over) continue;
    ++point;
    const std::vector<double> state = saved_state(*environment_);
    const auto go_on = [&](Environment& environment) {
      Rng actions(static_cast<uint64_t>(point));
      std::vector<float> shown = observation_of(environment);
      for (int t = 0; t < 10; ++t) {
        const Step step = environment.step(random_action(environment, actions));
        const std::vector<float> now = observation_of(environment);
        shown.insert(shown.end(), now.begin(), now.end());
        shown.push_back(static_cast<float>(step.reward));
        shown.push_back(static_cast<float>(step.end));
        if (step.end != EpisodeEnd::kRunning) break;
      }
      return std::pair(shown, saved_state(environment));
    };
    const auto expected = go_on(*environment_);
    environment_->restore(state);
    EXPECT_EQ(saved_state(*environment_), state);
    EXPECT_EQ(go_on(*environment_), expected) << "back, point " << point;
    other->restore(state);
    EXPECT_EQ(go_on(*other), expected) << "into another, point " << point;
  }
}

TEST_P(EveryEnvironment, RefusesStatesThatAreNone) {
  environment_->reset(0);
  std::vector<double> state = saved_state(*environment_);
  EXPECT_SAYS(error_of([&] { environment_->restore({}); }), "restore only");
  EXPECT_SAYS(error_of([&] { environment_->restore(std::span(state).first(state.size() - 1)); }),
              "restore only");
  state[1] = NAN;
  EXPECT_SAYS(error_of([&] { environment_->restore(state); }), "restore only");
}

TEST_P(EveryEnvironment, EndsByNameForActionsThatAreNone) {
  environment_->reset(0);
  const size_t size = environment_->info().actions.names.size();
  EXPECT_EQ(environment_->step(std::vector<float>(size + 1)).end, EpisodeEnd::kActionSize);
  std::vector<float> action(size);
  action.back() = NAN;
  EXPECT_EQ(environment_->step(action).end, EpisodeEnd::kActionNotFinite);
}

TEST_P(EveryEnvironment, StopsAtTheTimeLimit) {
  EnvironmentSettings settings;
  settings.time_limit = 2;
  const auto limited = make_environment(GetParam(), settings);
  limited->reset(1);
  Rng rng(1);
  EXPECT_EQ(limited->step(random_action(*limited, rng)).end, EpisodeEnd::kRunning);
  EXPECT_EQ(limited->step(random_action(*limited, rng)).end, EpisodeEnd::kTruncated);
}

TEST_P(EveryEnvironment, APushMovesIt) {
  EnvironmentSettings settings;
  const std::vector<std::string>& bodies = environment_->info().bodies;
  settings.push.body = bodies[bodies.size() / 2];
  settings.push.force = {30, 20, 0}, settings.push.start = 0, settings.push.duration = 10;
  const auto pushed = make_environment(GetParam(), settings);
  EXPECT_NE(episode_of(*pushed, 3, 5), episode_of(*environment_, 3, 5));
  settings.push.body = "nobody";
  EXPECT_SAYS(error_of([&] { make_environment(GetParam(), settings); }), "nobody");
}

TEST_P(EveryEnvironment, ItsPicturesShowTheStateAndChangeNothing) {
  environment_->reset(2);
  const std::vector<double> state = saved_state(*environment_);
  for (const std::string& camera : environment_->info().cameras) {
    const Image image = environment_->render(camera, 160, 120);
    EXPECT_EQ(image.width, 160);
    EXPECT_EQ(image.height, 120);
    const std::set<uint8_t> shades(image.pixels.begin(), image.pixels.end());
    EXPECT_GT(shades.size(), 8u) << "not empty";
    EXPECT_EQ(environment_->render(camera, 160, 120).pixels, image.pixels);
  }
  EXPECT_EQ(saved_state(*environment_), state);
  EXPECT_SAYS(error_of([&] { environment_->render("nowhere", 160, 120); }),
              environment_->info().cameras.front());
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryEnvironment, ::testing::ValuesIn(environment_names()),
                         [](const auto& each) { return each.param; });

TEST(Registry, AnUnknownNameListsThoseThereAre) {
  EXPECT_SAYS(error_of([] { make_environment("hoper"); }),
              "did you mean 'hopper'? valid: hopper, walker2d");
}

TEST(Registry, RefusesSettingsOfOtherEnvironments) {
  EnvironmentSettings settings;
  settings.ant.contact_forces = true;
  EXPECT_EQ(make_environment("ant", settings)->info().observations.dim(), 111);
  EXPECT_SAYS(error_of([&] { make_environment("hopper", settings); }),
              "settings mean nothing to the environment hopper");
}

}  // namespace
}  // namespace darp
