#include "darp/core/checked.h"

#include <gtest/gtest.h>

#include <vector>

namespace darp {
namespace {

using Factors = std::vector<uint64_t>;

TEST(CheckedProduct, MultipliesWhatFits) {
  EXPECT_EQ(checked_product(Factors{}), 1u);
  EXPECT_EQ(checked_product(Factors{3, 4, 5}), 60u);
  EXPECT_EQ(checked_product(Factors{UINT64_MAX, 1}), UINT64_MAX);
  EXPECT_EQ(checked_product(Factors{uint64_t{1} << 32, (uint64_t{1} << 32) - 1}),
            0xFFFFFFFF00000000u);
  EXPECT_EQ(checked_product(Factors{0, UINT64_MAX}), 0u);
}

TEST(CheckedProduct, GivesNothingWhereItWouldWrap) {
  EXPECT_EQ(checked_product(Factors{uint64_t{1} << 32, uint64_t{1} << 32}), std::nullopt);
  EXPECT_EQ(checked_product(Factors{UINT64_MAX, 2}), std::nullopt);
  // Zero behind an overflow does not make it right.
  EXPECT_EQ(checked_product(Factors{UINT64_MAX, UINT64_MAX, 0}), std::nullopt);
}

TEST(CheckExpansion, RefusesOnlyBombs) {
  EXPECT_NO_THROW(check_expansion(0, 0, "x"));
  EXPECT_NO_THROW(check_expansion(4096, 0, "x"));
  EXPECT_NO_THROW(check_expansion(4096u * 1000, 1000, "x"));
  EXPECT_THROW(check_expansion(4096u * 1001, 1000, "x"), Error);
  EXPECT_THROW(check_expansion(UINT64_MAX, 1 << 30, "x"), Error);
  EXPECT_THROW(check_expansion(8192, 1, "x"), Error);
}

}  // namespace
}  // namespace darp
