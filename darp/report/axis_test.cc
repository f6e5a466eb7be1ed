#include "darp/report/axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "darp/core/rng.h"

namespace darp {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN(),
                 kEndless = std::numeric_limits<double>::infinity();

std::vector<std::string> labels_of(const Axis& axis, int wanted = 5) {
  std::vector<std::string> labels;
  for (const Tick& tick : axis.ticks(wanted)) labels.push_back(tick.label);
  return labels;
}

using Labels = std::vector<std::string>;

TEST(Axis, MarksRoundNumbers) {
  EXPECT_EQ(labels_of(Axis({0, 1})), (Labels{"0", "0.5", "1.0"}));
  EXPECT_EQ(labels_of(Axis({0, 4000})), (Labels{"0", "1,000", "2,000", "3,000", "4,000"}));
  EXPECT_EQ(labels_of(Axis({-20, 20})), (Labels{"−20", "−10", "0", "10", "20"}));
}

TEST(Axis, MarksPowersOfTenOnALogarithm) {
  EXPECT_EQ(labels_of(Axis({0.001, 1}, AxisScale::kLogarithmic)),
            (Labels{"0.001", "0.01", "0.1", "1"}));
  EXPECT_EQ(labels_of(Axis({1, 60}, AxisScale::kLogarithmic)),
            (Labels{"1", "2", "5", "10", "20", "50"}));
  // Too many powers are not all marked, and where there is but one round numbers stand in.
  EXPECT_LE(Axis({1e-40, 1e40}, AxisScale::kLogarithmic).ticks(5).size(), 6u);
  EXPECT_GE(Axis({2, 9}, AxisScale::kLogarithmic).ticks(5).size(), 2u);
}

TEST(Axis, HasARangeForNothingForOneAndForEqualValues) {
  EXPECT_EQ(Axis({}).range(), (Interval{0, 1}));
  EXPECT_EQ(Axis({kNotANumber, kEndless}).range(), (Interval{0, 1}));
  for (const double value : {0.0, 5.0, -3e-7, 1e99}) {
    const Axis axis({value, value});
    EXPECT_NEAR(axis.position(value), 0.5, 1e-9) << value;
    EXPECT_FALSE(axis.ticks().empty()) << value;
  }
  EXPECT_NEAR(Axis({7}, AxisScale::kLogarithmic).position(7), 0.5, 1e-9);
}

TEST(Axis, LeavesOutWhatCannotBeDrawn) {
  EXPECT_EQ(Axis({1, 2, kNotANumber, kEndless, 1e200}).range(), Axis({1, 2}).range());
  EXPECT_EQ(Axis({1, 2, 0, -1}, AxisScale::kLogarithmic).range(),
            Axis({1, 2}, AxisScale::kLogarithmic).range());
}

TEST(Axis, HasDistinctAscendingTicksWithinAnyRange) {
  Rng rng(7);
  for (int round = 0; round < 2000; ++round) {
    const double scale = std::pow(10.0, static_cast<double>(rng.below(60)) - 30);
    const double a = scale * rng.normal(), b = a + scale * rng.uniform();
    const Axis axis({a, b});
    std::set<std::string> labels;
    double before = -kEndless;
    for (const Tick& tick : axis.ticks()) {
      EXPECT_GT(tick.value, before);
      EXPECT_GE(axis.position(tick.value), -1e-9);
      EXPECT_LE(axis.position(tick.value), 1 + 1e-9);
      EXPECT_TRUE(labels.insert(tick.label).second) << a << " " << b << " " << tick.label;
      before = tick.value;
    }
    EXPECT_GE(labels.size(), 1u);
    EXPECT_LE(labels.size(), 12u);
  }
}

}  // namespace
}  // namespace darp
