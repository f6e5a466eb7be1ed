#include "darp/study/tune/tpe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "darp/core/rng.h"
#include "darp/study/tune/importance.h"
#include "darp/study/tune/parzen.h"

namespace darp {
namespace {

/// Four dimensions with their best place off the middle, of which the last does nothing.
SearchSpace valley_space() {
  return parse_search_space(
      "k: log integer 1 1000\nrate: log 1e-5 1\nkind: choice a | b | c | d\nidle: uniform 0 1", "");
}

double valley(const SearchSpace& space, const SearchPoint& point) {
  const double k = space.dimensions[0].unit_of(point[0]) - 0.8;
  const double rate = space.dimensions[1].unit_of(point[1]) - 0.3;
  return -k * k - 4 * rate * rate - (point[2] == 2 ? 0 : 0.1);
}

/// The points that a search of so many trials tries, better ones first; `startup` as many: at
/// random.
std::vector<SearchPoint> tried(const SearchSpace& space, int64_t trials, int64_t startup,
                               uint64_t seed) {
  std::vector<SearchPoint> best_first;
  for (int64_t trial = 0; trial < trials; ++trial) {
    best_first.push_back(propose(space, best_first, trial, {startup, seed}));
    std::stable_sort(best_first.begin(), best_first.end(), [&](const auto& a, const auto& b) {
      return valley(space, a) > valley(space, b);
    });
  }
  return best_first;
}

TEST(Tpe, FindsBetterSettingsThanChance) {
  const SearchSpace space = valley_space();
  constexpr int kSearches = 40;
  double proposed = 0, random = 0;
  int wins = 0;
  for (uint64_t seed = 0; seed < kSearches; ++seed) {
    const double ours = valley(space, tried(space, 40, 8, seed).front());
    // Independent draws, without the even spread of a startup.
    double theirs = -1e9;
    Rng rng(seed, 99);
    for (int trial = 0; trial < 40; ++trial) {
      SearchPoint point;
      for (const SearchDimension& d : space.dimensions) point.push_back(d.value_at(rng.uniform()));
      theirs = std::max(theirs, valley(space, point));
    }
    proposed += ours / kSearches;
    random += theirs / kSearches;
    wins += ours > theirs ? 1 : 0;
  }
  EXPECT_GT(proposed, 0.5 * random);  // both below 0, the best value
  EXPECT_GE(wins, kSearches * 2 / 3);
}

TEST(Tpe, StaysWithinBoundsAndDependsOnItsArgumentsAlone) {
  const SearchSpace space = valley_space();
  const std::vector<SearchPoint> done = tried(space, 30, 8, 3);
  EXPECT_EQ(done, tried(space, 30, 8, 3));
  for (int64_t trial = 30; trial < 200; ++trial) {
    const SearchPoint point = propose(space, done, trial, {8, 3});
    EXPECT_EQ(point, propose(space, done, trial, {8, 3}));
    for (size_t d = 0; d < point.size(); ++d)
      EXPECT_EQ(space.dimensions[d].value_at(space.dimensions[d].unit_of(point[d])), point[d]);
  }
  EXPECT_NE(propose(space, done, 30, {8, 3}), propose(space, done, 31, {8, 3}));
  EXPECT_NE(propose(space, done, 30, {8, 3}), propose(space, done, 30, {8, 4}));
}

TEST(Tpe, SpreadsTheFirstTrialsEvenlyAlongEveryDimension) {
  const SearchSpace space = parse_search_space("a: uniform 0 1\nb: uniform 0 1", "");
  for (size_t d = 0; d < 2; ++d) {
    std::vector<int> parts(8);
    for (int64_t trial = 0; trial < 8; ++trial)
      ++parts[std::min<size_t>(7, static_cast<size_t>(8 * propose(space, {}, trial, {8, 5})[d]))];
    EXPECT_EQ(std::count(parts.begin(), parts.end(), 1), 8) << "dimension " << d;
  }
}

TEST(Tpe, LearnsWhichChoiceIsGood) {
  const SearchSpace space = parse_search_space("kind: choice a | b | c | d", "");
  std::vector<SearchPoint> best_first;
  for (int i = 0; i < 40; ++i) best_first.push_back({i < 6 ? 2.0 : i % 4});
  int chosen = 0;
  for (int64_t trial = 40; trial < 60; ++trial)
    chosen += propose(space, best_first, trial, {8, 0})[0] == 2 ? 1 : 0;
  EXPECT_GE(chosen, 15);  // of 5 by chance
  EXPECT_LT(chosen, 20) << "others are not forgotten";
}

TEST(Parzen, IsADensityThatItsDrawsFollow) {
  const SearchSpace space = parse_search_space("a: uniform 0 1\nb: choice x | y | z", "");
  const std::vector<double> units = {0.02, 0.1, 0.11, 0.9};
  for (const SearchDimension& dimension : space.dimensions) {
    const ParzenEstimator estimator(dimension, units);
    constexpr int kParts = 300, kDraws = 20000;
    double mass = 0, below_third = 0;
    for (int i = 0; i < kParts; ++i) {
      const double part = estimator.density((i + 0.5) / kParts) / kParts;
      mass += part;
      if (i < kParts / 3) below_third += part;
    }
    EXPECT_NEAR(mass, 1, 1e-3);
    Rng rng(7);
    int drawn = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double unit = estimator.sample(rng);
      ASSERT_TRUE(unit >= 0 && unit <= 1);
      drawn += unit < 1.0 / 3 ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(drawn) / kDraws, below_third, 0.015);
  }
}

TEST(Importances, TellWhatMattersThoughASearchLooksWhereItIsGood) {
  const SearchSpace space = valley_space();
  for (const int64_t startup : {8, 60}) {
    std::vector<double> mean(4);
    for (uint64_t seed = 0; seed < 10; ++seed) {
      const std::vector<SearchPoint> points = tried(space, 60, startup, seed);
      std::vector<double> scores;
      for (const SearchPoint& point : points) scores.push_back(valley(space, point));
      const std::vector<double> shares = importances(space, points, scores);
      EXPECT_EQ(shares, importances(space, points, scores));
      EXPECT_LE(std::accumulate(shares.begin(), shares.end(), 0.0), 1 + 1e-9);
      // The steep one matters most, in every search.
      EXPECT_EQ(std::max_element(shares.begin(), shares.end()) - shares.begin(), 1) << seed;
      for (size_t d = 0; d < 4; ++d) mean[d] += shares[d] / 10;
    }
    // Proposals leave most of the space nearly empty, so they tell less than chance.
    EXPECT_GT(mean[1], (startup == 8 ? 4 : 10) * mean[3]) << "startup " << startup;
  }
}

TEST(Importances, AreThePartsOfTheVariance) {
  // Two settings whose effects are known: 3 x and a step of 1, variances 9/12 and 1/4.
  const SearchSpace space = parse_search_space("x: uniform 0 1\nkind: choice a | b", "");
  Rng rng(2);
  std::vector<SearchPoint> points;
  std::vector<double> scores;
  for (int i = 0; i < 400; ++i) {
    points.push_back({space.dimensions[0].value_at(rng.uniform()), static_cast<double>(i % 2)});
    scores.push_back(3 * points.back()[0] + points.back()[1]);
  }
  const std::vector<double> shares = importances(space, points, scores);
  EXPECT_NEAR(shares[0], 0.75, 0.02);
  EXPECT_NEAR(shares[1], 0.25, 0.02);
  // Nothing to explain.
  EXPECT_EQ(importances(space, {}, {}), std::vector<double>(2));
  EXPECT_EQ(importances(space, points, std::vector<double>(points.size(), 7)),
            std::vector<double>(2));
}

}  // namespace
}  // namespace darp
