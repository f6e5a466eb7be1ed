#include "darp/retrieval/metric_space.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "darp/core/rng.h"
#include "tests/error_of.h"

namespace darp {
namespace {

std::vector<float> random_row(Rng& rng, int64_t cols) {
  std::vector<float> row(cols);
  for (float& x : row) x = static_cast<float>(2 * rng.normal());
  return row;
}

double measured(const MetricSpace& space, const std::vector<float>& a,
                const std::vector<float>& b) {
  kernels::RowBlocks one(1, space.dim());
  std::vector<float> p(space.dim()), q(space.dim());
  EXPECT_EQ(space.prepare(a, p.data()), QueryStatus::kOk);
  EXPECT_EQ(space.prepare(b, q.data()), QueryStatus::kOk);
  one.set_row(0, q);
  float out[kernels::RowBlocks::kLanes];
  kernels::distances(one, space.comparison(), p.data(), out);
  return out[0];
}

TEST(MetricSpace, WeighsColumnsAndWrapsAngles) {
  Rng rng(1);
  for (int round = 0; round < 200; ++round) {
    const int64_t cols = 1 + static_cast<int64_t>(rng.below(10));
    MetricSettings settings;
    for (int64_t j = 0; j < cols; ++j) {
      settings.weights.push_back(j == 0 || rng.uniform() < 0.8 ? rng.uniform(0.1, 3) : 0);
      settings.periods.push_back(rng.uniform() < 0.5 ? 2 * std::numbers::pi : 0);
    }
    const MetricSpace space(settings, cols);
    const auto a = random_row(rng, cols), b = random_row(rng, cols);
    double sum = 0;
    for (int64_t j = 0; j < cols; ++j) {
      double difference = static_cast<double>(a[j]) - static_cast<double>(b[j]);
      if (settings.periods[j] > 0) difference = std::remainder(difference, settings.periods[j]);
      sum += settings.weights[j] * difference * difference;
    }
    EXPECT_NEAR(measured(space, a, b), std::sqrt(sum), 1e-5 * (1 + std::sqrt(sum)));
  }
}

TEST(MetricSpace, CosineIsOneMinusTheCosineOfTheAngle) {
  Rng rng(2);
  const MetricSettings settings{
      .kind = MetricSettings::Kind::kCosine, .weights = {}, .periods = {}};
  for (int round = 0; round < 200; ++round) {
    const int64_t cols = 1 + static_cast<int64_t>(rng.below(20));
    const MetricSpace space(settings, cols);
    const auto a = random_row(rng, cols), b = random_row(rng, cols);
    double dot = 0, aa = 0, bb = 0;
    for (int64_t j = 0; j < cols; ++j) {
      const double x = a[j], y = b[j];
      dot += x * y, aa += x * x, bb += y * y;
    }
    EXPECT_NEAR(measured(space, a, b), 1 - dot / std::sqrt(aa * bb), 1e-6);
  }
}

TEST(MetricSpace, CosineTellsNearDirectionsApart) {
  // 1 - dot in floats would see nothing below 6e-8.
  const MetricSpace space({.kind = MetricSettings::Kind::kCosine, .weights = {}, .periods = {}}, 2);
  const double near = measured(space, {1, 0}, {1, 1e-5f}),
               nearer = measured(space, {1, 0}, {1, 9e-6f});
  EXPECT_NEAR(near, 5e-11, 1e-14);
  EXPECT_LT(nearer, near);
}

TEST(MetricSpace, AZeroVectorIsADirectionOfItsOwn) {
  const MetricSpace space({.kind = MetricSettings::Kind::kCosine, .weights = {}, .periods = {}}, 3);
  EXPECT_FLOAT_EQ(static_cast<float>(measured(space, {0, 0, 0}, {1, 2, 3})), 1);
  EXPECT_FLOAT_EQ(static_cast<float>(measured(space, {1, 2, 3}, {0, 0, 0})), 1);
  EXPECT_EQ(measured(space, {0, 0, 0}, {0, 0, 0}), 0);
}

TEST(MetricSpace, PeriodsFollowTheUnitsOfANormalizer) {
  const Normalizer normalizer({1, 2}, {4, 0.5f});
  const MetricSettings raw{.kind = {}, .weights = {}, .periods = {0, 6}};
  EXPECT_EQ(raw.in_units_of(normalizer).periods, (std::vector<double>{0, 12}));
}

TEST(MetricSpace, RefusesSettingsThatDoNotFit) {
  const auto error = [](MetricSettings settings) {
    return error_of([&] { MetricSpace(settings, 2); });
  };
  EXPECT_EQ(error({.kind = {}, .weights = {1}, .periods = {}}),
            "metric.weights: has 1 entries for rows of 2 columns; give one per column, or none");
  EXPECT_EQ(error({.kind = {}, .weights = {1, -1}, .periods = {}}),
            "metric.weights: entry 1 is -1; weights are finite and at least 0");
  EXPECT_EQ(error({.kind = {}, .weights = {0, 0}, .periods = {}}),
            "metric: no column is left to compare; give at least one weight above 0");
  EXPECT_EQ(error({.kind = {}, .weights = {}, .periods = {1, INFINITY}}),
            "metric.periods: entry 1 is inf; a period is the length of a circle, or 0 for a line");
  EXPECT_EQ(
      error({.kind = MetricSettings::Kind::kCosine, .weights = {}, .periods = {1, 0}}),
      "metric.periods: angles have no cosine distance; use the euclidean metric, or give sine "
      "and cosine columns instead of the angle");
}

}  // namespace
}  // namespace darp
