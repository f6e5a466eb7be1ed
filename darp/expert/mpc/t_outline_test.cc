#include "darp/expert/mpc/t_outline.h"

#include <gtest/gtest.h>

#include <numbers>

#include "darp/core/rng.h"
#include "darp/env/push_t/push_t_space.h"

namespace darp {
namespace {

TEST(TOutline, HasFacesWhereTheAgentFits) {
  for (int face = 0; face < kTFaces; ++face) {
    const auto& [from, to, normal] = t_face(face);
    EXPECT_EQ(length_of(normal), 1);
    EXPECT_EQ(dot(normal, to - from), 0);
    for (const double along : {0.0, 0.3, 1.0}) {
      const Point on = from + along * (to - from);
      EXPECT_EQ(distance_to_t(on), 0);
      EXPECT_NEAR(distance_to_t(on + kAgentRadius * normal), kAgentRadius, 1e-12) << face;
      EXPECT_EQ(distance_to_t(on - normal), 0) << face;
    }
  }
}

TEST(TOutline, IsAsFarAsTheNearestPointOfTheT) {
  std::vector<Point> inside;
  for (double x = -60; x <= 60; ++x)
    for (double y = 0; y <= 120; ++y)
      if (y <= 30 || std::abs(x) <= 15) inside.push_back({x, y});
  Rng rng(4);
  for (int trial = 0; trial < 100; ++trial) {
    const Point p = {rng.uniform(-150, 150), rng.uniform(-100, 220)};
    double nearest = 1e9;
    for (const Point q : inside) nearest = std::min(nearest, length_of(p - q));
    EXPECT_LE(distance_to_t(p), nearest + 1e-9);
    EXPECT_GE(distance_to_t(p), nearest - 0.71);
  }
}

TEST(TOutline, MeasuresPosesByTheirCorners) {
  const TPose pose = {100, 200, 0.7};
  EXPECT_EQ(pose_distance(pose, pose), 0);
  EXPECT_NEAR(pose_distance(pose, {103, 196, 0.7}), 5, 1e-9);
  EXPECT_NEAR(pose_distance(pose, {100, 200, 0.7 + 2 * std::numbers::pi}), 0, 1e-9);
  EXPECT_GT(pose_distance(pose, {100, 200, 0.8}), 5);
}

TEST(TOutline, GoesFromTheBlocksAxesToTheRoomsAndBack) {
  const TPose pose = {100, 200, 2.1};
  const Rectangle bar = t_rectangles(pose)[0];
  for (size_t i = 0; i < bar.size(); ++i) {
    EXPECT_NEAR(length_of(to_room(pose, kTBar[i]) - bar[i]), 0, 1e-9);
    EXPECT_NEAR(length_of(to_block(pose, bar[i]) - kTBar[i]), 0, 1e-9);
  }
}

}  // namespace
}  // namespace darp
