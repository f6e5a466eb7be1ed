#include "darp/core/finite.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace darp {
namespace {

TEST(AllFinite, SeesNanAndInfinityWhereverTheyAre) {
  using Limits = std::numeric_limits<float>;
  EXPECT_TRUE(all_finite(std::vector<float>{}));
  std::vector<float> values(37, Limits::max());
  values[3] = Limits::lowest();
  values[4] = Limits::denorm_min();
  values[5] = -0.0f;
  EXPECT_TRUE(all_finite(values));
  for (float& place : values)
    for (const float bad : {Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::signaling_NaN(),
                            Limits::infinity(), -Limits::infinity()}) {
      const float before = place;
      place = bad;
      EXPECT_FALSE(all_finite(values)) << "place " << &place - values.data() << ", " << bad;
      place = before;
    }
}

TEST(AllFinite, LooksAtDoublesToo) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(all_finite(std::vector<double>{}));
  EXPECT_TRUE(all_finite(std::vector<double>{1e300, -0.0}));
  EXPECT_FALSE(all_finite(std::vector<double>{0, -infinity}));
  EXPECT_FALSE(all_finite(std::vector<double>{0, infinity - infinity, 1}));
}

}  // namespace
}  // namespace darp
