#include "darp/expert/mpc/push_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "darp/env/push_t/push_t_space.h"
#include "darp/env/push_t/t_overlap.h"
#include "darp/expert/mpc/first_face.h"

namespace darp {
namespace {

constexpr PushSearchSettings kQuick = {.pushes = 2, .candidates = 80, .kept = 6, .polish = 20};

TEST(Push, MovesTheBlockStraightWhenItGoesThroughItsCenter) {
  const TPose block = {250, 150, 0};
  const auto trace = traced({.face = 0, .along = 0.5, .turn = 0, .length = 60},
                            {.agent = {250, 60}, .block = block});
  ASSERT_TRUE(trace);
  const auto& [gone, after] = trace->moments.back();
  EXPECT_NEAR(gone, 60, 2);
  EXPECT_NEAR(after.x, 250, 0.5);
  EXPECT_NEAR(after.angle, 0, 0.01);
  EXPECT_NEAR(after.y, 150 + gone - 4, 1);
}

TEST(Push, TurnsTheBlockTheWayItsFaceSays) {
  const PushTState state = {.agent = {250, 60}, .block = {250, 200, 0}};
  const auto turned_by = [&](int face, double along) {
    const auto trace = traced({.face = face, .along = along, .turn = 0, .length = 40}, state);
    return trace ? trace->moments.back().block.angle : 0;
  };
  EXPECT_LT(turned_by(0, 0.05), -0.1);
  EXPECT_GT(turned_by(0, 0.95), 0.1);
  EXPECT_GT(turned_by(3, 0.95), 0.1);
  EXPECT_LT(turned_by(5, 0.05), -0.1);
}

TEST(Push, IsImpossibleFromBeyondTheWalls) {
  const PushTState state = {.agent = {300, 300}, .block = {250, 20, 0}};
  EXPECT_FALSE(traced({.face = 0, .along = 0.5, .turn = 0, .length = 30}, state));
  EXPECT_TRUE(traced({.face = 4, .along = 0.5, .turn = 0, .length = 30}, state));
}

TEST(Push, EndsWhereTheTaskIsSolved) {
  // The block is right but for 20 units along its own axis.
  const Point back = turned({0, -20}, kTGoal.angle);
  const PushTState state = {.agent = {256, 60},
                            .block = {kTGoal.x + back.x, kTGoal.y + back.y, kTGoal.angle}};
  const auto trace = traced({.face = 0, .along = 0.5, .turn = 0, .length = 200}, state);
  ASSERT_TRUE(trace);
  EXPECT_TRUE(is_solved(trace->moments.back().block));
  EXPECT_LT(trace->moments.back().gone, 30);
}

TEST(PushSearch, FindsThePushThatIsMissing) {
  const Point back = turned({0, -40}, kTGoal.angle);
  const PushTState state = {.agent = {100, 60},
                            .block = {kTGoal.x + back.x, kTGoal.y + back.y, kTGoal.angle}};
  Rng rng(1);
  const PushPlan plan = best_plan(state, kQuick, {}, std::nullopt, rng);
  ASSERT_FALSE(plan.pushes.empty());
  EXPECT_EQ(plan.pushes[0].face, 0);
  EXPECT_LT(plan.cost, 5);
}

TEST(PushSearch, BringsTheBlockNearerFromAnywhere) {
  for (uint64_t trial = 0; trial < 8; ++trial) {
    Rng rng(5, trial);
    const PushTState state = {
        .agent = {50, 50},
        .block = {rng.uniform(180, 330), rng.uniform(180, 330), rng.uniform(-3, 3)}};
    if (goal_distance(state.block) < 40) continue;
    EXPECT_LT(best_plan(state, kQuick, {}, std::nullopt, rng).cost,
              0.7 * goal_distance(state.block))
        << trial;
  }
}

TEST(PushSearch, BeginsWithTheFaceThatIsAskedFor) {
  const PushTState state = {.agent = {60, 60}, .block = {256, 200, 1}};
  for (int face = 0; face < kTFaces; ++face) {
    Rng rng(2);
    const PushPlan plan = best_plan(state, kQuick, {}, face, rng);
    ASSERT_FALSE(plan.pushes.empty());
    EXPECT_EQ(plan.pushes[0].face, face);
  }
}

TEST(PushSearch, KeepsToAnEarlierPlanWhereItFindsNoBetter) {
  const PushTState state = {.agent = {60, 60}, .block = {300, 330, 2}};
  Rng rng(3), other(4);
  PushSearchSettings thorough = kQuick;
  thorough.candidates = 400;
  const PushPlan good = best_plan(state, thorough, {}, std::nullopt, rng);
  const PushSearchSettings hasty = {.pushes = 1, .candidates = 8, .kept = 1, .polish = 0};
  EXPECT_LE(best_plan(state, hasty, good.pushes, std::nullopt, other).cost, good.cost + 0.5);
}

TEST(PushSearch, PlansNothingForABlockOutOfReach) {
  Rng rng(6);
  const PushTState state = {.agent = {60, 60}, .block = {-4000, 5000, 0}};
  EXPECT_TRUE(best_plan(state, kQuick, {}, std::nullopt, rng).pushes.empty());
  const auto costs = face_costs(state, kQuick, rng);
  for (const double cost : costs) EXPECT_TRUE(std::isinf(cost));
  EXPECT_FALSE(drawn_face(costs, 40, rng));
}

TEST(FirstFace, IsDrawnFromGoodOnesAndFromTwoSidesAtLeast) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const auto drawn = [](std::vector<double> costs, double more) {
    std::set<int> faces;
    for (uint64_t i = 0; i < 200; ++i) {
      Rng rng(9, i);
      faces.insert(drawn_face(costs, more, rng).value());
    }
    return faces;
  };
  EXPECT_EQ(drawn({10, 90, 90, 90, 90, 90, 90, 80}, 40), (std::set<int>{0, 7}));
  EXPECT_EQ(drawn({10, 90, 30, 90, 20, 90, 90, 45}, 40), (std::set<int>{0, 2, 4, 7}));
  EXPECT_EQ(drawn({10, 50, 50, 50, 50, 50, 50, 50}, 40), (std::set<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(drawn({never, never, 70, never, never, never, never, never}, 40), (std::set<int>{2}));
}

}  // namespace
}  // namespace darp
