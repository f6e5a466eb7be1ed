#include "darp/core/openblas.h"

#include <gtest/gtest.h>

namespace darp {
namespace {

TEST(OpenBlas, IsRepairedWhereItMissesTheCpuAndTheUserHasNotChosen) {
  EXPECT_TRUE(openblas_needs_repair("Prescott", true, false));
  EXPECT_FALSE(openblas_needs_repair("Prescott", true, true));
  EXPECT_FALSE(openblas_needs_repair("Prescott", false, false));
  EXPECT_FALSE(openblas_needs_repair("SkylakeX", true, false));
  EXPECT_FALSE(openblas_needs_repair("Cooperlake", true, false));
  EXPECT_FALSE(openblas_needs_repair("Zen", true, false));
}

}  // namespace
}  // namespace darp
