#include "darp/eval/comparison.h"

#include <gtest/gtest.h>

#include "darp/core/error.h"
#include "darp/core/rng.h"
#include "darp/eval/statistics/significance.h"

namespace darp {
namespace {

Evaluation compared(const std::vector<double>& returns, uint64_t first_seed = 0) {
  Evaluation evaluation;
  evaluation.subject.environment = "maze";
  evaluation.subject.seeds = {first_seed, first_seed + returns.size() - 1};
  for (const double value : returns)
    evaluation.records.push_back({.seed = first_seed + evaluation.records.size(),
                                  .episode_return = value,
                                  .length = 5,
                                  .end = EpisodeEnd::kTerminated});
  return evaluation;
}

TEST(Comparison, FindsASmallDifferenceBetweenHardAndEasyStarts) {
  // Starts differ by hundreds, policies by five: pairs see it, means alone would not.
  Rng rng(1);
  std::vector<double> a, b;
  for (int i = 0; i < 60; ++i) {
    const double start = 300 * rng.normal();
    a.push_back(start + rng.normal());
    b.push_back(start + 5 + rng.normal());
  }
  const Comparison better = compare(compared(a), compared(b));
  EXPECT_TRUE(better.paired);
  EXPECT_EQ(better.count_a, 60);
  EXPECT_EQ(better.verdict, Verdict::kBetter);
  EXPECT_LT(better.p_value, 1e-4);
  EXPECT_NEAR(better.difference, 5, 1);
  EXPECT_NEAR(better.mean_b - better.mean_a, better.difference, 1e-9);
  EXPECT_TRUE(better.interval.contains(better.difference));
  EXPECT_GT(better.interval.low, 4);
  EXPECT_GT(permutation_p_value(a, b), 0.5);

  const Comparison worse = compare(compared(b), compared(a));
  EXPECT_EQ(worse.verdict, Verdict::kWorse);
  EXPECT_NEAR(worse.difference, -better.difference, 1e-9);
}

TEST(Comparison, IsUndecidedAboutChanceAndAboutEquals) {
  Rng rng(2);
  std::vector<double> a, b;
  for (int i = 0; i < 30; ++i) a.push_back(rng.normal()), b.push_back(rng.normal());
  EXPECT_EQ(compare(compared(a), compared(b)).verdict, Verdict::kUndecided);
  const Comparison same = compare(compared(a), compared(a));
  EXPECT_EQ(same.verdict, Verdict::kUndecided);
  EXPECT_EQ(same.p_value, 1);
  EXPECT_EQ(same.interval, (Interval{0, 0}));
}

TEST(Comparison, TakesTheSeedsThatBothHave) {
  const Comparison result = compare(compared({9, 9, 1, 2, 3}, 0), compared({11, 22, 33, 9}, 2));
  EXPECT_EQ(result.count_a, 3);
  EXPECT_EQ(result.mean_a, 2);
  EXPECT_EQ(result.mean_b, 22);
  EXPECT_EQ(result.difference, 20);
  EXPECT_DOUBLE_EQ(result.smallest_p_value, 0.25);
}

TEST(Comparison, RefusesOtherEnvironmentsSettingsAndSeeds) {
  const Evaluation a = compared({1, 2, 3});
  Evaluation b = a;
  b.subject.environment = "ant";
  EXPECT_THROW(compare(a, b), Error);
  b = a;
  b.subject.environment_settings = "time_limit=3";
  EXPECT_THROW(compare(a, b), Error);
  EXPECT_THROW(compare(a, compared({1, 2, 3}, 3)), Error);
  EXPECT_THROW(compare(a, compared({1, 2, 3}, 2)), Error);
  EXPECT_NO_THROW(compare(a, compared({1, 2, 3}, 1)));
}

TEST(Comparison, CountsSuccessesInPairsWhereThereAreAny) {
  Evaluation a = compared(std::vector<double>(14, 0.0)), b = a;
  EXPECT_FALSE(compare(a, b).successes);
  a.has_success = b.has_success = true;
  for (size_t i = 0; i < 14; ++i) {
    a.records[i].success = i < 3;            // two with both, one alone
    b.records[i].success = i < 2 || i >= 5;  // nine alone
  }
  const auto successes = compare(a, b).successes;
  ASSERT_TRUE(successes);
  EXPECT_EQ(successes->both, 2);
  EXPECT_EQ(successes->only_a, 1);
  EXPECT_EQ(successes->only_b, 9);
  EXPECT_EQ(successes->neither, 2);
  EXPECT_DOUBLE_EQ(successes->p_value, 0.021484375);
}

TEST(CompareMethods, TakesPoliciesAsUnitsNotEpisodes) {
  // Each method's policies differ by far more than the methods: many episodes prove nothing.
  std::vector<Evaluation> a, b;
  for (const double mean_return : {10.0, 50.0, 90.0, 130.0}) {
    a.push_back(compared(std::vector<double>(200, mean_return)));
    b.push_back(compared(std::vector<double>(200, mean_return + 5)));
  }
  const Comparison result = compare_methods(a, b);
  EXPECT_FALSE(result.paired);
  EXPECT_EQ(result.count_a, 4);
  EXPECT_EQ(result.verdict, Verdict::kUndecided);
  EXPECT_GT(result.p_value, 0.5);
  EXPECT_EQ(result.difference, 5);
  EXPECT_LT(result.interval.low, -20);
  EXPECT_GT(result.interval.high, 30);
  // The networks themselves differ beyond doubt.
  EXPECT_EQ(compare(a[0], b[0]).verdict, Verdict::kBetter);
}

TEST(CompareMethods, DecidesWithFourAgainstFourButNeverWithThreeAgainstThree) {
  std::vector<Evaluation> a, b;
  for (const double offset : {0.0, 1.0, 2.0}) {
    a.push_back(compared({offset, offset}));
    b.push_back(compared({100 + offset, 100 + offset}));
  }
  EXPECT_EQ(compare_methods(a, b).verdict, Verdict::kUndecided);
  EXPECT_DOUBLE_EQ(compare_methods(a, b).smallest_p_value, 0.1);
  a.push_back(compared({3, 3}));
  b.push_back(compared({103, 103}));
  EXPECT_EQ(compare_methods(a, b).verdict, Verdict::kBetter);
  EXPECT_EQ(compare_methods(b, a).verdict, Verdict::kWorse);
  EXPECT_DOUBLE_EQ(compare_methods(a, b).p_value, 2.0 / 70);
}

TEST(CompareMethods, RefusesSinglePoliciesAndOtherConditions) {
  const std::vector<Evaluation> one = {compared({1, 2})};
  const std::vector<Evaluation> two = {compared({1, 2}), compared({3, 4})};
  const std::vector<Evaluation> other_seeds = {compared({1, 2}, 1), compared({3, 4}, 1)};
  const std::vector<Evaluation> mixed = {compared({1, 2}), compared({3, 4}, 1)};
  EXPECT_THROW(compare_methods(one, two), Error);
  EXPECT_THROW(compare_methods(two, one), Error);
  EXPECT_THROW(compare_methods({}, {}), Error);
  EXPECT_THROW(compare_methods(two, other_seeds), Error);
  EXPECT_THROW(compare_methods(two, mixed), Error);
  EXPECT_NO_THROW(compare_methods(two, two));
}

}  // namespace
}  // namespace darp
