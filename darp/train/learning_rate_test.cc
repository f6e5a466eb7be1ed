#include "darp/train/learning_rate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace darp {
namespace {

using Kind = ScheduleSettings::Kind;

TEST(LearningRate, GrowsLinearlyInTheWarmUpAndStays) {
  const ScheduleSettings settings{.kind = Kind::kConstant, .warmup = 4};
  for (int64_t step = 0; step < 10; ++step)
    EXPECT_DOUBLE_EQ(learning_rate(0.1, settings, {}, step, 10),
                     0.1 * std::min(1.0, static_cast<double>(step + 1) / 4));
  EXPECT_EQ(learning_rate(0.1, {}, {}, 0, 10), 0.1);
}

TEST(LearningRate, FallsAlongACosineFromTheEndOfTheWarmUpToTheFinalRate) {
  const ScheduleSettings settings{.kind = Kind::kCosine, .warmup = 10, .final_rate = 0.2};
  const auto rate = [&](int64_t step) { return learning_rate(2, settings, {}, step, 110); };
  EXPECT_DOUBLE_EQ(rate(9), 2);
  EXPECT_DOUBLE_EQ(rate(10), 2);
  EXPECT_DOUBLE_EQ(rate(60), 2 * 0.6);  // half way, in the middle of 1 and 0.2
  EXPECT_DOUBLE_EQ(rate(110), 2 * 0.2);
  for (int64_t step = 10; step < 110; ++step) EXPECT_GT(rate(step), rate(step + 1));
  // After the end, and with a warm-up longer than training, it is still a rate.
  EXPECT_DOUBLE_EQ(rate(1000), 2 * 0.2);
  EXPECT_DOUBLE_EQ(learning_rate(2, settings, {}, 4, 5), 1);
}

TEST(LearningRate, IsLoweredAfterEveryRunOfEpochsWithoutABetterLoss) {
  const ScheduleSettings settings{.kind = Kind::kPlateau, .factor = 0.5, .patience = 2};
  PlateauState state;
  const auto after = [&](double loss) {
    state.update(loss, settings);
    return learning_rate(1, settings, state, 0, 1);
  };
  EXPECT_EQ(after(3), 1);
  EXPECT_EQ(after(3), 1);  // as good is not better
  EXPECT_EQ(after(2), 1);  // in time
  EXPECT_EQ(after(5), 1);
  EXPECT_EQ(after(std::nan("")), 0.5);
  EXPECT_EQ(after(4), 0.5);
  EXPECT_EQ(after(2.5), 0.25);  // better than before, not better than the best
  EXPECT_EQ(after(1), 0.25);
  EXPECT_EQ(state, (PlateauState{.best = 1, .epochs_since = 0, .factor = 0.25}));
}

TEST(LearningRate, OfOtherSchedulesIgnoresPlateaus) {
  EXPECT_EQ(learning_rate(1, {}, {.factor = 0.5}, 0, 10), 1);
}

}  // namespace
}  // namespace darp
