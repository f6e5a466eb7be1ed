#include "darp/expert/ppo/ppo_objective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "darp/core/rng.h"
#include "tests/plain_network.h"
#include "tests/random_matrix.h"

namespace darp {
namespace {

struct RandomUpdate {
  static constexpr int64_t kRows = 300, kObservations = 5, kActions = 3;

  explicit RandomUpdate(uint64_t seed) {
    Rng rng(seed);
    settings.actor = {9, 7};
    settings.critic = {8};
    settings.entropy = 0.01;
    observations = random_matrix(rng, kRows, kObservations);
    actions = random_matrix(rng, kRows, kActions);
    for (int64_t i = 0; i < kRows; ++i) {
      // Around what the actions have, so that some steps are cut and others not.
      log_probabilities.push_back(static_cast<float>(-3 + rng.normal()));
      advantages.push_back(static_cast<float>(rng.normal() + 0.3));
      returns.push_back(static_cast<float>(rng.normal()));
    }
    parameters.resize(static_cast<size_t>(layout().parameters()));
    for (float& p : parameters) p = static_cast<float>(0.4 * rng.normal());
  }

  PpoLayout layout() const { return {kObservations, kActions, settings}; }
  PpoRows rows() const { return {observations, actions, log_probabilities, advantages, returns}; }

  /// The loss in double, by its definition.
  double plain_loss(std::span<const double> all, std::span<const int64_t> batch) const {
    const PpoLayout where = layout();
    const double count = static_cast<double>(batch.size());
    double mean = 0, variance = 0, loss = 0;
    for (const int64_t row : batch) mean += advantages[row] / count;
    for (const int64_t row : batch) variance += std::pow(advantages[row] - mean, 2) / (count - 1);
    const auto log_std = where.log_std_part(all);
    for (const int64_t row : batch) {
      const auto means = plain_network(where.actor, where.actor_part(all), observations.row(row));
      const auto value = plain_network(where.critic, where.critic_part(all), observations.row(row));
      double log_probability = 0;
      for (size_t j = 0; j < means.size(); ++j)
        log_probability -=
            std::pow((actions(row, static_cast<int64_t>(j)) - means[j]) / std::exp(log_std[j]), 2) /
                2 +
            log_std[j] + std::log(2 * std::numbers::pi) / 2;
      const double ratio = std::exp(log_probability - log_probabilities[row]);
      const double advantage = (advantages[row] - mean) / (std::sqrt(variance) + 1e-8);
      const double cut = std::clamp(ratio, 1 - settings.clip, 1 + settings.clip);
      loss -= std::min(ratio * advantage, cut * advantage) / count;
      loss += settings.value_weight * std::pow(value[0] - returns[row], 2) / 2 / count;
    }
    for (const double l : log_std)
      loss -= settings.entropy * (l + std::log(2 * std::numbers::pi * std::numbers::e) / 2);
    return loss;
  }

  PpoSettings settings;
  Matrix observations, actions;
  std::vector<float> log_probabilities, advantages, returns, parameters;
};

std::vector<int64_t> some_rows(uint64_t seed) {
  std::vector<int64_t> rows(RandomUpdate::kRows);
  std::iota(rows.begin(), rows.end(), 0);
  Rng(seed).shuffle(std::span(rows));
  rows.resize(277);  // two whole blocks and a part of one
  return rows;
}

TEST(PpoObjective, HasTheGradientOfItsDefinition) {
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const RandomUpdate update(seed);
    const auto batch = some_rows(seed);
    ThreadPool pool(2);
    PpoObjective objective(update.layout(), update.settings, pool);
    std::vector<float> gradient(update.parameters.size());
    const PpoReport report = objective.evaluate(update.parameters, update.rows(), batch, gradient);
    std::vector<double> at(update.parameters.begin(), update.parameters.end());
    EXPECT_NEAR(report.policy_loss + update.settings.value_weight * report.value_loss -
                    update.settings.entropy * report.entropy,
                update.plain_loss(at, batch), 1e-5);
    EXPECT_GT(report.cut, 0.1);
    EXPECT_LT(report.cut, 0.99);
    double largest = 0;
    for (const float g : gradient) largest = std::max(largest, std::abs(double{g}));
    for (size_t i = 0; i < at.size(); ++i) {
      const double step = 1e-6, middle = at[i];
      at[i] = middle + step;
      const double up = update.plain_loss(at, batch);
      at[i] = middle - step;
      const double down = update.plain_loss(at, batch);
      at[i] = middle;
      EXPECT_NEAR(gradient[i], (up - down) / (2 * step), 1e-5 * std::max(1.0, largest)) << i;
    }
  }
}

TEST(PpoObjective, GivesTheSameBitsForAnyNumberOfThreads) {
  const RandomUpdate update(7);
  const auto batch = some_rows(7);
  std::vector<float> first(update.parameters.size()), second(first.size());
  ThreadPool one(1), three(3);
  PpoObjective(update.layout(), update.settings, one)
      .evaluate(update.parameters, update.rows(), batch, first);
  PpoObjective(update.layout(), update.settings, three)
      .evaluate(update.parameters, update.rows(), batch, second);
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace darp
