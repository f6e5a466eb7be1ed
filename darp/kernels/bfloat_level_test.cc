#include "darp/kernels/bfloat_level.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace darp::kernels {
namespace {

TEST(BfloatLevel, IsOneThatTheCpuHas) {
  const auto levels = available_bfloat_levels();
  ASSERT_FALSE(levels.empty());
  EXPECT_EQ(levels.front(), BfloatLevel::kPortable);
  EXPECT_EQ(std::count(levels.begin(), levels.end(), bfloat_level()), 1);
}

TEST(BfloatLevel, IsWhatItIsForcedToBeUntilReleased) {
  const BfloatLevel best = bfloat_level();
  for (const BfloatLevel level : available_bfloat_levels()) {
    force_bfloat_level(level);
    EXPECT_EQ(bfloat_level(), level);
  }
  force_bfloat_level(std::nullopt);
  EXPECT_EQ(bfloat_level(), best);
}

TEST(BfloatLevel, HasANameForLogs) {
  EXPECT_EQ(to_string(BfloatLevel::kPortable), "portable");
  EXPECT_EQ(to_string(BfloatLevel::kAvx512Bf16), "avx512-bf16");
  EXPECT_EQ(to_string(BfloatLevel::kAmx), "amx");
}

}  // namespace
}  // namespace darp::kernels
