// Expected numbers are what numpy 1.26 and gym 0.19 print for the same seeds.

#include "darp/env/random/numpy_random.h"

#include <gtest/gtest.h>

namespace darp {
namespace {

TEST(NumpyRandom, HashesSeedsAsGymDoes) {
  EXPECT_EQ(gym_key(0), (std::vector<uint32_t>{547404849, 309914516}));
  EXPECT_EQ(gym_key(1), (std::vector<uint32_t>{2739863373, 598274112}));
}

TEST(NumpyRandom, DrawsUniformNumbersAsGymDoes) {
  const double expected[2][6] = {
      {-0.004456399, 0.004653909, 0.001326909, -0.002099827, -0.003975157, 0.001730763},
      {0.003073904, 0.000145001, -0.003088818, -0.003131252, 0.002725216, -0.004481721}};
  for (uint64_t seed : {0, 1}) {
    NumpyRandom random = NumpyRandom::from_gym_seed(seed);
    for (double number : expected[seed]) EXPECT_NEAR(random.uniform(-0.005, 0.005), number, 5e-10);
  }
}

TEST(NumpyRandom, DrawsNormalNumbersAsGymDoes) {
  // HalfCheetah's reset with seed 0: nine uniform numbers, then normal ones.
  NumpyRandom random = NumpyRandom::from_gym_seed(0);
  for (double number : {-0.089127989, 0.093078187, 0.026538189})
    EXPECT_NEAR(random.uniform(-0.1, 0.1), number, 5e-10);
  for (int i = 3; i < 9; ++i) random.uniform();
  for (double number : {-0.057275105, 0.003362336, -0.003173373})
    EXPECT_NEAR(0.1 * random.normal(), number, 5e-10);
}

TEST(NumpyRandom, DrawsIntegersAndNormalNumbersFromAPlainSeed) {
  // Push-T's resets.
  const double expected[3][5] = {{222, 97, 217, 292, 3.0079994677219553},
                                 {87, 285, 172, 355, -6.595749753457083},
                                 {218, 65, 172, 122, -3.28337113063679}};
  for (uint32_t seed = 0; seed < 3; ++seed) {
    NumpyRandom random = NumpyRandom::from_seed(seed);
    EXPECT_EQ(50 + random.integer(399), expected[seed][0]);
    EXPECT_EQ(50 + random.integer(399), expected[seed][1]);
    EXPECT_EQ(100 + random.integer(299), expected[seed][2]);
    EXPECT_EQ(100 + random.integer(299), expected[seed][3]);
    EXPECT_DOUBLE_EQ(random.normal() * 2 * 3.141592653589793 - 3.141592653589793,
                     expected[seed][4]);
  }
}

TEST(NumpyRandom, IntegersStayInRangeAndReachBothEnds) {
  NumpyRandom random = NumpyRandom::from_seed(5);
  for (uint32_t most : {0u, 1u, 2u, 6u, 7u, 8u}) {
    std::vector<int> seen(most + 1);
    for (int i = 0; i < 1000; ++i) ++seen.at(random.integer(most));
    for (int count : seen) EXPECT_GT(count, 0);
  }
  random.integer(~0u);  // no endless loop, no undefined shift
}

}  // namespace
}  // namespace darp
