// Sessions on an approximate index: what they return is exactly ranked, and how much of the truth
// it is was measured.

#include <gtest/gtest.h>

#include <map>

#include "darp/retrieval/neighbor_table.h"
#include "darp/retrieval/retrieval_session.h"
#include "tests/direct_retrieval.h"

namespace darp {
namespace {

RetrievalSettings settings_for(RetrievalSettings::Index index) {
  RetrievalSettings s;
  s.scope = RetrievalSettings::Scope::kCandidates;
  s.k = 40;
  s.ratio = 0.5;
  s.index = index;
  s.history.lookback = 8;
  s.history.decay = HistorySettings::Decay::kPower;
  s.history.rate = -0.5;
  return s;
}

struct Pair {
  RandomRows data;
  std::shared_ptr<const Retriever> exact, approximate;

  Pair(Rng& rng, RetrievalSettings::Exclude exclude, bool renormalize) : data(rng, 20, 120, 3) {
    for (const auto index : {RetrievalSettings::Index::kExact, RetrievalSettings::Index::kHnsw}) {
      RetrievalSettings settings = settings_for(index);
      settings.exclude = exclude;
      settings.history.renormalize = renormalize;
      (index == RetrievalSettings::Index::kExact ? exact : approximate) =
          std::make_shared<const Retriever>(data.rows, data.ends, settings);
    }
  }
};

TEST(ApproximateRetriever, SaysThatItIsApproximateAndHowMuchItFinds) {
  Rng rng(1);
  const Pair pair(rng, RetrievalSettings::Exclude::kNothing, false);
  EXPECT_FALSE(pair.exact->approximate());
  EXPECT_FALSE(pair.exact->recall().has_value());
  EXPECT_NE(pair.exact->summary().find("exact"), std::string::npos);
  ASSERT_TRUE(pair.approximate->approximate());
  EXPECT_GE(*pair.approximate->recall(), 0.99);
  EXPECT_NE(pair.approximate->summary().find("approximate: recall "), std::string::npos)
      << pair.approximate->summary();
}

TEST(ApproximateRetriever, RanksWhatItFindsWithTheExactDistances) {
  Rng rng(2);
  for (int round = 0; round < 4; ++round) {
    const Pair pair(
        rng,
        round % 2 == 0 ? RetrievalSettings::Exclude::kNothing : RetrievalSettings::Exclude::kZero,
        round >= 2);
    RetrievalSession exact(pair.exact), approximate(pair.approximate);
    size_t same = 0, all = 0;
    for (int t = 0; t < 200; ++t) {
      if (t % 50 == 0) {
        exact.reset();
        approximate.reset();
      }
      const auto query = pair.data.rows.row((t * 7) % pair.data.rows.rows());
      const RowRange excluded{t, t + 30};
      const Neighbors a = exact.push(query, excluded), b = approximate.push(query, excluded);
      ASSERT_EQ(b.rows.size(), 20u);
      ASSERT_TRUE(std::is_sorted(b.distances.begin(), b.distances.end()));
      std::map<int32_t, float> truth;
      for (size_t i = 0; i < a.rows.size(); ++i) truth[a.rows[i]] = a.distances[i];
      for (size_t i = 0; i < b.rows.size(); ++i) {
        EXPECT_FALSE(b.rows[i] >= excluded.begin && b.rows[i] < excluded.end);
        ++all;
        if (!truth.contains(b.rows[i])) continue;
        ++same;
        ASSERT_EQ(truth[b.rows[i]], b.distances[i]);  // the same bits
      }
    }
    EXPECT_GE(static_cast<double>(same), 0.97 * static_cast<double>(all));
  }
}

TEST(ApproximateRetriever, GivesTheSameTableForAnyNumberOfThreads) {
  Rng rng(3);
  const Pair pair(rng, RetrievalSettings::Exclude::kEpisode, false);
  ThreadPool one(1), three(3);
  const auto a = build_neighbor_table(pair.approximate, one),
             b = build_neighbor_table(pair.approximate, three);
  RetrievalSession session(pair.approximate);
  for (int64_t i = 0; i < a.queries(); ++i) {
    ASSERT_TRUE(std::ranges::equal(a.rows(i), b.rows(i)));
    const int64_t begin = pair.data.begin_of(i),
                  end = *std::upper_bound(pair.data.ends.begin(), pair.data.ends.end(), i);
    if (begin == i) session.reset();
    ASSERT_TRUE(
        std::ranges::equal(a.rows(i), session.push(pair.data.rows.row(i), {begin, end}).rows));
  }
}

}  // namespace
}  // namespace darp
