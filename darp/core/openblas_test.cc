#include "darp/core/openblas.h"

#include <gtest/gtest.h>

#include <cstdlib>

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

TEST(OpenBlas, IsToldItsKernelsBeforeItIsLoadedUnlessTheUserHasChosen) {
  // This program has no OpenBLAS.
  ::unsetenv("OPENBLAS_CORETYPE");
  const std::string told = prepare_openblas();
  const char* set = std::getenv("OPENBLAS_CORETYPE");
  EXPECT_EQ(told.empty(), set == nullptr);
  ::setenv("OPENBLAS_CORETYPE", "Haswell", 1);
  EXPECT_EQ(prepare_openblas(), "");
  EXPECT_STREQ(std::getenv("OPENBLAS_CORETYPE"), "Haswell");
  ::unsetenv("OPENBLAS_CORETYPE");
}

}  // namespace
}  // namespace darp
