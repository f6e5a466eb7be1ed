#include "darp/eval/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "darp/core/error.h"

namespace darp {
namespace {

/// Episodes of seeds 0, 1, ... with these returns.
Evaluation evaluation_with(const std::vector<double>& returns) {
  Evaluation evaluation;
  evaluation.subject = {.environment = "hopper",
                        .environment_settings = "time_limit=1000",
                        .policy = "a.darp",
                        .policy_hash = "0123",
                        .executor = "runtime fp32",
                        .seeds = {0, returns.size() - 1}};
  for (size_t i = 0; i < returns.size(); ++i)
    evaluation.records.push_back({.seed = i,
                                  .episode_return = returns[i],
                                  .length = 10 * static_cast<int64_t>(i + 1),
                                  .end = EpisodeEnd::kTruncated});
  return evaluation;
}

std::string flaw_of(const Evaluation& evaluation) {
  try {
    check_evaluation(evaluation, "x.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(EvaluationSummary, HasTheNumbersOfItsRecords) {
  Evaluation evaluation = evaluation_with({4, 8, 6, 2});
  evaluation.has_success = true;
  evaluation.records[1].success = true;
  evaluation.records[2].end = EpisodeEnd::kUnstable;
  evaluation.records[3].end = EpisodeEnd::kPolicyFailed;
  evaluation.records[0].worst_novelty = 0.5f;
  evaluation.scale = ScoreScale{.random = 1, .expert = 9};
  const EvaluationSummary summary = summarize(evaluation);
  EXPECT_EQ(summary.returns.count, 4);
  EXPECT_EQ(summary.returns.mean, 5);
  EXPECT_EQ(summary.returns.median, 5);
  EXPECT_EQ(summary.returns.interquartile_mean, 5);
  EXPECT_EQ(summary.returns.lowest, 2);
  EXPECT_EQ(summary.returns.highest, 8);
  EXPECT_DOUBLE_EQ(summary.returns.standard_deviation, std::sqrt(20.0 / 3));
  EXPECT_EQ(summary.returns.normalized, 50);
  EXPECT_TRUE(summary.returns.mean_bootstrap.contains(5));
  EXPECT_EQ(summary.returns.mean_normal, normal_interval(returns_of(evaluation)));
  ASSERT_TRUE(summary.success);
  EXPECT_EQ(summary.success->successes, 1);
  EXPECT_EQ(summary.success->trials, 4);
  EXPECT_EQ(summary.success->rate, 0.25);
  EXPECT_EQ(summary.success->wilson, wilson_interval(1, 4));
  EXPECT_EQ(summary.mean_length, 25);
  EXPECT_EQ(summary.worst_novelty, 0.5f);
  EXPECT_EQ(summary.mishaps, 2);
  EXPECT_EQ(summary.ends[static_cast<size_t>(EpisodeEnd::kTruncated)], 2);
  EXPECT_EQ(summary.ends[static_cast<size_t>(EpisodeEnd::kUnstable)], 1);
}

TEST(EvaluationSummary, LeavesOutWhatTheEnvironmentHasNot) {
  const EvaluationSummary summary = summarize(evaluation_with({1, 2}));
  EXPECT_FALSE(summary.success);
  EXPECT_FALSE(summary.returns.normalized);
  EXPECT_EQ(summary.worst_novelty, -1);
  EXPECT_EQ(summary.mishaps, 0);
}

TEST(EvaluationSummary, OfPoliciesTakesTheirMeansAsTheSample) {
  const std::vector<Evaluation> policies = {evaluation_with({1, 3}), evaluation_with({5, 5}),
                                            evaluation_with({0, 16})};
  const ReturnSummary summary = summarize_policies(policies);
  EXPECT_EQ(summary.count, 3);
  EXPECT_EQ(summary.mean, 5);
  EXPECT_EQ(summary.median, 5);
  EXPECT_EQ(summary.lowest, 2);
  EXPECT_EQ(summary.highest, 8);
  EXPECT_EQ(summary.standard_deviation, 3);
}

TEST(EvaluationSummary, OfPoliciesUnderOtherConditionsIsRefused) {
  std::vector<Evaluation> policies = {evaluation_with({1, 3}), evaluation_with({5, 5})};
  policies[1].subject.environment = "ant";
  EXPECT_THROW(summarize_policies(policies), Error);
  policies[1] = evaluation_with({5, 5});
  policies[1].subject.environment_settings = "time_limit=5";
  EXPECT_THROW(summarize_policies(policies), Error);
  policies[1] = evaluation_with({5, 5, 5});
  EXPECT_THROW(summarize_policies(policies), Error);
}

TEST(EvaluationSummary, NormalizedScoresRunFromRandomToExpert) {
  const ScoreScale scale{.random = -20, .expert = 3234};
  EXPECT_EQ(normalized_score(-20, scale), 0);
  EXPECT_EQ(normalized_score(3234, scale), 100);
  EXPECT_EQ(normalized_score(1607, scale), 50);
}

TEST(EvaluationSummary, HasARateOfStepsOnlyIfItWasMeasured) {
  Evaluation evaluation = evaluation_with({1});
  EXPECT_FALSE(steps_per_second(evaluation));
  evaluation.wall_steps = 1000;
  EXPECT_FALSE(steps_per_second(evaluation));
  evaluation.wall_seconds = 4;
  EXPECT_EQ(steps_per_second(evaluation), 250);
}

TEST(CheckEvaluation, TakesWhatRolloutsGive) {
  Evaluation evaluation = evaluation_with({1, -2e5, 0});
  EXPECT_EQ(flaw_of(evaluation), "");
  evaluation.records[0].length = 0;
  evaluation.records[0].end = EpisodeEnd::kPolicyFailed;
  evaluation.records[1].worst_novelty = 1e6f;
  evaluation.records[2].seconds = 0;
  EXPECT_EQ(flaw_of(evaluation), "");
}

TEST(CheckEvaluation, NamesTheFlaw) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = INFINITY;
  const auto expect_flaw = [](std::string_view words, auto change) {
    Evaluation evaluation = evaluation_with({1, 2, 3});
    change(evaluation);
    EXPECT_NE(flaw_of(evaluation).find(words), std::string::npos)
        << flaw_of(evaluation) << " without " << words;
  };
  for (const double bad : {kNan, kInf, -kInf, 1e31, -1e300})
    expect_flaw("seed 1 has a return", [&](auto& e) { e.records[1].episode_return = bad; });
  for (const double bad : {kNan, kInf, -2.0})
    expect_flaw("seconds", [&](auto& e) { e.records[1].seconds = bad; });
  for (const float bad : {NAN, INFINITY, -0.5f})
    expect_flaw("novelty", [&](auto& e) { e.records[1].worst_novelty = bad; });
  expect_flaw("length", [](auto& e) { e.records[0].length = -1; });
  expect_flaw("success", [](auto& e) { e.records[0].success = true; });
  expect_flaw("running", [](auto& e) { e.records[2].end = EpisodeEnd::kRunning; });
  expect_flaw("has seed 0 where 1 is next", [](auto& e) { e.records[1].seed = 0; });
  expect_flaw("2 episodes for seeds 0..2", [](auto& e) { e.records.pop_back(); });
  expect_flaw("has seeds 5..2", [](auto& e) { e.subject.seeds.first = 5; });
  expect_flaw("has seeds", [](auto& e) { e.subject.seeds = {0, ~uint64_t{0}}; });
  expect_flaw("took nan seconds", [&](auto& e) { e.wall_seconds = kNan; });
  expect_flaw("-1 threads", [](auto& e) { e.threads = -1; });
  expect_flaw("-5 steps", [](auto& e) { e.wall_steps = -5; });
  expect_flaw("(expert)", [&](auto& e) { e.scale = ScoreScale{.random = 3, .expert = 3}; });
  expect_flaw("(expert)", [&](auto& e) { e.scale = ScoreScale{.random = kNan, .expert = 3}; });
}

}  // namespace
}  // namespace darp
