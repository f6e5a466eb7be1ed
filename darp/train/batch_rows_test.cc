#include "darp/train/batch_rows.h"

#include <gtest/gtest.h>

#include <set>

#include "darp/policy/policy_spec.h"
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
    batch.set(examples, queries);
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

TEST(RowsOfABatch, HaveOnePairAQueryWithoutNeighbors) {
  Rng rng(2);
  const RandomTraining data(rng, 3, 2, 1, 5);
  PolicySpec bc;
  bc.kind = BcSpec{};
  BatchRows batch(data.states.rows());
  batch.set(data.examples(bc), std::vector<int64_t>{3, 1});
  EXPECT_EQ(batch.pairs(), 2);
  EXPECT_TRUE(batch.rows().empty());
  EXPECT_TRUE(batch.slots().empty());
}

}  // namespace
}  // namespace darp
