#include "darp/retrieval/retrieval_session.h"

#include <gtest/gtest.h>

#include <set>

#include "darp/retrieval/neighbor_table.h"
#include "tests/allocation_count.h"
#include "tests/direct_retrieval.h"
#include "tests/error_of.h"
#include "tests/simd_levels.h"

namespace darp {
namespace {

/// Got and expected neighbours are equal bit for bit, or up to the last bit of recursive sums.
void expect_same(std::span<const int32_t> rows, std::span<const float> distances,
                 const std::vector<DirectNeighbor>& expected, const DirectRetrieval& direct,
                 const std::vector<std::vector<float>>& queries) {
  ASSERT_EQ(rows.size(), expected.size());
  const float tolerance = direct.recursive() ? 0x1p-22f : 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const float bound = tolerance * expected[i].distance + (tolerance > 0 ? 1e-9f : 0);
    if (rows[i] != expected[i].row) {  // only a tie up to rounding may change places
      ASSERT_GT(tolerance, 0);
      ASSERT_NEAR(direct.distance(queries, rows[i]), expected[i].distance, bound);
    }
    if (!distances.empty()) {
      ASSERT_NEAR(distances[i], expected[i].distance, bound);
    }
  }
}

std::vector<float> random_query(Rng& rng, const RandomRows& data) {
  const auto row = static_cast<int64_t>(rng.below(static_cast<uint64_t>(data.rows.rows())));
  std::vector<float> query(data.rows.row(row).begin(), data.rows.row(row).end());
  if (rng.uniform() < 0.7)
    for (float& x : query) x += static_cast<float>(0.3 * rng.normal());
  return query;
}

TEST(RetrievalSession, EqualsTheDirectFormulaOnEveryLevel) {
  on_every_simd_level([] {
    Rng rng(1);
    for (int round = 0; round < 60; ++round) {
      SCOPED_TRACE(fmt::format("round {}", round));
      const int64_t cols = 1 + static_cast<int64_t>(rng.below(12));
      const RandomRows data(rng, 1 + static_cast<int64_t>(rng.below(8)), round % 4 == 0 ? 2 : 50,
                            cols);
      if (data.rows.rows() < 3) continue;
      RetrievalSettings settings = random_settings(rng, data.rows.rows(), cols);
      if (settings.exclude == RetrievalSettings::Exclude::kEpisode)
        settings.exclude = RetrievalSettings::Exclude::kNothing;
      const auto retriever = std::make_shared<const Retriever>(data.rows, data.ends, settings);
      const DirectRetrieval direct(data, *retriever);
      RetrievalSession session(retriever);
      for (int rollout = 0; rollout < 2; ++rollout) {
        session.reset();
        std::vector<std::vector<float>> queries;
        for (int t = 0; t < 25; ++t) {
          queries.push_back(random_query(rng, data));
          if (rng.uniform() < 0.2) {
            ASSERT_EQ(session.remember(queries.back()), QueryStatus::kOk);
            continue;
          }
          RowRange excluded{};
          if (rng.uniform() < 0.3) {
            excluded.begin =
                static_cast<int64_t>(rng.below(static_cast<uint64_t>(data.rows.rows())));
            excluded.end = excluded.begin + 1 + static_cast<int64_t>(rng.below(20));
          }
          const auto expected = direct.neighbors(queries, excluded);
          const QueryStatus status = session.try_push(queries.back(), excluded);
          ASSERT_EQ(status, expected.empty() ? QueryStatus::kNoneLeft : QueryStatus::kOk);
          const Neighbors got = session.neighbors();
          EXPECT_EQ(got.wanted, retriever->kept());
          ASSERT_NO_FATAL_FAILURE(expect_same(got.rows, got.distances, expected, direct, queries));
        }
      }
    }
  });
}

TEST(NeighborTable, EqualsTheDirectFormulaForAnyNumberOfThreads) {
  Rng rng(2);
  ThreadPool one(1), three(3);
  int halves = 0;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    const int64_t cols = 1 + static_cast<int64_t>(rng.below(6));
    // Some episodes are longer than a chunk, so that chunks begin inside them.
    const RandomRows data(rng, 1 + static_cast<int64_t>(rng.below(6)), round % 5 == 0 ? 300 : 30,
                          cols);
    if (data.rows.rows() < 3) continue;
    RetrievalSettings settings = random_settings(rng, data.rows.rows(), cols);
    settings.k = std::min<int64_t>(settings.k, 5);
    settings.ratio = settings.scope == RetrievalSettings::Scope::kAll ? 1 : 0.7;
    if (settings.kept() == 0) continue;
    std::shared_ptr<const Retriever> retriever;
    try {
      retriever = std::make_shared<const Retriever>(data.rows, data.ends, settings);
    } catch (const Error&) {
      continue;  // an episode that is nearly everything was to be excluded
    }
    const DirectRetrieval direct(data, *retriever);
    const NeighborTable table = build_neighbor_table(retriever, one, {.distances = true});
    const NeighborTable again = build_neighbor_table(retriever, three, {.distances = true});
    ASSERT_EQ(table.queries(), data.rows.rows());
    const int64_t step = data.rows.rows() > 200 ? 17 : 1;
    std::vector<std::vector<float>> queries;
    for (int64_t i = 0; i < data.rows.rows(); ++i) {
      if (data.begin_of(i) == i) queries.clear();
      queries.emplace_back(data.rows.row(i).begin(), data.rows.row(i).end());
      ASSERT_TRUE(std::ranges::equal(table.rows(i), again.rows(i)));
      ASSERT_TRUE(std::ranges::equal(table.distances(i), again.distances(i)));
      if (i % step != 0) continue;
      RowRange excluded{};
      if (settings.exclude == RetrievalSettings::Exclude::kRow) excluded = {i, i + 1};
      if (settings.exclude == RetrievalSettings::Exclude::kEpisode)
        excluded = {data.begin_of(i), *std::upper_bound(data.ends.begin(), data.ends.end(), i)};
      if (settings.exclude == RetrievalSettings::Exclude::kEpisode && data.ends.size() == 1) {
        const int64_t rows = data.rows.rows();
        excluded = 2 * i + 1 < rows ? RowRange{0, rows / 2} : RowRange{rows / 2, rows};
        ++halves;
      }
      ASSERT_NO_FATAL_FAILURE(expect_same(table.rows(i), table.distances(i),
                                          direct.neighbors(queries, excluded), direct, queries));
    }
  }
  EXPECT_GT(halves, 0);
}

TEST(NeighborTable, OfOtherRowsEqualsStreamingThem) {
  Rng rng(3);
  ThreadPool pool(2);
  for (const auto scope : {RetrievalSettings::Scope::kAll, RetrievalSettings::Scope::kCandidates}) {
    const RandomRows data(rng, 5, 60, 4), other(rng, 3, 200, 4);
    RetrievalSettings settings;
    settings.scope = scope;
    settings.k = 7;
    settings.history.decay = HistorySettings::Decay::kPower;
    settings.history.rate = -0.5;
    const auto retriever = std::make_shared<const Retriever>(data.rows, data.ends, settings);
    const NeighborTable table =
        build_neighbor_table(retriever, other.rows, other.ends, pool, {.distances = true});
    RetrievalSession session(retriever);
    for (int64_t i = 0; i < other.rows.rows(); ++i) {
      if (other.begin_of(i) == i) session.reset();
      const Neighbors got = session.push(other.rows.row(i));
      ASSERT_TRUE(std::ranges::equal(table.rows(i), got.rows));
      ASSERT_TRUE(std::ranges::equal(table.distances(i), got.distances));
    }
  }
}

TEST(RetrievalSession, PicksRandomRowsThatFollowTheSeed) {
  Rng rng(4);
  const RandomRows data(rng, 4, 40, 3);
  RetrievalSettings settings;
  settings.pick = RetrievalSettings::Pick::kRandom;
  settings.k = 10;
  std::vector<int> hits(data.rows.rows());
  const auto rollout = [&](int64_t seed) {
    settings.seed = seed;
    const auto retriever = std::make_shared<const Retriever>(data.rows, data.ends, settings);
    RetrievalSession session(retriever);
    std::vector<int32_t> all;
    for (int t = 0; t < 200; ++t) {
      const Neighbors n = session.push(data.rows.row(t % data.rows.rows()), {5, 9});
      EXPECT_EQ(n.rows.size(), 10u);
      EXPECT_EQ(std::set<int32_t>(n.rows.begin(), n.rows.end()).size(), 10u);
      EXPECT_TRUE(std::is_sorted(n.distances.begin(), n.distances.end()));
      for (const int32_t row : n.rows) {
        EXPECT_FALSE(row >= 5 && row < 9);
        ++hits[row];
      }
      all.insert(all.end(), n.rows.begin(), n.rows.end());
    }
    return all;
  };
  const auto first = rollout(1);
  EXPECT_EQ(first, rollout(1));
  EXPECT_NE(first, rollout(2));
  // 6,000 draws: every usable row comes about equally often (five standard deviations).
  const double mean = 6000.0 / static_cast<double>(data.rows.rows() - 4);
  for (int64_t row = 0; row < data.rows.rows(); ++row)
    if (row < 5 || row >= 9) {
      EXPECT_NEAR(hits[row], mean, 5 * std::sqrt(mean));
    }
}

TEST(RetrievalSession, SaysWhatIsWrongWithAQueryAndGoesOn) {
  Rng rng(5);
  const RandomRows data(rng, 2, 30, 3);
  RetrievalSettings settings;
  settings.k = 2;
  const auto retriever = std::make_shared<const Retriever>(data.rows, data.ends, settings);
  RetrievalSession session(retriever), untouched(retriever);
  const std::vector<float> good = {1, 2, 3}, nan = {1, NAN, 3}, wide = {1, 2, 3, 4},
                           huge = {1, 1e20f, 3};
  session.push(good);
  untouched.push(good);
  EXPECT_EQ(error_of([&] { session.push(nan); }),
            "query at step 1: contains NaN or infinity; mend the observation before it is pushed");
  EXPECT_EQ(
      error_of([&] { session.push(wide); }),
      "query at step 1: has 4 numbers where the rows have 3; use the observation that the rows "
      "were made of");
  EXPECT_EQ(session.try_push(huge), QueryStatus::kTooLarge);
  EXPECT_TRUE(session.neighbors().rows.empty());
  // As if they had never come.
  const Neighbors got = session.push(good), expected = untouched.push(good);
  EXPECT_TRUE(std::ranges::equal(got.rows, expected.rows));
  EXPECT_TRUE(std::ranges::equal(got.distances, expected.distances));
  EXPECT_EQ(error_of([&] {
              session.push(good, {0, data.rows.rows()});
            }),
            "query at step 3: has no row left to retrieve after exclusion; exclude less or add "
            "demonstrations");
}

TEST(RetrievalSession, ReturnsWhatExistsAndSaysHowManyWereWanted) {
  Matrix rows = Matrix::zeros(6, 1);
  for (int64_t i = 0; i < 6; ++i) rows(i, 0) = static_cast<float>(i);
  RetrievalSettings settings;
  settings.k = 4;
  const auto retriever =
      std::make_shared<const Retriever>(rows, std::vector<int64_t>{3, 6}, settings);
  RetrievalSession session(retriever);
  const Neighbors n = session.push(std::vector<float>{0}, {0, 3});
  EXPECT_EQ(std::vector<int32_t>(n.rows.begin(), n.rows.end()), (std::vector<int32_t>{3, 4, 5}));
  EXPECT_EQ(n.wanted, 4);
}

TEST(RetrievalSession, AllocatesNothingAfterConstruction) {
  Rng rng(6);
  const RandomRows data(rng, 30, 400, 3);
  ASSERT_GT(data.rows.rows(), 4096);  // more than are selected without a sample
  int kinds = 0;
  for (const auto scope : {RetrievalSettings::Scope::kAll, RetrievalSettings::Scope::kCandidates})
    for (const auto decay : {HistorySettings::Decay::kExponential, HistorySettings::Decay::kPower})
      for (const auto pick : {RetrievalSettings::Pick::kNearest, RetrievalSettings::Pick::kRandom})
        for (const auto index :
             {RetrievalSettings::Index::kExact, RetrievalSettings::Index::kHnsw}) {
          RetrievalSettings settings;
          settings.scope = scope;
          settings.pick = pick;
          settings.index = index;
          settings.exclude = RetrievalSettings::Exclude::kZero;
          settings.history.decay = decay;
          settings.history.rate = 0;
          if (index == RetrievalSettings::Index::kHnsw &&
              (scope == RetrievalSettings::Scope::kAll || pick == RetrievalSettings::Pick::kRandom))
            continue;
          ++kinds;
          RetrievalSession session(
              std::make_shared<const Retriever>(data.rows, data.ends, settings));
          EXPECT_EQ(allocations_of([&] {
                      for (int64_t t = 0; t < 60; ++t) {
                        if (t == 30) session.reset();
                        session.try_push(data.rows.row(t), {t, t + 50});
                        session.remember(data.rows.row(t + 1));
                      }
                    }),
                    0);
        }
  EXPECT_EQ(kinds, 10);
}

TEST(RetrievalSession, HoldsLookbackTimesRowsFloats) {
  const int64_t rows = 5000, lookback = 20;
  const Matrix data = Matrix::zeros(rows, 8);
  RetrievalSettings settings;
  settings.k = 100;
  settings.scope = RetrievalSettings::Scope::kCandidates;
  settings.history.lookback = lookback;
  const auto retriever =
      std::make_shared<const Retriever>(data, std::vector<int64_t>{rows}, settings);
  EXPECT_LE(static_cast<double>(retriever->bytes()), 1.3 * static_cast<double>(rows) * 8 * 4);
  // And what k asks for, and a fixed sample.
  EXPECT_LE(RetrievalSession(retriever).bytes(), rows * lookback * 4 + 100 * 64 + 60'000);
}

}  // namespace
}  // namespace darp
