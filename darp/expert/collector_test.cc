#include "darp/expert/collector.h"

#include <gtest/gtest.h>

#include "darp/env/registry.h"
#include "tests/error_of.h"
#include "tests/stand_in_experts.h"

namespace darp {
namespace {

constexpr uint64_t kFirst = kFirstDemonstrationSeed;

std::unique_ptr<Environment> puck() {
  return make_environment("dummy");
}
std::unique_ptr<Expert> puck_expert() {
  return std::make_unique<PuckExpert>();
}

/// But for the time that it took.
bool same_episodes(const std::vector<EpisodeRecord>& a, const std::vector<EpisodeRecord>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](EpisodeRecord x, EpisodeRecord y) {
    x.seconds = y.seconds = 0;
    return x == y;
  });
}

TEST(Demonstrate, KeepsWhatHappenedStepByStep) {
  const auto environment = puck();
  PuckExpert expert;
  const Demonstration made = demonstrate(*environment, expert, kFirst, 0);
  EXPECT_EQ(made.record.end, EpisodeEnd::kTerminated);
  EXPECT_TRUE(made.record.success);
  EXPECT_EQ(made.record.length, static_cast<int64_t>(made.rewards.size()));
  EXPECT_TRUE(made.executed.empty());
  double sum = 0;
  for (const double reward : made.rewards) sum += reward;
  EXPECT_EQ(made.record.episode_return, sum);

  // From every state the recorded action leads to the next observation, to the bit.
  const size_t width = made.initial_state.size();
  std::vector<float> seen(4);
  for (size_t t = 0; t + 1 < made.rewards.size(); ++t) {
    environment->restore(std::span(made.states).subspan(t * width, width));
    environment->observe(seen);
    EXPECT_TRUE(std::equal(seen.begin(), seen.end(), made.observations.begin() + 4 * t));
    EXPECT_EQ(environment->step(std::span(made.actions).subspan(2 * t, 2)).reward, made.rewards[t]);
    environment->observe(seen);
    EXPECT_TRUE(std::equal(seen.begin(), seen.end(), made.observations.begin() + 4 * (t + 1)));
  }
}

TEST(Demonstrate, NoiseIsDoneButNotWantedAndStaysWithinLimits) {
  const auto environment = puck();
  PuckExpert expert;
  const Demonstration made = demonstrate(*environment, expert, kFirst + 1, 0.7);
  ASSERT_EQ(made.executed.size(), made.actions.size());
  size_t different = 0, at_limits = 0;
  environment->reset(kFirst + 1);
  for (size_t i = 0; i < made.executed.size(); ++i) {
    different += made.executed[i] != made.actions[i];
    at_limits += std::abs(made.executed[i]) == 1;
    EXPECT_LE(std::abs(made.executed[i]), 1);
    if (i % 2 == 1) {
      EXPECT_EQ(environment->step(std::span(made.executed).subspan(i - 1, 2)).reward,
                made.rewards[i / 2]);
    }
  }
  EXPECT_GT(different, made.executed.size() / 2);
  EXPECT_GT(at_limits, 0u);
  // What it wants is what it wants where it is.
  float wish[2];
  for (size_t t = 0; t < made.rewards.size(); ++t) {
    if (t == 0) {
      environment->reset(kFirst + 1);
      expert.start(*environment, Rng(kFirst + 1, 16));
    }
    expert.act(*environment, std::span(made.observations).subspan(4 * t, 4), wish);
    EXPECT_EQ(wish[0], made.actions[2 * t]);
  }
}

TEST(Demonstrate, NoiseHasTheDeviationThatWasAskedFor) {
  // Half the range of the cheetah's actions is 1; legs that hang still leave room on both sides.
  const auto environment = make_environment("half_cheetah");
  ConstantExpert still(0);
  const Demonstration made = demonstrate(*environment, still, kFirst, 0.1);
  double sum = 0, squares = 0;
  for (const float value : made.executed) {
    sum += double{value};
    squares += double{value} * double{value};
  }
  const auto count = static_cast<double>(made.executed.size());
  ASSERT_EQ(count, 6000);
  EXPECT_NEAR(sum / count, 0, 0.01);
  EXPECT_NEAR(std::sqrt(squares / count), 0.1, 0.005);
}

TEST(Demonstrate, StatesOfChangingLengthAreGivenUpButTheFirst) {
  EnvironmentSettings settings;
  settings.time_limit = 5;
  const auto environment = make_environment("push_t", settings);
  ConstantExpert expert(0.5f);
  const Demonstration made = demonstrate(*environment, expert, kFirst, 0.02);
  EXPECT_EQ(made.record.length, 5);
  EXPECT_TRUE(made.states.empty());
  environment->reset(3);  // somewhere else
  environment->restore(made.initial_state);
  std::vector<float> seen(environment->info().observations.names.size());
  for (size_t t = 0; t < 5; ++t) {
    environment->observe(seen);
    EXPECT_TRUE(std::equal(seen.begin(), seen.end(),
                           made.observations.begin() + static_cast<int64_t>(t * seen.size())));
    EXPECT_EQ(environment->step(std::span(made.executed).subspan(2 * t, 2)).reward,
              made.rewards[t]);
  }
}

/// Fails in some episodes, after a few steps.
class MoodyExpert : public PuckExpert {
 public:
  void start(const Environment& environment, Rng rng) override {
    PuckExpert::start(environment, rng);
    steps_ = 0;
    moody_ = rng.split(1).below(2) == 0;
  }
  void act(const Environment& environment, std::span<const float> observation,
           std::span<float> action) override {
    if (moody_ && ++steps_ == 4) throw Error("moody expert", "has had enough", "");
    PuckExpert::act(environment, observation, action);
  }

 private:
  int steps_ = 0;
  bool moody_ = false;
};

TEST(Collect, KeepsTheFirstSeedsThatPassForAnyNumberOfThreads) {
  EpisodeChoice choice{.episodes = 7, .seeds = {kFirst, kFirst + 99}};
  // The obvious way: one after the other.
  std::vector<double> returns;
  {
    const auto environment = puck();
    PuckExpert expert;
    for (const uint64_t seed : choice.seeds.seeds())
      returns.push_back(demonstrate(*environment, expert, seed, 0.2).record.episode_return);
  }
  std::vector<double> sorted = returns;
  std::sort(sorted.begin(), sorted.end());
  choice.min_return = sorted[70];
  std::vector<uint64_t> expected;
  for (size_t i = 0; i < returns.size() && expected.size() < 7; ++i)
    if (returns[i] >= *choice.min_return) expected.push_back(kFirst + i);

  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    const Collection collection = collect(puck, puck_expert, choice, pool, {.noise = 0.2});
    EXPECT_TRUE(collection.complete);
    ASSERT_EQ(collection.kept.size(), 7u);
    for (size_t i = 0; i < 7; ++i) EXPECT_EQ(collection.kept[i].seed, expected[i]);
    EXPECT_EQ(collection.tried.size(), expected.back() - kFirst + 1);
    EXPECT_EQ(collection.tried.back().seed, expected.back());
  }
}

TEST(Collect, GoesOnFromWhatIsThere) {
  const EpisodeChoice choice{.episodes = 10, .seeds = {kFirst, kFirst + 40}, .min_return = -60.0};
  ThreadPool pool(2);
  const Collection whole = collect(puck, puck_expert, choice, pool);
  CollectorOptions options;
  for (size_t i = 0; i < whole.tried.size(); i += 2) options.done.push_back(whole.tried[i]);
  EpisodeRecord foreign = whole.tried[0];
  foreign.seed = kFirst + 41;  // outside of the range: of no interest
  options.done.push_back(foreign);
  std::set<uint64_t> made;
  options.on_episode = [&](const Demonstration& d) { made.insert(d.record.seed); };
  const Collection again = collect(puck, puck_expert, choice, pool, options);
  EXPECT_TRUE(same_episodes(again.kept, whole.kept));
  EXPECT_TRUE(same_episodes(again.tried, whole.tried));
  for (const EpisodeRecord& record : options.done) EXPECT_FALSE(made.contains(record.seed));
}

TEST(Collect, MishapsAreTriedButNotKept) {
  ThreadPool pool(2);
  EpisodeChoice choice{.episodes = 6, .seeds = {kFirst, kFirst + 59}};
  const auto moody = [] { return std::make_unique<MoodyExpert>(); };
  const Collection collection = collect(puck, moody, choice, pool);
  EXPECT_GT(collection.tried.size(), 6u);
  for (const EpisodeRecord& record : collection.kept) EXPECT_FALSE(is_mishap(record.end));
  for (const EpisodeRecord& record : collection.tried)
    EXPECT_TRUE(record.end != EpisodeEnd::kPolicyFailed || record.length == 3);
  choice.keep_mishaps = true;
  EXPECT_EQ(collect(puck, moody, choice, pool).tried.size(), 6u);
}

TEST(Collect, SaysWhyTheSeedsDidNotSuffice) {
  ThreadPool pool(2);
  const EpisodeChoice choice{.episodes = 30, .seeds = {kFirst, kFirst + 29}};
  const std::string message = error_of([&] {
    collect(
        puck, [] { return std::make_unique<MoodyExpert>(); }, choice, pool);
  });
  EXPECT_SAYS(message, "seeds 1000000..1000029: ");
  EXPECT_SAYS(message, " of 30 episodes passed where 30 are wanted, ");
  EXPECT_SAYS(message, "has had enough");
  EXPECT_SAYS(message, "give more seeds");
  EpisodeChoice strict{.episodes = 1, .seeds = {kFirst, kFirst + 4}, .min_return = 1.0};
  EXPECT_SAYS(error_of([&] { collect(puck, puck_expert, strict, pool); }),
              "0 of 5 episodes passed where 1 are wanted, 5 had a return below 1");
  strict = {.episodes = 1, .seeds = {kFirst, kFirst + 2}, .success_only = true};
  const auto push = [] { return std::make_unique<ConstantExpert>(1.0f); };
  EXPECT_SAYS(error_of([&] { collect(puck, push, strict, pool); }), "3 were no success");
}

TEST(Collect, StopsWhenAskedAndPassesErrorsOn) {
  ThreadPool pool(2);
  const EpisodeChoice choice{.episodes = 5, .seeds = {kFirst, kFirst + 9}};
  const std::atomic<bool> stop{true};
  const Collection none = collect(puck, puck_expert, choice, pool, {.stop = &stop});
  EXPECT_FALSE(none.complete);
  EXPECT_TRUE(none.tried.empty());
  // An expert for something else.
  const auto hopper = [] { return make_environment("hopper"); };
  EXPECT_SAYS(error_of([&] { collect(hopper, puck_expert, choice, pool); }), "does not know");
  CollectorOptions full_disk;
  full_disk.on_episode = [](const Demonstration&) { throw Error("disk", "is full", ""); };
  EXPECT_SAYS(error_of([&] { collect(puck, puck_expert, choice, pool, full_disk); }), "is full");
}

}  // namespace
}  // namespace darp
