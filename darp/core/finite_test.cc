#include "darp/core/finite.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace darp {
namespace {

TEST(AllFinite, SeesNanAndInfinityWhereverTheyAre) {
  using Limits = std::numeric_limits<float>;
  EXPECT_TRUE(all_finite({}));
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

}  // namespace
}  // namespace darp
