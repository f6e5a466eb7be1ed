#include "darp/policy/neighbor_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace darp {
namespace {

std::vector<float> weights(double bandwidth, std::vector<float> distances) {
  neighbor_weights(bandwidth, distances, distances);
  return distances;
}

TEST(NeighborWeights, FallWithTheDistanceInPartsOfTheMean) {
  const std::vector<float> got = weights(0.5, {1, 2, 3});  // h = 1
  const double sum = std::exp(-1) + std::exp(-2) + std::exp(-3);
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], std::exp(-static_cast<double>(i + 1)) / sum, 1e-7);
  const std::vector<float> larger = weights(0.5, {1000, 2000, 3000});
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], larger[i], 1e-7);
}

TEST(NeighborWeights, AreAlikeWithoutABandwidthAndAtTheQueryItself) {
  EXPECT_EQ(weights(0, {1, 5}), (std::vector<float>{0.5, 0.5}));
  EXPECT_EQ(weights(1, {0, 0, 0, 0}), (std::vector<float>{0.25, 0.25, 0.25, 0.25}));
  EXPECT_EQ(weights(1, {}), std::vector<float>());
}

TEST(NeighborWeights, AreFiniteAndSumToOneForAnyFiniteDistances) {
  for (const double bandwidth : {1e-30, 1e-3, 1.0, 1e6})
    for (const float far : {1e-30f, 1.0f, 1e18f, 1e38f}) {
      double sum = 0;
      for (const float w : weights(bandwidth, {0, far, far, far / 2})) {
        EXPECT_TRUE(std::isfinite(w) && w >= 0);
        sum += w;
      }
      EXPECT_NEAR(sum, 1, 1e-6);
    }
}

}  // namespace
}  // namespace darp
