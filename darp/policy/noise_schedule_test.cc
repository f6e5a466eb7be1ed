#include "darp/policy/noise_schedule.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "darp/core/rng.h"

namespace darp {
namespace {

/// The squared cosine, normalised to 1 at the start: what the product of 1 - beta telescopes to.
long double closed_alpha_bar(int64_t step, int64_t steps) {
  const auto square = [](long double part) {
    const long double root =
        std::cos((part + 0.008L) / 1.008L * std::numbers::pi_v<long double> / 2);
    return root * root;
  };
  return square(static_cast<long double>(step + 1) / static_cast<long double>(steps)) / square(0);
}

TEST(NoiseSchedule, IsTheSquaredCosine) {
  for (const int64_t steps : {2, 7, 100, 1000}) {
    const NoiseSchedule schedule(steps);
    ASSERT_EQ(schedule.steps(), steps);
    EXPECT_EQ(schedule.alpha_bar(-1), 1);
    // The last step would take away everything; only 0.999 of it may go.
    for (int64_t t = 0; t + 1 < steps; ++t)
      EXPECT_NEAR(schedule.alpha_bar(t), static_cast<double>(closed_alpha_bar(t, steps)), 1e-13);
    EXPECT_EQ(schedule.beta(steps - 1), 0.999);
    EXPECT_NEAR(schedule.alpha_bar(steps - 1), schedule.alpha_bar(steps - 2) * 0.001, 1e-16);
  }
}

// Worked out with 40 decimal digits.
TEST(NoiseSchedule, HasTheseNumbersForTenSteps) {
  constexpr std::array<double, 10> kBeta = {
      0.027907262886, 0.075493637297, 0.124395986369, 0.177189525402, 0.237281530191,
      0.309883440109, 0.404003143040, 0.536998177643, 0.743829366895, 0.999};
  constexpr std::array<double, 10> kAlphaBar = {
      0.97209273711397, 0.89870592059951, 0.78691051115083, 0.64747821114650, 0.49384359044064,
      0.34080963975932, 0.20312147411834, 0.09404561267665, 0.02409172414009, 0.00002409172414};
  const NoiseSchedule schedule(10);
  for (int64_t t = 0; t < 10; ++t) {
    EXPECT_NEAR(schedule.beta(t), kBeta[t], 1e-12);
    EXPECT_NEAR(schedule.alpha_bar(t), kAlphaBar[t], 1e-14);
    EXPECT_NEAR(schedule.signal(t), std::sqrt(kAlphaBar[t]), 1e-9);
    EXPECT_NEAR(schedule.noise(t), std::sqrt(1 - kAlphaBar[t]), 1e-9);
  }
}

// Noise of step t on top of x_(t - 1) is x_t: the variances add up.
TEST(NoiseSchedule, NoiseOfAllStepsAddsUp) {
  const NoiseSchedule schedule(50);
  double signal = 1, variance = 0;
  for (int64_t t = 0; t < 50; ++t) {
    signal *= std::sqrt(1 - schedule.beta(t));
    variance = (1 - schedule.beta(t)) * variance + schedule.beta(t);
    EXPECT_NEAR(schedule.signal(t), signal, 1e-12);
    EXPECT_NEAR(schedule.noise(t) * schedule.noise(t), variance, 1e-12);
  }
}

TEST(NoiseSchedule, SamplesAtEvenlySpacedStepsFromTheStart) {
  const NoiseSchedule schedule(10);
  const auto steps_of = [&](int64_t count) {
    std::vector<int64_t> steps;
    for (const DdimStep& step : schedule.ddim_steps(count)) steps.push_back(step.step);
    return steps;
  };
  EXPECT_EQ(steps_of(1), (std::vector<int64_t>{0}));
  EXPECT_EQ(steps_of(3), (std::vector<int64_t>{6, 3, 0}));
  EXPECT_EQ(steps_of(5), (std::vector<int64_t>{8, 6, 4, 2, 0}));
  EXPECT_EQ(steps_of(10), (std::vector<int64_t>{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
  for (int64_t count = 1; count <= 10; ++count) {
    const auto way = schedule.ddim_steps(count);
    for (size_t i = 0; i < way.size(); ++i) {
      EXPECT_EQ(way[i].signal, schedule.signal(way[i].step));
      EXPECT_EQ(way[i].noise, schedule.noise(way[i].step));
      EXPECT_EQ(way[i].next_signal, i + 1 < way.size() ? way[i + 1].signal : 1);
      EXPECT_EQ(way[i].next_noise, i + 1 < way.size() ? way[i + 1].noise : 0);
    }
  }
}

TEST(NoiseSchedule, DdimFindsTheActionsIfTheNoiseIsKnown) {
  Rng rng(3);
  const NoiseSchedule schedule(100);
  for (const int64_t count : {1, 7, 20, 100})
    for (int repeat = 0; repeat < 20; ++repeat) {
      const double clean = rng.uniform(-1, 1), eps = rng.normal();
      const auto way = schedule.ddim_steps(count);
      double x = way.front().signal * clean + way.front().noise * eps;
      for (const DdimStep& step : way) {
        // Known from x alone, as a perfect network would.
        const double told = (x - step.signal * clean) / step.noise;
        x = step.next(x, told, /*clip=*/1);
      }
      EXPECT_NEAR(x, clean, 1e-6) << count << " steps";
    }
}

TEST(NoiseSchedule, DdimClipsTheActionsAndNotTheNoise) {
  const DdimStep step{
      .step = 4, .signal = 0.6, .noise = 0.8, .next_signal = 0.8, .next_noise = 0.6};
  // x_0' = (3 - 0.8 x 0.5) / 0.6 = 13 / 3.
  EXPECT_NEAR(step.next(3, 0.5, 0), 0.8 * 13 / 3 + 0.3, 1e-15);
  EXPECT_NEAR(step.next(3, 0.5, 2), 0.8 * 2 + 0.3, 1e-15);
  EXPECT_NEAR(step.next(-3, 0.5, 2), -0.8 * 2 + 0.3, 1e-15);
  EXPECT_NEAR(step.next(3, 0.5, 5), step.next(3, 0.5, 0), 1e-15);
}

// By Bayes' rule: the precisions of q(x_t | x_(t - 1)) and of q(x_(t - 1) | x_0) add up.
TEST(NoiseSchedule, PosteriorFollowsFromBayesRule) {
  const NoiseSchedule schedule(100);
  for (int64_t t = 1; t < 100; ++t) {
    const double beta = schedule.beta(t), before = schedule.alpha_bar(t - 1);
    const double precision = (1 - beta) / beta + 1 / (1 - before);
    const auto posterior = schedule.posterior(t);
    EXPECT_NEAR(posterior.variance * precision, 1, 1e-11);
    EXPECT_NEAR(posterior.noisy * precision, std::sqrt(1 - beta) / beta, 1e-9 / beta);
    EXPECT_NEAR(posterior.clean * precision, std::sqrt(before) / (1 - before), 1e-9 / (1 - before));
  }
  // Nothing came before the first step but x_0.
  EXPECT_NEAR(schedule.posterior(0).clean, 1, 1e-12);
  EXPECT_EQ(schedule.posterior(0).noisy, 0);
  EXPECT_EQ(schedule.posterior(0).variance, 0);
}

}  // namespace
}  // namespace darp
