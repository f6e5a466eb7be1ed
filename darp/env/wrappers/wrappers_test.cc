#include <gtest/gtest.h>

#include <cmath>

#include "darp/core/rng.h"
#include "darp/env/dummy/dummy.h"
#include "darp/env/wrappers/clip_actions.h"
#include "darp/env/wrappers/noise.h"
#include "darp/env/wrappers/push.h"
#include "darp/env/wrappers/time_limit.h"
#include "tests/error_of.h"
#include "tests/observation_of.h"

namespace darp {
namespace {

constexpr float kStill[] = {0, 0};

TEST(TimeLimit, CutsOffAfterTheLastStep) {
  TimeLimit limited(make_dummy(), 3);
  EXPECT_EQ(limited.info().time_limit, 3);
  for (int episode = 0; episode < 2; ++episode) {
    limited.reset(1);
    EXPECT_EQ(limited.step(kStill).end, EpisodeEnd::kRunning);
    EXPECT_EQ(limited.step(kStill).end, EpisodeEnd::kRunning);
    EXPECT_EQ(limited.step(kStill).end, EpisodeEnd::kTruncated);
  }
}

TEST(TimeLimit, LeavesTheTasksOwnEndInTheLastStep) {
  TimeLimit limited(make_dummy(), 1);
  limited.reset(1);
  const double at_goal[] = {0, 0, 0, 0, 1, 0, 0};
  limited.restore(at_goal);
  EXPECT_EQ(limited.step(kStill).end, EpisodeEnd::kTerminated);
}

TEST(TimeLimit, CountsOnFromARestoredState) {
  TimeLimit limited(make_dummy(), 3);
  limited.reset(1);
  limited.step(kStill);
  limited.step(kStill);
  const std::vector<double> state = saved_state(limited);
  limited.reset(7);
  limited.restore(state);
  EXPECT_EQ(limited.step(kStill).end, EpisodeEnd::kTruncated);
}

TEST(ClipActions, CountsLimitsInPlaceOfWhatIsBeyond) {
  ClipActions clipped(make_dummy());
  const auto plain = make_dummy();
  clipped.reset(3), plain->reset(3);
  clipped.step(std::vector<float>{7, -0.5});
  plain->step(std::vector<float>{1, -0.5});
  EXPECT_EQ(saved_state(clipped), saved_state(*plain));
}

TEST(Step, RefusesActionsThatAreNone) {
  TimeLimit limited(make_dummy(), 5);
  limited.reset(0);
  const std::vector<double> before = saved_state(limited);
  EXPECT_EQ(limited.step(std::vector<float>{1}).end, EpisodeEnd::kActionSize);
  EXPECT_EQ(limited.step(std::vector<float>{1, 2, 3}).end, EpisodeEnd::kActionSize);
  EXPECT_EQ(limited.step(std::vector<float>{1, NAN}).end, EpisodeEnd::kActionNotFinite);
  EXPECT_EQ(limited.step(std::vector<float>{INFINITY, 0}).end, EpisodeEnd::kActionNotFinite);
  EXPECT_EQ(saved_state(limited), before);
}

TEST(ObservationNoise, FollowsFromSeedAndStep) {
  ObservationNoise noisy(make_dummy(), 0.1);
  noisy.reset(5);
  const auto first = observation_of(noisy);
  EXPECT_EQ(observation_of(noisy), first) << "looking twice shows the same";
  noisy.step(kStill);
  EXPECT_NE(observation_of(noisy), first);
  noisy.reset(5);
  EXPECT_EQ(observation_of(noisy), first);
}

TEST(ObservationNoise, HasTheDeviationAskedForAndChangesNothingElse) {
  ObservationNoise noisy(make_dummy(), 0.1);
  const auto plain = make_dummy();
  double sum = 0, squares = 0;
  int64_t count = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    noisy.reset(seed), plain->reset(seed);
    const auto with = observation_of(noisy), without = observation_of(*plain);
    for (size_t i = 0; i < with.size(); ++i, ++count) {
      sum += with[i] - without[i];
      squares += (with[i] - without[i]) * (with[i] - without[i]);
    }
  }
  EXPECT_NEAR(sum / static_cast<double>(count), 0, 0.005);
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(count)), 0.1, 0.005);
}

TEST(ActionNoise, IsAddedBeforeClipping) {
  const float full[] = {1, 1};
  ActionNoise noisy(std::make_unique<ClipActions>(make_dummy()), 10);
  const auto plain = make_dummy();
  noisy.reset(2), plain->reset(2);
  const auto before = observation_of(*plain);
  noisy.step(full);
  const auto after = observation_of(noisy);
  for (size_t i = 2; i < 4; ++i)
    EXPECT_LE(std::abs(after[i] - before[i]), 0.05 + 1e-6) << "one step at the limit";
}

TEST(Push, ActsDuringItsTimeOnly) {
  PushSettings settings;
  settings.body = "puck", settings.force = {2, 0, 9}, settings.start = 0.1, settings.duration = 0.1;
  Push pushed(make_dummy(), settings);
  pushed.reset(0);
  std::vector<float> speeds;
  for (int i = 0; i < 6; ++i) {
    pushed.step(kStill);
    speeds.push_back(observation_of(pushed)[2]);
  }
  const std::vector<float> expected = {0, 0, 0.1f, 0.2f, 0.2f, 0.2f};
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(speeds[i], expected[i], 1e-6) << i;
}

TEST(Push, ComesAgainWhenAsked) {
  PushSettings settings;
  settings.body = "puck", settings.force = {1, 0, 0}, settings.start = 0, settings.duration = 0.05,
  settings.every = 0.15;
  Push pushed(make_dummy(), settings);
  pushed.reset(0);
  for (int i = 0; i < 7; ++i) pushed.step(kStill);
  EXPECT_NEAR(observation_of(pushed)[2], 0.15, 1e-6) << "steps 0, 3 and 6";
}

TEST(Push, RefusesWhatIsNoPush) {
  PushSettings settings;
  settings.body = "pucc";
  EXPECT_SAYS(error_of([&] { Push(make_dummy(), settings); }), "did you mean 'puck'");
  settings.body = "puck", settings.force = {1, 2};
  EXPECT_SAYS(error_of([&] { Push(make_dummy(), settings); }), "has 2 numbers");
}

TEST(Wrappers, GoOnToTheBitFromASavedState) {
  Rng rng(11);
  const auto make = [] {
    PushSettings push;
    push.body = "puck", push.force = {1, 1, 0}, push.start = 0.2, push.every = 0.3;
    std::unique_ptr<Environment> made = std::make_unique<Push>(make_dummy(), push);
    made = std::make_unique<ActionNoise>(std::make_unique<ClipActions>(std::move(made)), 0.3);
    made = std::make_unique<ObservationNoise>(std::move(made), 0.2);
    return std::make_unique<TimeLimit>(std::move(made), 30);
  };
  for (uint64_t trial = 0; trial < 100; ++trial) {
    const auto a = make(), b = make();
    a->reset(rng.next_u64());
    const uint64_t fork = rng.below(29);
    const auto action = [&](uint64_t t) {
      Rng step = Rng(trial).split(t);
      return std::vector<float>{static_cast<float>(step.normal()),
                                static_cast<float>(step.normal())};
    };
    for (uint64_t t = 0; t < fork; ++t) a->step(action(t));
    b->restore(saved_state(*a));
    for (uint64_t t = fork; t < 30; ++t) {
      EXPECT_EQ(observation_of(*a), observation_of(*b));
      const Step step_a = a->step(action(t)), step_b = b->step(action(t));
      EXPECT_EQ(step_a.reward, step_b.reward);
      EXPECT_EQ(step_a.end, step_b.end);
      if (step_a.end != EpisodeEnd::kRunning) break;
    }
    EXPECT_EQ(saved_state(*a), saved_state(*b));
  }
}

TEST(Wrappers, RefuseStatesThatAreNone) {
  TimeLimit limited(make_dummy(), 5);
  limited.reset(0);
  const auto refuses = [&](std::vector<double> state) {
    EXPECT_SAYS(error_of([&] { limited.restore(state); }), "saved state");
  };
  refuses({});
  refuses({0, 0});
  refuses({0, 0, 0, 0, 0, 0});
  refuses({0, 0, 0, 0, 0, 0, 0.5});
  refuses({0, 0, 0, 0, 0, 0, -1});
  refuses({0, 0, 0, 0, NAN, 0, 1});
  refuses({0, NAN, 0, 0, 0, 0, 1});
}

}  // namespace
}  // namespace darp
