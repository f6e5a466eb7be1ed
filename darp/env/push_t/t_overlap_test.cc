#include "darp/env/push_t/t_overlap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "darp/core/rng.h"

namespace darp {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// By the definition of the T in its own axes.
bool t_holds(const TPose& pose, Point point) {
  const double c = std::cos(pose.angle), s = std::sin(pose.angle);
  const double dx = point.x - pose.x, dy = point.y - pose.y;
  const double x = c * dx + s * dy, y = c * dy - s * dx;
  return (std::abs(x) <= 60 && y >= 0 && y <= 30) || (std::abs(x) <= 15 && y >= 30 && y <= 120);
}

TEST(TOverlap, HasTheKnownCoverages) {
  EXPECT_NEAR(t_coverage(kTGoal), 1, 1e-12);
  EXPECT_NEAR(t_coverage({266, 256, 45 * kDegree}), 0.7464990040, 1e-10);
  EXPECT_NEAR(t_coverage({256, 256, 50 * kDegree}), 0.8547400506, 1e-10);
  EXPECT_NEAR(t_coverage({217, 292, 0}), 0.2684662955, 1e-10);
  EXPECT_EQ(t_coverage({60, 60, 3}), 0);
}

TEST(TOverlap, IsTheSameAfterWholeTurns) {
  const double all_around = 2 * std::numbers::pi;
  EXPECT_NEAR(t_coverage({240, 260, 1}), t_coverage({240, 260, 1 - 3 * all_around}), 1e-12);
}

TEST(TOverlap, AgreesWithCountingPointsOfAGrid) {
  Rng rng(4);
  for (int trial = 0; trial < 40; ++trial) {
    const TPose pose = {rng.uniform(180, 330), rng.uniform(180, 330), rng.uniform(-7, 7)};
    constexpr double step = 0.4;
    int both = 0, goal = 0;
    for (double x = 100; x < 400; x += step)
      for (double y = 100; y < 400; y += step)
        if (t_holds(kTGoal, {x, y})) {
          ++goal;
          both += t_holds(pose, {x, y}) ? 1 : 0;
        }
    EXPECT_NEAR(t_coverage(pose), both / static_cast<double>(goal), 4e-3) << "trial " << trial;
  }
}

TEST(TOverlap, CutsHoweverCornersGoAround) {
  const Box box = {{1, 1}, {3, 3}};
  EXPECT_DOUBLE_EQ(common_area({{{0, 0}, {2, 0}, {2, 2}, {0, 2}}}, box), 1);
  EXPECT_DOUBLE_EQ(common_area({{{0, 0}, {0, 2}, {2, 2}, {2, 0}}}, box), 1);
  EXPECT_DOUBLE_EQ(common_area({{{1, 1}, {3, 1}, {3, 3}, {1, 3}}}, box), 4);
  // A square on its tip that looks out on all four sides: eight corners are left.
  EXPECT_DOUBLE_EQ(common_area({{{2, 0.5}, {3.5, 2}, {2, 3.5}, {0.5, 2}}}, box), 4 - 4 * 0.125);
  // Larger than the box, and within it.
  EXPECT_DOUBLE_EQ(common_area({{{-9, -9}, {9, -9}, {9, 9}, {-9, 9}}}, box), 4);
  EXPECT_DOUBLE_EQ(common_area({{{2, 1.5}, {2.5, 2}, {2, 2.5}, {1.5, 2}}}, box), 0.5);
}

TEST(TOverlap, IsNothingWhereTheyOnlyTouchOrPassByACorner) {
  const Box box = {{0, 0}, {2, 2}};
  EXPECT_EQ(common_area({{{2, 0}, {4, 0}, {4, 2}, {2, 2}}}, box), 0);
  EXPECT_EQ(common_area({{{5, 5}, {6, 5}, {6, 6}, {5, 6}}}, box), 0);
  EXPECT_EQ(common_area({{{2.5, 1}, {4, 2.5}, {2.5, 4}, {1, 2.5}}}, {{0, 0}, {1.5, 1.5}}), 0);
}

}  // namespace
}  // namespace darp
