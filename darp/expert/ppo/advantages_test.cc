#include "darp/expert/ppo/advantages.h"

#include <gtest/gtest.h>

#include <cmath>

#include "darp/core/rng.h"

namespace darp {
namespace {

/// Some environments, whose episodes fail, are cut by a time limit, or are still running at the
/// end.
struct RandomSteps {
  RandomSteps(uint64_t seed, int64_t environments, int64_t length) : horizon(length) {
    Rng rng(seed);
    for (int64_t row = 0; row < environments * horizon; ++row) {
      rewards.push_back(static_cast<float>(rng.normal()));
      values.push_back(static_cast<float>(rng.normal()));
      const auto chance = rng.below(12);
      const bool fails = chance == 0, last = (row + 1) % horizon == 0;
      failed.push_back(fails);
      if (fails || (chance != 1 && !last)) continue;
      cut_rows.push_back(row);
      cut_values.push_back(static_cast<float>(rng.normal()));
    }
  }

  AdvantageInput input(double discount, double lambda) const {
    return {horizon, rewards, values, failed, cut_rows, cut_values, discount, lambda};
  }

  /// What the state after a row is worth, and whether the episode goes on there.
  std::pair<double, bool> after(int64_t row) const {
    if (failed[row] != 0) return {0, false};
    for (size_t i = 0; i < cut_rows.size(); ++i)
      if (cut_rows[i] == row) return {cut_values[i], false};
    return {values[row + 1], true};
  }

  /// The definition: the sum of (discount lambda)^k times the k-th error from here on, to the
  /// episode's end.
  double plain_advantage(int64_t row, double discount, double lambda) const {
    double sum = 0;
    for (int64_t k = row;; ++k) {
      const auto [next, goes_on] = after(k);
      const double error = rewards[k] + discount * next - values[k];
      sum += std::pow(discount * lambda, static_cast<double>(k - row)) * error;
      if (!goes_on) return sum;
    }
  }

  int64_t horizon;
  std::vector<float> rewards, values, cut_values;
  std::vector<uint8_t> failed;
  std::vector<int64_t> cut_rows;
};

TEST(Advantages, AreTheSumsOfTheirDefinition) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const RandomSteps steps(seed, 1 + static_cast<int64_t>(seed) % 4,
                            seed == 3 ? 1 : 1 + static_cast<int64_t>(seed) * 3);
    for (const auto& [discount, lambda] : {std::pair{0.99, 0.95}, {1.0, 1.0}, {0.9, 0.0}}) {
      const auto got = advantages(steps.input(discount, lambda));
      ASSERT_EQ(got.size(), steps.rewards.size());
      for (size_t row = 0; row < got.size(); ++row)
        EXPECT_NEAR(got[row], steps.plain_advantage(static_cast<int64_t>(row), discount, lambda),
                    1e-5)
            << "seed " << seed << " row " << row;
    }
  }
}

TEST(Advantages, DoNotLookBeyondAnEpisode) {
  RandomSteps steps(5, 3, 20);
  const auto before = advantages(steps.input(0.99, 0.95));
  // The last environment does not matter to those before it.
  for (size_t row = 40; row < 60; ++row) steps.rewards[row] += 1000, steps.values[row] -= 1000;
  const auto after = advantages(steps.input(0.99, 0.95));
  for (size_t row = 0; row < 40; ++row) EXPECT_EQ(before[row], after[row]) << row;
  EXPECT_NE(before[59], after[59]);
}

TEST(Advantages, TellFailuresFromTimeLimits) {
  const std::vector<float> rewards = {1, 1}, values = {0, 0}, worth = {100};
  const std::vector<uint8_t> cut = {0, 0}, failed = {0, 1};
  const std::vector<int64_t> cut_rows = {1};
  EXPECT_EQ(advantages({2, rewards, values, cut, cut_rows, worth, 0.5, 1})[1], 51);
  EXPECT_EQ(advantages({2, rewards, values, failed, {}, {}, 0.5, 1})[1], 1);
  EXPECT_EQ(advantages({2, rewards, values, failed, {}, {}, 0.5, 1})[0], 1.5);
}

}  // namespace
}  // namespace darp
