#include "darp/data/sample_demonstrations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace darp {
namespace {

float largest_difference(std::span<const float> a, std::span<const float> b) {
  float most = 0;
  for (size_t j = 0; j < a.size(); ++j) most = std::max(most, std::abs(a[j] - b[j]));
  return most;
}

TEST(SampleDemonstrations, EpisodesOfOneTaskAreSmoothAndDiffer) {
  const SampleDemonstrations data(7, 1, 3, 50, 5);
  EXPECT_EQ(data.rows.rows(), 150);
  EXPECT_EQ(data.rows.cols(), 5);
  EXPECT_EQ(data.ends, (std::vector<int64_t>{50, 100, 150}));
  for (int64_t i = 1; i < 150; ++i) {
    // A mix of four normal weights, turned by at most 0.09 a step, and noise of 0.02.
    if (i % 50 != 0) {
      EXPECT_LT(largest_difference(data.rows.row(i), data.rows.row(i - 1)), 1.2f);
    }
  }
  EXPECT_GT(largest_difference(data.rows.row(0), data.rows.row(50)), 0.1f);
}

TEST(SampleDemonstrations, SeedsDecideAndTheFirstEpisodesStayWhenMoreAreMade) {
  const SampleDemonstrations data(7, 1, 2, 20, 3), again(7, 1, 2, 20, 3), more(7, 1, 4, 20, 3),
      other_seed(7, 2, 2, 20, 3), other_task(8, 1, 2, 20, 3);
  EXPECT_TRUE(same_bits(data.rows, again.rows));
  EXPECT_TRUE(same_bits(data.rows, more.rows.view().rows_between(0, 40)));
  EXPECT_FALSE(same_bits(data.rows, other_seed.rows));
  EXPECT_FALSE(same_bits(data.rows, other_task.rows));
}

}  // namespace
}  // namespace darp
