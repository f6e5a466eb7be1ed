#include "darp/expert/ppo/rollout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "darp/env/registry.h"
#include "darp/expert/ppo/expert_network.h"
#include "tests/error_of.h"
#include "tests/plain_network.h"

namespace darp {
namespace {

constexpr double kDiscount = 0.9;

/// A policy that acts at random in an environment, but not without looking.
struct WildPolicy {
  explicit WildPolicy(const Environment& environment, double noise = -0.5)
      : shape{{environment.info().observations.dim(), 6, environment.info().actions.dim()}},
        parameters(static_cast<size_t>(shape.parameters())),
        packed(shape),
        log_std(static_cast<size_t>(shape.outputs()), static_cast<float>(noise)),
        shift(static_cast<size_t>(shape.inputs()), 0.1f),
        scale(static_cast<size_t>(shape.inputs()), 0.7f) {
    initialize(shape, 0.5, Rng(1), parameters);
    packed.pack(parameters, false);
    log_std[0] += 0.25f;
  }
  RolloutPolicy policy() const { return {packed, log_std, shift, scale}; }

  NetworkShape shape;
  std::vector<float> parameters;
  PackedNetwork packed;
  std::vector<float> log_std, shift, scale;
};

EnvironmentFactory maker(const std::string& name, const EnvironmentSettings& settings = {}) {
  return [=] { return make_environment(name, settings); };
}

/// Settings under which everything has a state: noise on both sides, and a push.
EnvironmentSettings troubled() {
  EnvironmentSettings settings;
  settings.time_limit = 17;
  settings.observation_noise = settings.action_noise = 0.02;
  settings.push.body = "puck", settings.push.force = {0.5, 0, 0}, settings.push.start = 0.2;
  settings.push.every = 0.4;
  return settings;
}

void expect_same_bits(const Rollout& a, const Rollout& b) {
  EXPECT_TRUE(same_bits(a.observations, b.observations));
  EXPECT_TRUE(same_bits(a.actions, b.actions));
  EXPECT_EQ(a.log_probabilities, b.log_probabilities);
  EXPECT_EQ(a.rewards, b.rewards);
  EXPECT_EQ(a.failed, b.failed);
  EXPECT_EQ(a.cut_rows, b.cut_rows);
  EXPECT_TRUE(same_bits(a.cut_observations, b.cut_observations));
  EXPECT_EQ(a.episode_returns, b.episode_returns);
  EXPECT_EQ(a.observation_moments.mean, b.observation_moments.mean);
  EXPECT_EQ(a.observation_moments.squares, b.observation_moments.squares);
  EXPECT_EQ(a.return_moments.mean, b.return_moments.mean);
  EXPECT_EQ(a.return_moments.squares, b.return_moments.squares);
}

TEST(Rollout, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const char* name : {"dummy", "hopper"}) {
    const WildPolicy wild(*make_environment(name));
    // More than one group of environments, the last one smaller.
    Rollout one(maker(name), 19, 40, 5), three(maker(name), 19, 40, 5);
    ThreadPool single(1), several(3);
    for (int64_t iteration = 0; iteration < 2; ++iteration) {
      one.collect(wild.policy(), kDiscount, iteration, single);
      three.collect(wild.policy(), kDiscount, iteration, several);
      expect_same_bits(one, three);
    }
  }
}

TEST(Rollout, GoesOnFromItsStatesToTheSameBits) {
  const std::pair<const char*, EnvironmentSettings> tasks[] = {
      {"dummy", {}}, {"dummy", troubled()}, {"hopper", {}}};
  for (const auto& [name, settings] : tasks) {
    const EnvironmentFactory make = maker(name, settings);
    const WildPolicy wild(*make());
    ThreadPool pool(1);
    Rollout whole(make, 5, 30, 5), resumed(make, 5, 30, 5);
    whole.collect(wild.policy(), kDiscount, 0, pool);
    const std::vector<ActorState> states = whole.states();
    whole.collect(wild.policy(), kDiscount, 1, pool);
    resumed.restore(states);
    resumed.collect(wild.policy(), kDiscount, 1, pool);
    expect_same_bits(whole, resumed);
    // And whoever did not restore is elsewhere.
    Rollout fresh(make, 5, 30, 5);
    fresh.collect(wild.policy(), kDiscount, 1, pool);
    EXPECT_FALSE(same_bits(whole.observations, fresh.observations));
  }
}

TEST(Rollout, RefusesStatesThatNoEnvironmentSaved) {
  Rollout rollout(maker("dummy"), 2, 5, 0);
  std::vector<ActorState> states = rollout.states();
  states[1].environment.pop_back();
  EXPECT_SAYS(error_of([&] { rollout.restore(states); }), "saved state");
}

TEST(Rollout, DependsOnSeedAndIteration) {
  const WildPolicy wild(*make_environment("dummy"));
  ThreadPool pool(1);
  Rollout a(maker("dummy"), 3, 10, 5), b(maker("dummy"), 3, 10, 5), c(maker("dummy"), 3, 10, 6);
  a.collect(wild.policy(), kDiscount, 0, pool);
  b.collect(wild.policy(), kDiscount, 1, pool);
  c.collect(wild.policy(), kDiscount, 0, pool);
  EXPECT_TRUE(std::ranges::equal(a.observations.row(0), b.observations.row(0)));
  EXPECT_FALSE(std::ranges::equal(a.actions.row(0), b.actions.row(0)));
  EXPECT_FALSE(std::ranges::equal(a.observations.row(0), c.observations.row(0)));
  EXPECT_FALSE(std::ranges::equal(a.observations.row(0), a.observations.row(10)));
}

constexpr uint64_t kRolloutSeed = 9;

/// What experts were trained with must stay.
uint64_t episode_seed(int64_t environment, int64_t episode) {
  Rng rng = Rng(kRolloutSeed, 1)
                .split(static_cast<uint64_t>(environment))
                .split(static_cast<uint64_t>(episode));
  return rng.next_u32() + (uint64_t{1} << 32);
}

/// Steps an environment of its own through the rows, and checks each.
void expect_rows_are_steps(const std::string& name, const EnvironmentSettings& settings,
                           int64_t environments, int64_t horizon) {
  const EnvironmentFactory make = maker(name, settings);
  const WildPolicy wild(*make());
  ThreadPool pool(2);
  Rollout rollout(make, environments, horizon, kRolloutSeed);
  const std::vector<ActorState> begin = rollout.states();
  rollout.collect(wild.policy(), kDiscount, 0, pool);
  const auto environment = make();
  const Space& limits = environment->info().actions;
  const auto inputs = static_cast<size_t>(wild.shape.inputs()),
             outputs = static_cast<size_t>(wild.shape.outputs());
  std::vector<float> observation(inputs), seen(inputs), action(outputs);
  std::vector<double> returns;
  RunningMoments observed(wild.shape.inputs()), discounted_moments(1);
  size_t cut = 0;
  int64_t failures = 0, time_limits = 0;
  const auto expect_cut = [&](int64_t row) {
    ASSERT_LT(cut, rollout.cut_rows.size());
    EXPECT_EQ(rollout.cut_rows[cut], row);
    normalize(observation, wild.shift, wild.scale, seen);
    EXPECT_TRUE(std::ranges::equal(seen, rollout.cut_observations.row(static_cast<int64_t>(cut))));
    ++cut;
  };
  for (int64_t e = 0; e < environments; ++e) {
    environment->restore(begin[e].environment);
    environment->observe(observation);
    int64_t episode = 0;
    double sum = 0, discounted = 0;
    for (int64_t t = 0; t < horizon; ++t) {
      const int64_t row = e * horizon + t;
      normalize(observation, wild.shift, wild.scale, seen);
      ASSERT_TRUE(std::ranges::equal(seen, rollout.observations.row(row))) << "row " << row;
      observed.add(std::span<const float>(observation));
      const auto drawn = rollout.actions.row(row);
      for (size_t j = 0; j < outputs; ++j)
        action[j] = std::clamp(drawn[j], limits.low[j], limits.high[j]);
      const Step step = environment->step(action);
      ASSERT_EQ(rollout.rewards[row], static_cast<float>(step.reward)) << "row " << row;
      sum += step.reward;
      discounted = kDiscount * discounted + step.reward;
      discounted_moments.add(std::span<const double>(&discounted, 1));
      const bool running = step.end == EpisodeEnd::kRunning,
                 truncated = step.end == EpisodeEnd::kTruncated;
      EXPECT_EQ(rollout.failed[row], !running && !truncated) << "row " << row;
      environment->observe(observation);
      if (truncated || (running && t + 1 == horizon)) expect_cut(row);
      if (running) continue;
      (truncated ? time_limits : failures) += 1;
      returns.push_back(sum);
      sum = discounted = 0;
      environment->reset(episode_seed(e, ++episode));
      environment->observe(observation);
    }
  }
  EXPECT_EQ(cut, rollout.cut_rows.size());
  EXPECT_EQ(rollout.episode_returns, returns);
  EXPECT_EQ(rollout.observation_moments.count, static_cast<double>(environments * horizon));
  for (size_t j = 0; j < inputs; ++j) {
    EXPECT_NEAR(rollout.observation_moments.mean[j], observed.mean[j], 1e-9);
    EXPECT_NEAR(rollout.observation_moments.squares[j], observed.squares[j],
                1e-9 * observed.squares[j] + 1e-12);
  }
  EXPECT_NEAR(rollout.return_moments.mean[0], discounted_moments.mean[0], 1e-9);
  EXPECT_NEAR(rollout.return_moments.deviation(0), discounted_moments.deviation(0), 1e-9);
  EXPECT_EQ(time_limits > 0, settings.time_limit > 0);
  EXPECT_TRUE(failures > 0 || name != "hopper");
}

TEST(Rollout, HasTheStepsOfEachEnvironmentOneAfterTheOther) {
  expect_rows_are_steps("dummy", {}, 10, 30);
  expect_rows_are_steps("hopper", {}, 3, 80);
}

TEST(Rollout, TellsFailuresFromTimeLimitsAndOpenEnds) {
  EnvironmentSettings brief;
  brief.time_limit = 15;
  // Episodes end with the rollout in one, before it in the other.
  expect_rows_are_steps("hopper", brief, 4, 45);
  expect_rows_are_steps("hopper", brief, 4, 50);
}

TEST(Rollout, KnowsHowLikelyItsActionsWere) {
  const WildPolicy wild(*make_environment("dummy"));
  ThreadPool pool(1);
  Rollout rollout(maker("dummy"), 9, 100, 2);
  rollout.collect(wild.policy(), kDiscount, 0, pool);
  const std::vector<double> exact(wild.parameters.begin(), wild.parameters.end());
  double squares = 0, beyond = 0;
  for (int64_t row = 0; row < rollout.rows(); ++row) {
    const auto mean = plain_network(wild.shape, exact, rollout.observations.row(row));
    double log_probability = 0;
    for (size_t j = 0; j < mean.size(); ++j) {
      const double deviation = std::exp(double{wild.log_std[j]}),
                   error = (rollout.actions.row(row)[j] - mean[j]) / deviation;
      log_probability -= error * error / 2 + std::log(deviation * std::sqrt(2 * std::numbers::pi));
      squares += error * error / static_cast<double>(2 * rollout.rows());
      beyond += std::abs(rollout.actions.row(row)[j]) > 1;
    }
    EXPECT_NEAR(rollout.log_probabilities[row], log_probability, 1e-4) << row;
  }
  EXPECT_NEAR(squares, 1, 0.15) << "normal noise of the deviation that it is said to have";
  EXPECT_GT(beyond, 0) << "actions are kept as they were drawn";
}

TEST(Rollout, EndsTheEpisodeOfASimulationThatBlowsUpAndNothingElse) {
  EnvironmentSettings torn;
  torn.push.body = "torso", torn.push.force = {1e15, 0, 0}, torn.push.start = 0.5;
  const WildPolicy wild(*make_environment("half_cheetah"));
  ThreadPool pool(2);
  constexpr int64_t kHorizon = 35;
  Rollout rollout(maker("half_cheetah", torn), 3, kHorizon, 0);
  rollout.collect(wild.policy(), kDiscount, 0, pool);
  // Ten steps before the push, the one that tears it; then the next episode.
  for (int64_t row = 0; row < rollout.rows(); ++row)
    EXPECT_EQ(rollout.failed[row], row % kHorizon % 11 == 10) << row;
  EXPECT_EQ(rollout.episode_returns.size(), 9u);
  EXPECT_EQ(rollout.cut_rows, (std::vector<int64_t>{34, 69, 104}));
  for (const float reward : rollout.rewards) EXPECT_TRUE(std::isfinite(reward));
  for (const double mean : rollout.observation_moments.mean) EXPECT_TRUE(std::isfinite(mean));
  EXPECT_TRUE(std::isfinite(rollout.return_moments.squares[0]));
}

TEST(Rollout, EndsEpisodesInWhichThePolicyLostItsNumbers) {
  WildPolicy wild(*make_environment("dummy"));
  wild.shift[0] = std::nanf("");
  ThreadPool pool(1);
  Rollout rollout(maker("dummy"), 2, 4, 0);
  rollout.collect(wild.policy(), kDiscount, 0, pool);
  EXPECT_EQ(rollout.failed, std::vector<uint8_t>(8, 1));
  EXPECT_TRUE(rollout.cut_rows.empty());
}

}  // namespace
}  // namespace darp
