#include "darp/data/column_statistics.h"

#include <gtest/gtest.h>

#include "darp/core/rng.h"

namespace darp {
namespace {

TEST(ColumnStatistics, MatchesValuesComputedByHand) {
  Matrix m = Matrix::zeros(4, 2);
  for (int64_t i = 0; i < 4; ++i) m(i, 0) = static_cast<float>(i), m(i, 1) = -2.5f;
  const auto columns = column_statistics(m);
  EXPECT_EQ(columns[0].min, 0);
  EXPECT_EQ(columns[0].max, 3);
  EXPECT_EQ(columns[0].mean, 1.5);
  EXPECT_DOUBLE_EQ(columns[0].population_std(), std::sqrt(5.0 / 4));
  EXPECT_DOUBLE_EQ(columns[0].sample_std(), std::sqrt(5.0 / 3));
  EXPECT_TRUE(columns[1].constant());
  EXPECT_EQ(columns[1].population_std(), 0);
}

TEST(ColumnStatistics, DoesNotCancelFarFromZero) {
  Rng rng(3);
  Matrix m = Matrix::zeros(10000, 1);
  for (int64_t i = 0; i < m.rows(); ++i) m(i, 0) = 10000.0f + (i % 2 == 0 ? 0.0625f : -0.0625f);
  EXPECT_NEAR(column_statistics(m)[0].population_std(), 0.0625, 1e-12);
}

TEST(ColumnStatistics, OneRowHasNoSpread) {
  const auto columns = column_statistics(Matrix::zeros(1, 3));
  EXPECT_EQ(columns[2].sample_std(), 0);
  EXPECT_TRUE(columns[2].constant());
}

}  // namespace
}  // namespace darp
