#include "darp/expert/scripted/human_manner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "darp/env/registry.h"
#include "darp/expert/collector.h"
#include "darp/expert/registry.h"

namespace darp {
namespace {

constexpr Pose kHere = {{0, 0, 1}, {}}, kFar = {{0.3, 0, 0.9}, {}}, kNear = {{0.02, 0, 1}, {}};

TEST(HumanManner, BendsLongWaysAndArrives) {
  double farthest = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    HumanManner manner{Rng(seed)};
    manner.begin(kHere, kFar);
    Pose at = kHere;
    for (int i = 0; i < 200; ++i) {
      const Vec3 to = manner.head_for(at, kFar).position - at.position;
      at.position = at.position + std::min(1.0, 0.005 / std::max(length(to), 1e-9)) * to;
      farthest = std::max(farthest, std::abs(at.position[1]));
    }
    EXPECT_LT(length(at.position - kFar.position), 1e-6) << seed;
    manner.begin(kHere, kNear);
    EXPECT_EQ(manner.head_for(kHere, kNear).position, kNear.position) << "short ways are straight";
  }
  EXPECT_GT(farthest, 0.02);
}

TEST(HumanManner, HasSpeedsPausesAndSides) {
  double slowest = 1, fastest = 0;
  int pauses = 0, steps_of_pause = 0, from_the_side = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    HumanManner manner{Rng(seed)};
    from_the_side += manner.side() > 0 ? 1 : 0;
    manner.begin(kHere, kFar);
    int waited = 0;
    while (manner.waits()) ++waited;
    pauses += waited > 0 ? 1 : 0;
    steps_of_pause = std::max(steps_of_pause, waited);
    std::vector<float> action = {1, -1, 0.1f};
    manner.slow_down(action);
    EXPECT_FLOAT_EQ(action[0], -action[1]);
    EXPECT_FLOAT_EQ(action[2], 0.1f);
    EXPECT_FLOAT_EQ(static_cast<float>(1 / manner.patience()), action[0]);
    slowest = std::min<double>(slowest, action[0]);
    fastest = std::max<double>(fastest, action[0]);
  }
  EXPECT_NEAR(pauses / 200.0, 0.3, 0.1);
  EXPECT_GE(steps_of_pause, 10);
  EXPECT_LE(steps_of_pause, 12);
  EXPECT_NEAR(from_the_side / 200.0, 0.5, 0.1);
  EXPECT_LT(slowest, 0.5);
  EXPECT_GT(fastest, 0.95);
}

/// Takes longer than the script alone, pauses, takes the cube from two sides, and ends well.
TEST(HumanLikeExpert, StacksAsPeopleDo) {
  const auto environment = make_environment("stack");
  const auto human = make_expert({"stack", "human", {}}),
             scripted = make_expert({"stack", "scripted", {}});
  int solved = 0;
  int64_t steps = 0, steps_of_script = 0, pauses = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const Demonstration shown = demonstrate(*environment, *human, seed, 0);
    solved += shown.record.success ? 1 : 0;
    steps += shown.record.length;
    steps_of_script += demonstrate(*environment, *scripted, seed, 0).record.length;
    for (size_t i = 0; i + 7 <= shown.actions.size(); i += 7)
      pauses += std::all_of(shown.actions.begin() + i, shown.actions.begin() + i + 6,
                            [](float x) { return x == 0; })
                    ? 1
                    : 0;
    const Demonstration again = demonstrate(*environment, *human, seed, 0);
    EXPECT_EQ(again.actions, shown.actions);
  }
  EXPECT_GE(solved, 7);
  EXPECT_GT(steps, steps_of_script * 11 / 10);
  EXPECT_GT(pauses, 20);
}

}  // namespace
}  // namespace darp
