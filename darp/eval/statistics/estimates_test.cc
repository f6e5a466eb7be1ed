#include "darp/eval/statistics/estimates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "darp/core/rng.h"

namespace darp {
namespace {

std::vector<double> normal_values(Rng& rng, size_t count) {
  std::vector<double> values(count);
  for (double& value : values) value = rng.normal();
  return values;
}

TEST(Estimates, MeanAndSpreadOfKnownValues) {
  const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(mean(values), 5);
  EXPECT_DOUBLE_EQ(standard_deviation(values), std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(median(values), 4.5);
  EXPECT_DOUBLE_EQ(interquartile_mean(values), 4.5);
}

TEST(Estimates, OneValueIsItsOwnSummary) {
  const std::vector<double> one = {-3.25};
  EXPECT_EQ(mean(one), -3.25);
  EXPECT_EQ(standard_deviation(one), 0);
  EXPECT_EQ(median(one), -3.25);
  EXPECT_EQ(interquartile_mean(one), -3.25);
  EXPECT_EQ(normal_interval(one), (Interval{-3.25, -3.25}));
}

TEST(Estimates, MedianIsTheMiddleOfTheSortedValues) {
  Rng rng(1);
  for (size_t n = 1; n <= 40; ++n) {
    std::vector<double> values = normal_values(rng, n);
    const double found = median(values);
    std::ranges::sort(values);
    EXPECT_DOUBLE_EQ(found, (values[(n - 1) / 2] + values[n / 2]) / 2) << n;
  }
}

TEST(Estimates, InterquartileMeanIsTheMiddleHalfWithEachValueTakenFourTimes) {
  Rng rng(2);
  for (size_t n = 1; n <= 40; ++n) {
    const std::vector<double> values = normal_values(rng, n);
    std::vector<double> repeated;
    for (const double value : values) repeated.insert(repeated.end(), 4, value);
    std::ranges::sort(repeated);
    EXPECT_NEAR(interquartile_mean(values), mean(std::span(repeated).subspan(n, 2 * n)), 1e-14)
        << n;
  }
}

TEST(Estimates, OutliersMoveTheMeanButNotTheInterquartileMean) {
  std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8};
  const double before = interquartile_mean(values);
  values.back() = 1e9;
  EXPECT_EQ(interquartile_mean(values), before);
  EXPECT_GT(mean(values), 1e8);
}

TEST(NormalQuantile, HasTheValuesOfTheTables) {
  EXPECT_NEAR(normal_quantile(0.975), 1.9599639845400545, 1e-15);
  EXPECT_NEAR(normal_quantile(0.995), 2.5758293035489004, 1e-15);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-16);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-14);
  EXPECT_NEAR(normal_quantile(1e-300), -37.0470962993612, 1e-12);
}

TEST(NormalQuantile, InvertsTheDistributionToTheLastDigits) {
  for (double exponent = -307; exponent < -0.01; exponent += 0.037) {
    const double p = std::pow(10, exponent), z = normal_quantile(p);
    // An error of an ulp in z changes p by z * z ulps in the tail.
    EXPECT_NEAR(normal_probability(z) / p, 1, 1e-15 * (1 + z * z)) << p;
  }
}

TEST(NormalQuantile, IsOddAboutOneHalf) {
  for (const double p : {0.001953125, 0.125, 0.25, 0.375, 0.4990234375})
    EXPECT_EQ(normal_quantile(p), -normal_quantile(1 - p)) << p;
  // Next to the middle the slope is sqrt(2 pi).
  EXPECT_NEAR(normal_quantile(0.5 + 0x1p-40) / 0x1p-40, 2.5066282746310002, 1e-14);
}

TEST(NormalInterval, CoversTheMeanOfNormalValuesInNearly95PercentOfFiftyAndLessOfFive) {
  Rng rng(3);
  const auto coverage = [&](size_t n) {
    int covered = 0;
    for (int i = 0; i < 10'000; ++i) covered += normal_interval(normal_values(rng, n)).contains(0);
    return covered / 1e4;
  };
  EXPECT_NEAR(coverage(50), 0.945, 0.01);
  EXPECT_NEAR(coverage(5), 0.88, 0.015);
}

TEST(NormalInterval, GrowsWithConfidence) {
  Rng rng(4);
  const std::vector<double> values = normal_values(rng, 30);
  const Interval wide = normal_interval(values, 0.99), narrow = normal_interval(values, 0.9);
  EXPECT_LT(wide.low, narrow.low);
  EXPECT_GT(wide.high, narrow.high);
  EXPECT_NEAR((wide.high - wide.low) / (narrow.high - narrow.low), 2.5758293 / 1.6448536, 1e-6);
}

TEST(WilsonInterval, HasKnownValues) {
  EXPECT_NEAR(wilson_interval(8, 10).low, 0.49016247, 1e-8);
  EXPECT_NEAR(wilson_interval(8, 10).high, 0.94331785, 1e-8);
  EXPECT_EQ(wilson_interval(0, 10).low, 0);
  EXPECT_NEAR(wilson_interval(0, 10).high, 0.27753280, 1e-8);
  EXPECT_EQ(wilson_interval(10, 10).high, 1);
}

TEST(WilsonInterval, MirrorsWhenFailuresAreCounted) {
  for (int64_t n : {1, 2, 7, 100})
    for (int64_t k = 0; k <= n; ++k) {
      const Interval successes = wilson_interval(k, n), failures = wilson_interval(n - k, n);
      EXPECT_NEAR(successes.low, 1 - failures.high, 1e-15);
      EXPECT_TRUE(successes.contains(static_cast<double>(k) / static_cast<double>(n)));
      EXPECT_TRUE(0 <= successes.low && successes.high <= 1);
    }
}

/// Exactly: the binomial probabilities of the outcomes whose interval has p.
double wilson_coverage(int64_t n, double p) {
  double probability = std::pow(1 - p, n), covered = 0;
  for (int64_t k = 0; k <= n; ++k) {
    if (wilson_interval(k, n).contains(p)) covered += probability;
    probability *= static_cast<double>(n - k) / static_cast<double>(k + 1) * p / (1 - p);
  }
  return covered;
}

TEST(WilsonInterval, Covers95PercentOnAverageAnd83AtWorst) {
  for (const int64_t n : {5, 10, 20, 50, 100}) {
    double sum = 0, worst = 1;
    for (int i = 1; i < 500; ++i) {
      const double coverage = wilson_coverage(n, i / 500.0);
      sum += coverage;
      worst = std::min(worst, coverage);
    }
    EXPECT_NEAR(sum / 499, 0.95, 0.01) << n;
    EXPECT_GT(worst, 0.83) << n;
  }
}

}  // namespace
}  // namespace darp
