#include "darp/train/batch_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace darp {
namespace {

TEST(EpochOrder, HasEveryRowOnce) {
  for (const int64_t rows : {0, 1, 2, 100, 1001}) {
    auto order = epoch_order({.seed = 3}, rows);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(static_cast<int64_t>(order.size()), rows);
    for (int64_t i = 0; i < rows; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
  }
}

TEST(EpochOrder, DependsOnSeedMemberAndEpochAndOnNothingElse) {
  std::set<std::vector<int64_t>> orders;
  for (uint64_t seed = 0; seed < 3; ++seed)
    for (int64_t member = 0; member < 3; ++member)
      for (int64_t epoch = 0; epoch < 3; ++epoch) {
        const EpochAddress address{.seed = seed, .member = member, .epoch = epoch};
        EXPECT_EQ(epoch_order(address, 50), epoch_order(address, 50));
        orders.insert(epoch_order(address, 50));
      }
  EXPECT_EQ(orders.size(), 27u);
}

TEST(EpochOrder, PutsEveryRowEverywhere) {
  // 6000 epochs of 6 rows: each row comes first about 1000 times, five sigma are 144.
  std::vector<int> first(6), last(6);
  for (int64_t epoch = 0; epoch < 6000; ++epoch) {
    const auto order = epoch_order({.seed = 1, .epoch = epoch}, 6);
    ++first[static_cast<size_t>(order.front())];
    ++last[static_cast<size_t>(order.back())];
  }
  for (const int count : first) EXPECT_NEAR(count, 1000, 144);
  for (const int count : last) EXPECT_NEAR(count, 1000, 144);
}

TEST(BatchRows, CutTheOrderWithoutLoss) {
  for (const int64_t rows : {1, 31, 32, 33, 64, 100})
    for (const int64_t batch_size : {1, 7, 32, 1000}) {
      const auto order = epoch_order({.seed = 2}, rows);
      std::vector<int64_t> joined;
      const int64_t batches = batch_count(rows, batch_size);
      for (int64_t batch = 0; batch < batches; ++batch) {
        const auto part = batch_rows(order, batch_size, batch);
        EXPECT_TRUE(batch + 1 == batches || static_cast<int64_t>(part.size()) == batch_size);
        joined.insert(joined.end(), part.begin(), part.end());
      }
      EXPECT_EQ(joined, order);
    }
  EXPECT_EQ(batch_count(0, 32), 0);
}

TEST(BatchNoise, IsMadeForAnyBatchAlone) {
  std::vector<Matrix> in_order;
  for (int64_t batch = 0; batch < 4; ++batch) {
    in_order.push_back(Matrix::zeros(5, 3));
    batch_noise({.seed = 1}, batch, 0.5, in_order.back().mutable_view());
  }
  Matrix alone = Matrix::zeros(5, 3);
  batch_noise({.seed = 1}, 3, 0.5, alone.mutable_view());
  EXPECT_TRUE(same_bits(alone, in_order[3]));
  EXPECT_FALSE(same_bits(in_order[0], in_order[1]));
  // A smaller last batch has the noise of the first rows.
  Matrix fewer = Matrix::zeros(2, 3);
  batch_noise({.seed = 1}, 3, 0.5, fewer.mutable_view());
  EXPECT_TRUE(same_bits(fewer, alone.view().rows_between(0, 2)));
}

TEST(BatchNoise, IsGaussianOfTheGivenWidth) {
  Matrix noise = Matrix::zeros(1000, 20);
  batch_noise({.seed = 9}, 0, 0.3, noise.mutable_view());
  double sum = 0, squares = 0, within = 0;
  for (int64_t i = 0; i < 1000; ++i)
    for (const float x : std::as_const(noise).row(i)) {
      sum += x;
      squares += static_cast<double>(x) * x;
      within += std::fabs(x) < 0.3 ? 1 : 0;
    }
  EXPECT_NEAR(sum / 20'000, 0, 5 * 0.3 / std::sqrt(20'000.0));
  EXPECT_NEAR(std::sqrt(squares / 20'000), 0.3, 5 * 0.3 / std::sqrt(40'000.0));
  EXPECT_NEAR(within / 20'000, 0.6827, 5 * 0.0033);
  batch_noise({.seed = 9}, 0, 0, noise.mutable_view());
  EXPECT_EQ(noise(3, 4), 0);
}

TEST(BatchSeed, DiffersFromBatchToBatch) {
  std::set<uint64_t> seeds;
  for (int64_t member = 0; member < 3; ++member)
    for (int64_t epoch = 0; epoch < 10; ++epoch)
      for (int64_t batch = 0; batch < 10; ++batch)
        seeds.insert(batch_seed({.seed = 0, .member = member, .epoch = epoch}, batch));
  EXPECT_EQ(seeds.size(), 300u);
  EXPECT_NE(initial_weights_rng(0, 0).next_u64(), initial_weights_rng(0, 1).next_u64());
}

}  // namespace
}  // namespace darp
