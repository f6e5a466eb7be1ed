#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "darp/core/rng.h"
#include "darp/eval/statistics/estimates.h"

namespace darp {
namespace {

using Draw = double (*)(Rng&);
double draw_normal(Rng& rng) {
  return rng.normal();
}
double draw_exponential(Rng& rng) {
  return -std::log(1 - rng.uniform());
}
double draw_lognormal(Rng& rng) {
  return std::exp(rng.normal());
}

/// How often intervals had the truth, and how often they lay above or below it.
struct CoverageCount {
  int trials = 0, covered = 0, too_high = 0, too_low = 0;

  void add(const Interval& interval, double truth) {
    ++trials;
    covered += interval.contains(truth);
    too_high += truth < interval.low;
    too_low += truth > interval.high;
  }
  double rate() const { return static_cast<double>(covered) / trials; }
  double imbalance() const { return static_cast<double>(std::abs(too_high - too_low)) / trials; }
};

struct BothCoverages {
  CoverageCount bootstrap, normal;
};

BothCoverages simulate_coverage(Draw draw, size_t n, double truth, const Statistic& statistic,
                                int trials) {
  BothCoverages counts;
  Rng rng(11);
  std::vector<double> values(n);
  for (int i = 0; i < trials; ++i) {
    for (double& value : values) value = draw(rng);
    const auto seed = static_cast<uint64_t>(i);
    counts.bootstrap.add(bootstrap_interval(values, statistic, {.resamples = 500, .seed = seed}),
                         truth);
    counts.normal.add(normal_interval(values), truth);
  }
  return counts;
}

TEST(Bootstrap, CoversTheMeanOfNormalValues) {
  EXPECT_NEAR(simulate_coverage(draw_normal, 50, 0, mean, 1500).bootstrap.rate(), 0.945, 0.015);
}

TEST(Bootstrap, IsNarrowForFiveValuesAsItsHeaderSays) {
  EXPECT_NEAR(simulate_coverage(draw_normal, 5, 0, mean, 3000).bootstrap.rate(), 0.84, 0.02);
}

TEST(Bootstrap, BeatsTheNormalIntervalOnSkewedValuesAndBalancesItsTails) {
  const auto exponential = simulate_coverage(draw_exponential, 40, 1, mean, 1200);
  const auto lognormal = simulate_coverage(draw_lognormal, 40, std::exp(0.5), mean, 1200);
  for (const BothCoverages& counts : {exponential, lognormal}) {
    EXPECT_GT(counts.bootstrap.rate(), counts.normal.rate());
    EXPECT_LT(counts.bootstrap.imbalance(), 0.7 * counts.normal.imbalance());
  }
  EXPECT_GT(exponential.bootstrap.rate(), 0.9);
  EXPECT_GT(lognormal.bootstrap.rate(), 0.86);
}

TEST(Bootstrap, CoversTheMedian) {
  const double truth = std::log(2.0);
  EXPECT_NEAR(simulate_coverage(draw_exponential, 50, truth, median, 700).bootstrap.rate(), 0.945,
              0.02);
}

TEST(Bootstrap, CoversTheInterquartileMean) {
  EXPECT_NEAR(simulate_coverage(draw_normal, 50, 0, interquartile_mean, 700).bootstrap.rate(),
              0.945, 0.02);
}

TEST(Bootstrap, CoversTheDifferenceOfTwoMeansOfUnequalSamples) {
  Rng rng(5);
  CoverageCount count;
  std::vector<double> a(30), b(60);
  for (int i = 0; i < 1200; ++i) {
    for (double& value : a) value = draw_exponential(rng);
    for (double& value : b) value = 3 + draw_normal(rng);
    count.add(bootstrap_difference_interval(a, b, {.resamples = 500, .seed = rng.next_u64()}), 2);
  }
  EXPECT_NEAR(count.rate(), 0.93, 0.02);
}

TEST(Bootstrap, FollowsTheTextbookForABiasedStatistic) {
  // The variance by n is too small in resamples, the more so the more skewed the values are.
  const Statistic variance = [](std::span<const double> v) {
    return std::pow(standard_deviation(v), 2) * (1 - 1 / static_cast<double>(v.size()));
  };
  Rng rng(12);
  std::vector<double> values(15), resample(15), resampled, left_out;
  for (double& value : values) value = draw_exponential(rng);
  Rng same_draws(0);
  for (int i = 0; i < 5000; ++i) {
    for (double& value : resample) value = values[same_draws.below(15)];
    resampled.push_back(variance(resample));
  }
  std::ranges::sort(resampled);
  for (size_t i = 0; i < 15; ++i) {
    std::vector<double> rest = values;
    rest.erase(rest.begin() + static_cast<int64_t>(i));
    left_out.push_back(variance(rest));
  }
  // Efron and Tibshirani (1993), equations 14.9 to 14.15.
  const double estimate = variance(values), center = mean(left_out);
  const auto below = std::ranges::count_if(resampled, [&](double x) { return x < estimate; });
  const double z0 = normal_quantile(static_cast<double>(below) / 5000);
  double squares = 0, cubes = 0;
  for (const double x : left_out)
    squares += std::pow(center - x, 2), cubes += std::pow(center - x, 3);
  const double a = cubes / (6 * std::pow(squares, 1.5));
  const auto end = [&](double z) {
    const double part = normal_probability(z0 + (z0 + z) / (1 - a * (z0 + z)));
    const auto below_end = static_cast<size_t>(part * 4999);
    return std::lerp(resampled[below_end], resampled[below_end + 1],
                     part * 4999 - static_cast<double>(below_end));
  };
  ASSERT_GT(z0, 0.1);
  ASSERT_GT(a, 0.05);
  const Interval interval = bootstrap_interval(values, variance, {.resamples = 5000});
  EXPECT_NEAR(interval.low, end(-1.9599639845), 1e-6);
  EXPECT_NEAR(interval.high, end(1.9599639845), 1e-6);
}

TEST(Bootstrap, GivesTheSameIntervalEachTimeAndAnotherForAnotherSeed) {
  Rng rng(6);
  std::vector<double> values(30);
  for (double& value : values) value = draw_lognormal(rng);
  EXPECT_EQ(bootstrap_interval(values, mean), bootstrap_interval(values, mean));
  EXPECT_NE(bootstrap_interval(values, mean), bootstrap_interval(values, mean, {.seed = 1}));
}

TEST(Bootstrap, MovesScalesAndMirrorsWithTheValues) {
  Rng rng(7);
  std::vector<double> values(25), mirrored, scaled;
  for (double& value : values) value = draw_lognormal(rng);
  for (const double value : values) mirrored.push_back(-value), scaled.push_back(3 * value + 100);
  const Interval interval = bootstrap_interval(values, mean);
  const Interval mirror = bootstrap_interval(mirrored, mean);
  const Interval scale = bootstrap_interval(scaled, mean);
  EXPECT_NEAR(mirror.low, -interval.high, 1e-9);
  EXPECT_NEAR(mirror.high, -interval.low, 1e-9);
  EXPECT_NEAR(scale.low, 3 * interval.low + 100, 1e-9);
  EXPECT_NEAR(scale.high, 3 * interval.high + 100, 1e-9);
}

TEST(Bootstrap, ConstantValuesGiveAPoint) {
  const std::vector<double> same(7, 0.1), one = {5};
  for (const Statistic& statistic : {Statistic(mean), Statistic(median)}) {
    const double estimate = statistic(same);
    EXPECT_EQ(bootstrap_interval(same, statistic), (Interval{estimate, estimate}));
    EXPECT_EQ(bootstrap_interval(one, statistic), (Interval{5, 5}));
  }
  EXPECT_EQ(bootstrap_difference_interval(same, same), (Interval{0, 0}));
}

TEST(Bootstrap, StaysFiniteAndKeepsTheEstimateWhereAllResamplesLieOnOneSide) {
  // No resample exceeds the sample's largest value, and none falls below its smallest.
  Rng rng(8);
  const Statistic largest = [](auto v) { return *std::ranges::max_element(v); };
  const Statistic smallest = [](auto v) { return *std::ranges::min_element(v); };
  for (const size_t n : {2, 3, 10, 50})
    for (const Statistic& statistic : {largest, smallest, Statistic(mean)}) {
      std::vector<double> values(n);
      for (double& value : values) value = draw_lognormal(rng);
      const Interval interval = bootstrap_interval(values, statistic, {.resamples = 200});
      EXPECT_TRUE(interval.contains(statistic(values)));
      EXPECT_GE(interval.low, smallest(values));
      EXPECT_LE(interval.high, largest(values));
    }
}

TEST(Bootstrap, SurvivesOneOutlierAmongEqualsAndVeryLargeOrSmallNumbers) {
  for (const double scale : {1e-300, 1.0, 1e30}) {
    std::vector<double> values(20, 0.0);
    values[3] = scale;
    const Interval interval = bootstrap_interval(values, mean);
    EXPECT_TRUE(interval.contains(scale / 20)) << scale;
    EXPECT_GE(interval.low, 0) << scale;
    EXPECT_LE(interval.high, scale) << scale;
    EXPECT_GT(interval.high, interval.low) << scale;
  }
}

TEST(Bootstrap, GoesAsFarAsResamplesWentBeyondTheFormulasPole) {
  // One outlier has the largest acceleration there is, 1/6, and the confidence asks for 7 sigma.
  std::vector<double> values(1000, 0.0);
  values[3] = 1;
  const Interval interval =
      bootstrap_interval(values, mean, {.resamples = 1000, .confidence = 1 - 1e-12});
  EXPECT_EQ(interval.low, 0);
  EXPECT_GT(interval.high, 2 * mean(values));
}

TEST(Bootstrap, TiesThatDifferByRoundingAreTies) {
  // Tenths do not add up exactly, whole numbers do; the intervals must agree.
  std::vector<double> whole, tenths;
  for (int i = 0; i < 12; ++i) whole.push_back(i % 3), tenths.push_back(0.1 * (i % 3));
  const Interval exact = bootstrap_interval(whole, mean),
                 rounded = bootstrap_interval(tenths, mean);
  EXPECT_NEAR(rounded.low, exact.low / 10, 1e-12);
  EXPECT_NEAR(rounded.high, exact.high / 10, 1e-12);
}

TEST(Bootstrap, LeavesLargeSamplesOutInGroupsWithTheSameResult) {
  // 4,000 values: the acceleration comes from 1,000 groups of four. For the mean it is known.
  Rng rng(9);
  std::vector<double> values(4000);
  for (double& value : values) value = draw_exponential(rng);
  const Interval interval = bootstrap_interval(values, mean, {.resamples = 1000});
  const Interval normal = normal_interval(values);
  EXPECT_NEAR(interval.low, normal.low, 0.15 * (normal.high - normal.low));
  EXPECT_NEAR(interval.high, normal.high, 0.15 * (normal.high - normal.low));
}

}  // namespace
}  // namespace darp
