#include "darp/kernels/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "darp/core/error.h"
#include "darp/core/rng.h"
#include "tests/simd_levels.h"

namespace darp::kernels {
namespace {

using Pair = std::pair<float, int32_t>;

std::vector<Pair> sorted_pairs(const std::vector<float>& values, const Skip& skip) {
  std::vector<Pair> pairs;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    const bool skipped =
        (index >= skip.begin && index < skip.end) || (skip.zeros && values[i] == 0);
    if (!skipped && std::isfinite(values[i]))
      pairs.emplace_back(values[i], static_cast<int32_t>(i));
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::vector<Pair> pairs_of(const Selector& selector) {
  std::vector<Pair> pairs;
  for (size_t i = 0; i < selector.values().size(); ++i)
    pairs.emplace_back(selector.values()[i], selector.indices()[i]);
  return pairs;
}

/// Distances of every kind: spread out, all alike, few different, huge and tiny, some infinite.
float random_value(Rng& rng, uint64_t kind) {
  switch (kind) {
    case 0:
      return static_cast<float>(std::abs(rng.normal()));
    case 1:
      return 2;
    case 2:
      return static_cast<float>(rng.below(5));
    case 3:
      return static_cast<float>(std::exp(20 * rng.normal()));
    case 4:
      return rng.uniform() < 0.2 ? std::numeric_limits<float>::infinity()
                                 : static_cast<float>(rng.uniform());
    default:  // a pile beside one far value
      return rng.uniform() < 0.01 ? 1e30f : 1 + static_cast<float>(rng.below(100)) * 1e-6f;
  }
}

void check(const std::vector<float>& values, int64_t k, const Skip& skip, Selector& selector) {
  const auto sorted = sorted_pairs(values, skip);
  std::vector<Pair> expected(
      sorted.begin(), sorted.begin() + std::min<int64_t>(k, static_cast<int64_t>(sorted.size())));
  const int64_t got = selector.select(values.data(), static_cast<int64_t>(values.size()), k, skip);
  ASSERT_EQ(got, static_cast<int64_t>(expected.size()));
  ASSERT_TRUE(std::is_sorted(selector.indices().begin(), selector.indices().end()));
  selector.sort();
  ASSERT_EQ(pairs_of(selector), expected);
}

TEST(Selector, TakesTheSameAsAFullSortOnEveryLevel) {
  on_every_simd_level([] {
    Rng rng(1);
    for (int round = 0; round < 300; ++round) {
      const uint64_t kind = rng.below(6);
      std::vector<float> values(1 + rng.below(round % 10 == 0 ? 20000 : 300));
      for (float& x : values) x = random_value(rng, kind);
      const auto count = static_cast<int64_t>(values.size());
      const auto k = static_cast<int64_t>(1 + rng.below(static_cast<uint64_t>(count)));
      Skip skip{0, 0, rng.uniform() < 0.3};
      if (rng.uniform() < 0.5) {
        skip.begin = static_cast<int64_t>(rng.below(static_cast<uint64_t>(count + 20))) - 10;
        skip.end = skip.begin + static_cast<int64_t>(rng.below(static_cast<uint64_t>(count)));
      }
      Selector selector(k, count);
      SCOPED_TRACE(fmt::format("round {}: kind {}, {} values, k {}", round, kind, count, k));
      ASSERT_NO_FATAL_FAILURE(check(values, k, skip, selector));
    }
  });
}

TEST(Selector, SamplesLargeSetsWithoutBeingWrong) {
  Rng rng(2);
  for (const int64_t count : {5'000, 70'000, 1'200'000})
    for (const int64_t k : {1, 10, 500, 3000})
      for (uint64_t kind = 0; kind < 6; ++kind) {
        std::vector<float> values(count);
        for (float& x : values) x = random_value(rng, kind);
        Selector selector(k, count);
        SCOPED_TRACE(fmt::format("kind {}, {} values, k {}", kind, count, k));
        ASSERT_NO_FATAL_FAILURE(check(values, k, {}, selector));
      }
}

TEST(Selector, IsNotFooledByAnOrderThatMisleadsTheSample) {
  // The sample reads every so-manieth value: make exactly those large, and then small.
  for (const float odd : {0.0f, 100.0f}) {
    std::vector<float> values(200'000);
    for (size_t i = 0; i < values.size(); ++i) values[i] = 1 + static_cast<float>(i % 977) * 1e-3f;
    for (const int64_t step : {12, 24, 48, 64, 195}) {
      for (size_t i = static_cast<size_t>(step / 2); i < values.size();
           i += static_cast<size_t>(step))
        values[i] = odd;
      Selector selector(700, 200'000);
      ASSERT_NO_FATAL_FAILURE(check(values, 700, {}, selector));
    }
  }
}

TEST(Selector, KeepsTheSmallestOfItsSelection) {
  Rng rng(3);
  Selector selector(500, 2000);
  std::vector<float> values(2000);
  for (float& x : values) x = static_cast<float>(rng.below(300));
  selector.select(values.data(), 2000, 500, {});
  for (float& x : selector.mutable_values()) x = static_cast<float>(rng.below(50));
  std::vector<Pair> expected = pairs_of(selector);
  std::sort(expected.begin(), expected.end());
  expected.resize(123);
  selector.keep_smallest(123);
  EXPECT_TRUE(std::is_sorted(selector.indices().begin(), selector.indices().end()));
  selector.sort();
  EXPECT_EQ(pairs_of(selector), expected);
}

TEST(Selector, TakesNothingWhereNothingMayBeTaken) {
  Selector selector(3, 10);
  const std::vector<float> zeros(10, 0.0f), far(10, std::numeric_limits<float>::infinity());
  EXPECT_EQ(selector.select(zeros.data(), 10, 3, {0, 0, true}), 0);
  EXPECT_EQ(selector.select(zeros.data(), 10, 3, {0, 10, false}), 0);
  EXPECT_EQ(selector.select(far.data(), 10, 3, {}), 0);
  selector.sort();
  EXPECT_TRUE(selector.indices().empty());
}

}  // namespace
}  // namespace darp::kernels
