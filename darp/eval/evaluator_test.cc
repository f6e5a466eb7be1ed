#include "darp/eval/evaluator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "darp/env/registry.h"
#include "tests/error_of.h"

namespace darp {
namespace {

/// Brings the dummy's puck to rest, or makes one of a tester's mistakes at a given step.
class PuckPolicy : public Policy {
 public:
  enum class Mistake { kNone, kThrows, kNotFinite } mistake = Mistake::kNone;
  int64_t at_step = 0, observations = 4, actions = 2;

  int64_t observation_dim() const override { return observations; }
  int64_t action_dim() const override { return actions; }
  void reset(uint64_t) override { step_ = 0; }
  void act(std::span<const float> observation, std::span<float> action) override {
    for (size_t i = 0; i < action.size(); ++i)
      action[i] = -2 * observation[i] - 2.5f * observation[i + 2];
    novelty_ = std::abs(observation[0]);
    if (step_++ != at_step || mistake == Mistake::kNone) return;
    if (mistake == Mistake::kThrows) throw Error("sensor", "is gone", "look for it");
    action[1] = std::numeric_limits<float>::quiet_NaN();
  }
  float novelty() const override { return novelty_; }

 private:
  int64_t step_ = 0;
  float novelty_ = -1;
};

EnvironmentFactory dummies(const EnvironmentSettings& settings = {}) {
  return [settings] { return make_environment("dummy", settings); };
}
PolicyFactory pucks(const PuckPolicy& policy = {}) {
  return [policy] { return std::make_unique<PuckPolicy>(policy); };
}
std::vector<uint64_t> first_seeds(uint64_t count) {
  std::vector<uint64_t> seeds;
  for (uint64_t seed = 0; seed < count; ++seed) seeds.push_back(seed);
  return seeds;
}
std::vector<EpisodeRecord> without_times(std::vector<EpisodeRecord> records) {
  for (EpisodeRecord& record : records) record.seconds = -1;
  return records;
}

TEST(RunEpisode, KeepsWhatHappened) {
  const auto environment = make_environment("dummy");
  PuckPolicy policy;
  std::vector<EpisodeRecord> moments;
  const EpisodeRecord record = run_episode(
      *environment, policy, 3, [&](const EpisodeMoment& m) { moments.push_back(m.record); });
  EXPECT_EQ(record.seed, 3u);
  EXPECT_EQ(record.end, EpisodeEnd::kTerminated);
  EXPECT_TRUE(record.success);
  EXPECT_LT(record.episode_return, 0);
  EXPECT_GT(record.worst_novelty, 0);
  EXPECT_GE(record.seconds, 0);
  ASSERT_EQ(static_cast<int64_t>(moments.size()), record.length + 1);
  EXPECT_EQ(moments.front().length, 0);

  // By hand: the same rewards one after the other.
  environment->reset(3);
  policy.reset(0);
  double sum = 0, novelty = -1;
  for (int64_t t = 0; t < record.length; ++t) {
    std::vector<float> observation(4), action(2);
    environment->observe(observation);
    policy.act(observation, action);
    sum += environment->step(action).reward;
    novelty = std::max(novelty, static_cast<double>(policy.novelty()));
    EXPECT_EQ(moments[static_cast<size_t>(t) + 1].episode_return, sum);
  }
  EXPECT_EQ(record.episode_return, sum);
  EXPECT_EQ(record.worst_novelty, novelty);
}

TEST(Evaluate, GivesTheSameRecordsForAnyNumberOfThreads) {
  EnvironmentSettings noisy;
  noisy.observation_noise = 0.05, noisy.action_noise = 0.1, noisy.time_limit = 60;
  ThreadPool one(1);
  const auto expected = without_times(evaluate(dummies(noisy), pucks(), first_seeds(50), one));
  ASSERT_EQ(expected.size(), 50u);
  for (int threads : {2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(without_times(evaluate(dummies(noisy), pucks(), first_seeds(50), pool)), expected);
  }
}

TEST(Evaluate, AMishapEndsItsEpisodeAndNothingElse) {
  ThreadPool pool(2);
  PuckPolicy throwing;
  throwing.mistake = PuckPolicy::Mistake::kThrows, throwing.at_step = 5;
  for (const EpisodeRecord& record : evaluate(dummies(), pucks(throwing), first_seeds(6), pool)) {
    EXPECT_EQ(record.end, EpisodeEnd::kPolicyFailed);
    EXPECT_EQ(record.length, 5);
    EXPECT_SAYS(record.problem, "sensor");
  }
  // A mistake at a step that half of the episodes do not live to see.
  std::vector<int64_t> lengths;
  for (const EpisodeRecord& record : evaluate(dummies(), pucks(), first_seeds(40), pool))
    lengths.push_back(record.length);
  std::nth_element(lengths.begin(), lengths.begin() + 20, lengths.end());
  PuckPolicy broken;
  broken.mistake = PuckPolicy::Mistake::kNotFinite, broken.at_step = lengths[20];
  int64_t not_finite = 0, good = 0;
  for (const EpisodeRecord& record : evaluate(dummies(), pucks(broken), first_seeds(40), pool)) {
    not_finite += record.end == EpisodeEnd::kActionNotFinite;
    good += record.end == EpisodeEnd::kTerminated;
    EXPECT_TRUE(std::isfinite(record.episode_return));
  }
  EXPECT_GT(not_finite, 0);
  EXPECT_GT(good, 0);
  EXPECT_EQ(not_finite + good, 40);
}

TEST(Evaluate, ABlownUpSimulationEndsItsEpisodeByName) {
  // Half a cheetah never ends by itself: only physics can stop it.
  class StillPolicy : public PuckPolicy {
    void act(std::span<const float>, std::span<float> action) override {
      std::fill(action.begin(), action.end(), 0.0f);
    }
  } policy;
  policy.observations = 17, policy.actions = 6;
  EnvironmentSettings torn;
  torn.push.body = "torso", torn.push.force = {1e15, 0, 0}, torn.push.start = 0.5;
  ThreadPool pool(2);
  const auto records =
      evaluate([&] { return make_environment("half_cheetah", torn); },
               [&] { return std::make_unique<StillPolicy>(policy); }, first_seeds(4), pool);
  ASSERT_EQ(records.size(), 4u);
  for (const EpisodeRecord& record : records) {
    EXPECT_EQ(record.end, EpisodeEnd::kUnstable);
    EXPECT_EQ(record.length, 10) << "the steps before the push";
    EXPECT_TRUE(std::isfinite(record.episode_return));
  }
}

TEST(Evaluate, RefusesPoliciesForOtherRobotsBeforeTheFirstStep) {
  ThreadPool pool(2);
  PuckPolicy wide;
  wide.observations = 11;
  bool started = false;
  EvaluatorOptions options;
  options.on_episode = [&](const EpisodeRecord&) { started = true; };
  EXPECT_SAYS(error_of([&] { evaluate(dummies(), pucks(wide), first_seeds(3), pool, options); }),
              "dummy: has 4 observation and 2 action dimensions, the policy 11 and 2");
  EXPECT_FALSE(started);
}

TEST(Evaluate, TellsOfEachEpisodeAndStopsWhenAsked) {
  ThreadPool pool(2);
  std::atomic<bool> stop{false};
  int64_t told = 0;
  EvaluatorOptions options;
  options.stop = &stop;
  options.on_episode = [&](const EpisodeRecord&) { stop = ++told == 3; };
  const auto records = evaluate(dummies(), pucks(), first_seeds(1000), pool, options);
  EXPECT_EQ(static_cast<int64_t>(records.size()), told);
  EXPECT_GE(told, 3);
  EXPECT_LT(told, 1000);
}

}  // namespace
}  // namespace darp
