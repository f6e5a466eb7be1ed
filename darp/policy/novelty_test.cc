#include "darp/policy/novelty.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "darp/retrieval/retrieval_session.h"
#include "tests/error_of.h"
#include "tests/random_policy.h"

namespace darp {
namespace {

using Settings = RetrievalSettings;

/// Rows, normalizer and settings of a retrieving policy.
struct Parts {
  PolicySpec spec;
  Normalizer observations = Normalizer::identity(1);
  DemonstrationRows rows;

  explicit Parts(uint64_t seed, const RandomPolicyShape& shape = {}) {
    PolicyContents contents = random_policy(2 * seed, shape);
    spec = contents.spec;
    observations = contents.observations;
    rows = std::move(contents.demonstrations);
  }
  Settings& retrieval() { return std::get<DarpSpec>(spec.kind).retrieval; }
  int64_t count() const { return rows.episode_ends.back(); }
  std::vector<float> quantiles(int threads) const {
    ThreadPool pool(threads);
    return distance_quantiles(spec, observations, rows, pool);
  }
};

/// The farthest neighbour's distance of every step, asked one after another in one session.
std::vector<float> direct_distances(const Parts& parts) {
  Settings settings = parts.spec.darp()->retrieval;
  settings.metric = settings.metric.in_units_of(parts.observations);
  const Matrix states = parts.observations.apply(parts.rows.observations);
  const std::vector<int64_t>& ends = parts.rows.episode_ends;
  RetrievalSession session(std::make_shared<const Retriever>(states, ends, settings));
  std::vector<float> distances;
  for (size_t e = 0; e < ends.size(); ++e) {
    const int64_t begin = e == 0 ? 0 : ends[e - 1], others = ends.back() - (ends[e] - begin);
    session.reset();
    for (int64_t row = begin; row < ends[e]; ++row) {
      RowRange excluded;
      if (others >= settings.k)
        excluded = {begin, ends[e]};
      else if (settings.k < ends.back())
        excluded = {row, row + 1};
      if (session.try_push(states.row(row), excluded) == QueryStatus::kOk)
        distances.push_back(session.neighbors().distances.back());
    }
  }
  return distances;
}

/// They are the quantiles of these numbers, linear in between.
void expect_order_statistics(std::span<const float> quantiles, std::vector<float> numbers) {
  ASSERT_EQ(std::ssize(quantiles), kDistanceQuantiles);
  ASSERT_FALSE(numbers.empty());
  std::ranges::sort(numbers);
  for (size_t i = 0; i < quantiles.size(); ++i) {
    const double place = static_cast<double>(i) / 100 * static_cast<double>(numbers.size() - 1);
    const auto below = static_cast<size_t>(std::floor(place + 1e-9));
    const size_t above = std::min(below + 1, numbers.size() - 1);
    const double part = place - static_cast<double>(below);
    const double expected = static_cast<double>(numbers[below]) * (1 - part) +
                            static_cast<double>(numbers[above]) * part;
    EXPECT_NEAR(quantiles[i], expected, 1e-6 * (1 + expected)) << i << " %";
  }
  EXPECT_EQ(quantiles.front(), numbers.front());
  EXPECT_EQ(quantiles.back(), numbers.back());
}

TEST(DistanceQuantiles, AreThoseOfStepsAskedOneAfterAnother) {
  int episodes_left_out = 0, rows_left_out = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Parts parts(seed, {.episodes = 1 + static_cast<int64_t>(seed % 6)});
    const auto distances = direct_distances(parts);
    if (distances.empty()) continue;
    SCOPED_TRACE(seed);
    expect_order_statistics(parts.quantiles(1), distances);
    const int64_t k = parts.spec.darp()->retrieval.k, first = parts.rows.episode_ends.front();
    ++(k <= parts.count() - first ? episodes_left_out : rows_left_out);
  }
  EXPECT_GT(episodes_left_out, 10);
  EXPECT_GT(rows_left_out, 10);
}

TEST(DistanceQuantiles, AreTheSameBitsForAnyNumberOfThreads) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    // More episodes than jobs.
    Parts parts(seed, {.episodes = 150, .longest = 4});
    if (seed % 2 == 0) parts.retrieval().k = 10 + static_cast<int64_t>(seed);
    parts.retrieval().ratio = 1;
    if (seed % 4 == 0) parts.retrieval().pick = Settings::Pick::kRandom;
    EXPECT_EQ(parts.quantiles(1), parts.quantiles(3)) << seed;
  }
}

TEST(DistanceQuantiles, AskRandomNeighborsInOneSession) {
  Parts parts(3, {.episodes = 150, .longest = 4});
  parts.retrieval().pick = Settings::Pick::kRandom;
  parts.retrieval().k = 3;
  expect_order_statistics(parts.quantiles(2), direct_distances(parts));
}

TEST(DistanceQuantiles, LeaveOutWhatANewRolloutWouldNotFind) {
  // Two episodes on a line, 1 apart; within each, steps are 10 apart.
  Parts parts(0);
  parts.spec = {};
  parts.retrieval().history.lookback = 1;
  parts.observations = Normalizer::identity(1);
  parts.rows.observations = Matrix::zeros(6, 1);
  parts.rows.actions = Matrix::zeros(6, 2);
  for (int64_t i = 0; i < 6; ++i)
    parts.rows.observations(i, 0) = static_cast<float>(10 * (i % 3) + (i < 3 ? 0 : 1));
  const auto all = [&](int64_t k, std::vector<int64_t> ends) {
    parts.retrieval().k = k;
    parts.retrieval().exclude = Settings::Exclude::kNothing;
    parts.rows.episode_ends = std::move(ends);
    return parts.quantiles(1);
  };
  // Its own episode: 0 finds 1 and 11.
  EXPECT_EQ(all(1, {3, 6}), std::vector<float>(kDistanceQuantiles, 1));
  EXPECT_EQ(all(2, {3, 6}).back(), 11);
  // One episode: its own row. 0 finds 1 and 10.
  EXPECT_EQ(all(1, {6}), std::vector<float>(kDistanceQuantiles, 1));
  EXPECT_EQ(all(2, {6}).back(), 10);
  // The other episode has too few: its own row. The ends have 21 to go, the middle 11 at least.
  EXPECT_EQ(all(5, {3, 6}).back(), 21);
  EXPECT_EQ(all(5, {3, 6}).front(), 11);
  EXPECT_EQ(all(4, {3, 6}).front(), 10);
  // All rows: nothing.
  EXPECT_EQ(all(6, {3, 6}).back(), 21);
  EXPECT_EQ(all(6, {3, 6}).front(), 11);
}

TEST(DistanceQuantiles, CountOnlyStepsThatFindSomething) {
  Parts parts(0);
  parts.retrieval().exclude = Settings::Exclude::kZero;
  parts.retrieval().k = 1;
  parts.rows.observations = Matrix::zeros(parts.count(), parts.observations.dim());
  EXPECT_EQ(parts.quantiles(1), std::vector<float>(kDistanceQuantiles, 0));

  PolicySpec bc;
  bc.kind = BcSpec{};
  ThreadPool pool(1);
  EXPECT_TRUE(distance_quantiles(bc, parts.observations, {}, pool).empty());
}

TEST(DistanceQuantiles, AskAPartOfALargeSet) {
  // 24 episodes of 1,000 rows, each a constant of its own, so that the nearest other row tells
  // which episode asked. 20,000 rows are 20 episodes: every sixth is passed over.
  Parts parts(0);
  parts.spec = {};
  parts.retrieval().k = 1;
  parts.retrieval().history.lookback = 1;
  parts.observations = Normalizer::identity(1);
  constexpr int64_t kEpisodes = 24, kLength = 1000;
  parts.rows.observations = Matrix::zeros(kEpisodes * kLength, 1);
  parts.rows.episode_ends.clear();
  const auto place = [](int64_t e) { return static_cast<float>(e * e); };
  for (int64_t i = 0; i < kEpisodes * kLength; ++i)
    parts.rows.observations(i, 0) = place(i / kLength);
  for (int64_t e = 1; e <= kEpisodes; ++e) parts.rows.episode_ends.push_back(e * kLength);
  ThreadPool pool(2);
  std::string drawn;
  Progress progress(
      "rows", kEpisodes * kLength, "rows",
      {.write = [&](std::string_view text) { drawn += text; }, .terminal = false, .width = {}});
  const auto quantiles =
      distance_quantiles(parts.spec, parts.observations, parts.rows, pool, &progress);
  progress.finish();
  EXPECT_SAYS(drawn, "24000 rows");
  std::vector<float> distances;
  for (int64_t e = 0; e < kEpisodes; ++e)
    if (e % 6 != 2)
      distances.insert(distances.end(), kLength, e == 0 ? 1 : place(e) - place(e - 1));
  expect_order_statistics(quantiles, distances);
}

TEST(DistanceQuantiles, SayWhenNothingCanBeAsked) {
  Parts parts(0);
  parts.retrieval().k = 1000;
  EXPECT_SAYS(error_of([&] { parts.quantiles(1); }), "retrieval.k: is 1000, but");
}

TEST(Novelty, IsThePartOfStepsThatAreAsNear) {
  std::vector<float> quantiles;
  for (int i = 0; i <= 100; ++i) quantiles.push_back(static_cast<float>(1 + i));
  EXPECT_EQ(novelty(quantiles, 0), 0);
  EXPECT_EQ(novelty(quantiles, 1), 0);
  EXPECT_FLOAT_EQ(novelty(quantiles, 51), 0.5f);
  EXPECT_FLOAT_EQ(novelty(quantiles, 51.5f), 0.505f);
  EXPECT_EQ(novelty(quantiles, 101), 1);
  EXPECT_FLOAT_EQ(novelty(quantiles, 202), 2);
  EXPECT_EQ(novelty(quantiles, 1e38f), kMostNovel);
}

TEST(Novelty, NeverFallsAndNeverJumps) {
  Rng rng(1);
  for (int trial = 0; trial < 200; ++trial) {
    // Few different values: many are equal, zeros among them.
    const uint64_t values = 1 + rng.below(200);
    std::vector<float> quantiles(kDistanceQuantiles);
    for (float& x : quantiles) x = static_cast<float>(rng.below(values)) / 8;
    std::ranges::sort(quantiles);
    const float largest = quantiles.back();
    constexpr float kStep = 1.0f / 1024;
    float before = novelty(quantiles, 0);
    EXPECT_GE(before, 0);
    for (float distance = kStep; distance < largest + 1; distance += kStep) {
      const float now = novelty(quantiles, distance);
      ASSERT_GE(now, before) << "distance " << distance;
      // Quantiles are 1/8 apart at least, so the slope is 8 at most, beyond the largest too.
      ASSERT_LE(now - before, 8 * kStep + 1e-5f) << "distance " << distance;
      ASSERT_EQ(now >= 1, distance >= largest) << "distance " << distance;
      before = now;
    }
  }
}

TEST(Novelty, IsFiniteWhateverComes) {
  constexpr float kMost = std::numeric_limits<float>::max(),
                  kLeast = std::numeric_limits<float>::denorm_min(),
                  kInfinity = std::numeric_limits<float>::infinity(),
                  kNan = std::numeric_limits<float>::quiet_NaN();
  Rng rng(2);
  for (const float top : {0.0f, kLeast, 1e-30f, 1.0f, kMost}) {
    std::vector<float> quantiles(kDistanceQuantiles);
    for (float& x : quantiles) x = static_cast<float>(rng.uniform() * static_cast<double>(top));
    quantiles.back() = top;
    std::ranges::sort(quantiles);
    float before = 0;
    for (const float distance : {-1.0f, -0.0f, 0.0f, kLeast, 1e-38f, 1e-30f, 1.0f, kMost}) {
      const float now = novelty(quantiles, distance);
      EXPECT_TRUE(std::isfinite(now)) << top << ", " << distance;
      EXPECT_GE(now, before) << top << ", " << distance;
      before = now;
    }
    EXPECT_EQ(novelty(quantiles, kInfinity), kMostNovel);
    EXPECT_EQ(novelty(quantiles, kNan), kMostNovel);
  }
  // Steps that are all the same: what differs is novel by its distance.
  EXPECT_EQ(novelty(std::vector<float>(kDistanceQuantiles, 0), 0), 1);
  EXPECT_EQ(novelty(std::vector<float>(kDistanceQuantiles, 0), 0.5f), 1.5f);
}

}  // namespace
}  // namespace darp
