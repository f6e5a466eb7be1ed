#include "darp/train/batch_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "darp/policy/policy_spec.h"
#include "darp/retrieval/neighbor_sample.h"
#include "tests/random_training.h"

namespace darp {
namespace {

TEST(RowsOfABatch, MeetEveryNeighborOnceAndLeadBackToIt) {
  Rng rng(1);
  PolicySpec darp;
  darp.kind = DarpSpec{};
  const RandomTraining data(rng, 3, 2, 1, 12);
  const Examples examples = data.examples(darp);
  BatchRows batch(data.states.rows());
  for (const std::vector<int64_t>& queries :
       {std::vector<int64_t>{4, 0, 8, 4}, {2}, {1, 3, 5, 7}}) {
    batch.set(examples, {queries});
    ASSERT_EQ(batch.queries(), std::ssize(queries));
    std::set<int32_t> met;
    for (int64_t q = 0; q < batch.queries(); ++q) {
      const auto neighbors = examples.neighbors->rows(queries[q]);
      ASSERT_EQ(batch.pairs_end(q) - batch.pairs_begin(q), std::ssize(neighbors));
      for (size_t i = 0; i < neighbors.size(); ++i)
        EXPECT_EQ(batch.rows()[batch.slots()[batch.pairs_begin(q) + i]], neighbors[i]);
      met.insert(neighbors.begin(), neighbors.end());
    }
    EXPECT_EQ(batch.rows().size(), met.size());
  }
}

TEST(RowsOfABatch, MeetASampleOfTheNeighborsDrawnAnew) {
  Rng rng(3);
  PolicySpec darp;
  darp.kind = DarpSpec{};
  const RandomTraining data(rng, 3, 2, 1, 12);
  const Examples examples = data.examples(darp);
  const std::vector<int64_t> queries = {4, 0, 8};
  BatchRows batch(data.states.rows());
  std::set<std::vector<int32_t>> seen;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    batch.set(examples, {.queries = queries, .seed = seed, .neighbor_sample = 2});
    std::vector<int32_t> met;
    for (int64_t q = 0; q < batch.queries(); ++q) {
      const auto neighbors = examples.neighbors->rows(queries[q]);
      const auto places = sampled_places(seed, q, std::ssize(neighbors), 2);
      ASSERT_EQ(batch.pairs_end(q) - batch.pairs_begin(q), std::ssize(places));
      for (size_t i = 0; i < places.size(); ++i) {
        met.push_back(batch.rows()[batch.slots()[batch.pairs_begin(q) + i]]);
        EXPECT_EQ(met.back(), neighbors[places[i]]);
      }
    }
    seen.insert(met);
  }
  EXPECT_GT(seen.size(), 5u);
}

TEST(SampledPlaces, AreEachEquallyLikelyAndAscending) {
  std::vector<int> times(7);
  for (uint64_t seed = 0; seed < 7000; ++seed) {
    const auto places = sampled_places(seed, 3, 7, 3);
    ASSERT_EQ(places.size(), 3u);
    EXPECT_TRUE(places[0] < places[1] && places[1] < places[2]);
    for (const int32_t place : places) ++times[place];
  }
  // 3 of 7 each: 3,000 times, and five standard deviations.
  for (const int count : times) EXPECT_NEAR(count, 3000, 5 * std::sqrt(7000 * 3 / 7.0 * 4 / 7));
  EXPECT_EQ(sampled_places(1, 0, 3, 0), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(sampled_places(1, 0, 3, 5), (std::vector<int32_t>{0, 1, 2}));
}

TEST(RowsOfABatch, HaveOnePairAQueryWithoutNeighbors) {
  Rng rng(2);
  const RandomTraining data(rng, 3, 2, 1, 5);
  PolicySpec bc;
  bc.kind = BcSpec{};
  BatchRows batch(data.states.rows());
  const std::vector<int64_t> queries = {3, 1};
  batch.set(data.examples(bc), {queries});
  EXPECT_EQ(batch.pairs(), 2);
  EXPECT_TRUE(batch.rows().empty());
  EXPECT_TRUE(batch.slots().empty());
}

}  // namespace
}  // namespace darp
