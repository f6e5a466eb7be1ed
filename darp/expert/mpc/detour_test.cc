#include "darp/expert/mpc/detour.h"

#include <gtest/gtest.h>

#include <numbers>

#include "darp/core/rng.h"
#include "darp/env/push_t/push_t_space.h"
#include "darp/expert/mpc/t_outline.h"

namespace darp {
namespace {

TPose random_pose(Rng& rng) {
  return {rng.uniform(150, 350), rng.uniform(150, 350), rng.uniform(-7, 7)};
}

Point random_place(Rng& rng) {
  return {rng.uniform(kAgentLow, kAgentHigh), rng.uniform(kAgentLow, kAgentHigh)};
}

double distance_from(const TPose& block, Point p) {
  return distance_to_t(to_block(block, p));
}

/// The least distance to the block on the way, from the point `first` on.
double nearest_on(const Way& way, const TPose& block, size_t first = 0) {
  double nearest = 1e9;
  for (size_t i = first + 1; i < way.points.size(); ++i)
    for (double part = 0; part <= 1; part += 0.01)
      nearest = std::min(
          nearest,
          distance_from(block, way.points[i - 1] + part * (way.points[i] - way.points[i - 1])));
  return nearest;
}

TEST(Detour, LeadsAroundTheBlockWithoutTouchingIt) {
  int found = 0, straight = 0;
  for (uint64_t trial = 0; trial < 400; ++trial) {
    Rng rng(17, trial);
    const TPose block = random_pose(rng);
    const Point from = random_place(rng), to = random_place(rng);
    const double ends = std::min(distance_from(block, from), distance_from(block, to));
    if (ends < kAgentRadius + 2) continue;
    const auto way = way_around(block, from, to);
    if (!way) continue;
    ++found;
    straight += way->points.size() == 2 ? 1 : 0;
    EXPECT_EQ(length_of(way->points.front() - from), 0);
    EXPECT_EQ(length_of(way->points.back() - to), 0);
    EXPECT_GE(nearest_on(*way, block), std::min(ends, kAgentRadius + 5) - 1.5) << trial;
    EXPECT_GE(way->length, length_of(to - from) - 1e-9);
    EXPECT_LT(way->length, 1200);
    for (const Point p : way->points) EXPECT_TRUE(in_room(p));
  }
  EXPECT_GT(found, 250);
  EXPECT_GT(straight, 50);
  EXPECT_LT(straight, found - 50);
}

TEST(Detour, StepsOffTheBlockFirst) {
  for (uint64_t trial = 0; trial < 100; ++trial) {
    Rng rng(18, trial);
    const TPose block = random_pose(rng);
    const TFace& face = t_face(static_cast<int>(rng.below(kTFaces)));
    const Point touching =
        face.from + rng.uniform() * (face.to - face.from) + kAgentRadius * face.normal;
    const auto way = way_around(block, to_room(block, touching), {30, 30});
    ASSERT_TRUE(way);
    EXPECT_LT(length_of(way->points[1] - way->points[0]), 10);
    EXPECT_GT(nearest_on(*way, block, 1), kAgentRadius + 1) << trial;
  }
}

TEST(Detour, FindsNoWayWhereWallsLeaveNoGap) {
  // The bar stands across a corner of the room.
  const TPose block = {62, 62, -std::numbers::pi / 4};
  EXPECT_FALSE(way_around(block, {480, 480}, {20, 20}));
  EXPECT_TRUE(way_around(block, {480, 480}, {300, 40}));
}

TEST(Walk, ComesToTheEndInStepsThatChangeLittle) {
  for (uint64_t trial = 0; trial < 100; ++trial) {
    Rng rng(19, trial);
    Way way{{random_place(rng)}, 0};
    const size_t turns = rng.below(4);
    for (size_t i = 0; i <= turns; ++i) {
      way.points.push_back(random_place(rng));
      way.length += length_of(way.points[i + 1] - way.points[i]);
    }
    Walk walk(way, {.fastest = 24, .faster = 8}, 0);
    Point here = way.points[0];
    double last = 0;
    int steps = 0;
    for (; !walk.is_over() && steps < 300; ++steps) {
      const Point next = walk.next();
      const double gone = length_of(next - here);
      EXPECT_LE(gone, 24 + 1e-9);
      if (turns == 0) {
        EXPECT_LE(gone, last + 8 + 1e-9);
      }
      last = gone;
      here = next;
    }
    EXPECT_NEAR(length_of(here - way.points.back()), 0, 1e-9);
    EXPECT_LT(steps, 20 + 4 * static_cast<int>(turns + 1) + way.length / 8);
    EXPECT_NEAR(length_of(walk.next() - way.points.back()), 0, 1e-9);
  }
}

TEST(Walk, SlowsDownWhereTheWayTurnsBack) {
  const auto largest_step_at_the_turn = [](Point end) {
    Walk walk({{{50, 100}, {250, 100}, end}, 0}, {.fastest = 24, .faster = 8}, 0);
    double before = 0;
    for (Point here = {50, 100};;) {
      const Point next = walk.next();
      if (here.x + 12 > 250 || next.y != 100) return before;
      before = length_of(next - here);
      here = next;
    }
  };
  EXPECT_GT(largest_step_at_the_turn({450, 101}), 20);
  EXPECT_LT(largest_step_at_the_turn({60, 110}), 16);
}

TEST(Walk, GoesNowhereOnAWayWithoutLength) {
  Walk walk({{{50, 60}, {50, 60}}, 0}, {.fastest = 24, .faster = 8}, 10);
  EXPECT_EQ(length_of(walk.next() - Point{50, 60}), 0);
  EXPECT_TRUE(walk.is_over());
}

}  // namespace
}  // namespace darp
