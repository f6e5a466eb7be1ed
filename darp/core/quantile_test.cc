#include "darp/core/quantile.h"

#include <gtest/gtest.h>

#include <vector>

namespace darp {
namespace {

TEST(Quantile, IsTheValueWithThatPartBelow) {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(i);
  EXPECT_EQ(quantile(values, 0), 0);
  EXPECT_EQ(quantile(values, 0.5), 500);
  EXPECT_EQ(quantile(values, 0.99), 990);
  EXPECT_EQ(quantile(values, 0.999), 999);
  EXPECT_EQ(quantile(values, 1), 999);
  EXPECT_EQ(quantile(std::vector<double>{3}, 0.5), 3);
}

TEST(QuantileDeathTest, OfNothingIsABug) {
  EXPECT_DEATH(quantile({}, 0.5), "a quantile of nothing");
}

}  // namespace
}  // namespace darp
