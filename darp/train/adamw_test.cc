#include "darp/train/adamw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "darp/core/rng.h"

namespace darp {
namespace {

struct Network {
  std::vector<float> parameters, first, second, averaged;

  explicit Network(size_t size, uint64_t seed = 1) : first(size), second(size) {
    Rng rng(seed);
    for (size_t i = 0; i < size; ++i) parameters.push_back(static_cast<float>(rng.normal()));
    averaged = parameters;
  }
  WeightVectors vectors() { return {parameters, first, second, averaged}; }
  bool operator==(const Network&) const = default;
};

std::vector<float> random_gradient(size_t size, uint64_t seed, double scale = 1) {
  Rng rng(seed);
  std::vector<float> gradient(size);
  for (float& g : gradient) g = static_cast<float>(scale * rng.normal());
  return gradient;
}

double obvious_norm(const std::vector<float>& gradient) {
  long double sum = 0;
  for (const float g : gradient) sum += static_cast<long double>(g) * g;
  return static_cast<double>(std::sqrt(sum));
}

/// The equations of the header in double, one number after the other.
struct Reference {
  std::vector<double> p, m, v, a;

  explicit Reference(const Network& network)
      : p(network.parameters.begin(), network.parameters.end()), m(p.size()), v(p.size()), a(p) {}

  void step(const OptimizerSettings& s, const StepSize& size, const std::vector<float>& gradient) {
    const double norm = obvious_norm(gradient);
    const double factor = s.clip > 0 && norm > s.clip ? s.clip / norm : 1;
    const auto t = static_cast<double>(size.step);
    for (size_t i = 0; i < p.size(); ++i) {
      const double g = gradient[i] * factor;
      p[i] *= 1 - size.rate * s.weight_decay;
      m[i] = s.beta1 * m[i] + (1 - s.beta1) * g;
      v[i] = s.beta2 * v[i] + (1 - s.beta2) * g * g;
      const double mean = m[i] / (1 - std::pow(s.beta1, t)),
                   square = v[i] / (1 - std::pow(s.beta2, t));
      p[i] -= size.rate * mean / (std::sqrt(square) + s.epsilon);
      a[i] = size.ema * a[i] + (1 - size.ema) * p[i];
    }
  }
};

void expect_near(const std::vector<float>& ours, const std::vector<double>& reference,
                 double tolerance) {
  for (size_t i = 0; i < ours.size(); ++i)
    ASSERT_NEAR(ours[i], reference[i], tolerance * std::max(1.0, std::fabs(reference[i]))) << i;
}

TEST(Adamw, FollowsItsEquationsStepByStep) {
  const std::vector<OptimizerSettings> many = {
      {},
      {.learning_rate = 0.01, .weight_decay = 0.5, .beta1 = 0.5, .beta2 = 0.9, .clip = 0},
      {.learning_rate = 0.1, .weight_decay = 0, .beta1 = 0, .beta2 = 0, .epsilon = 1e-3}};
  for (const OptimizerSettings& settings : many)
    for (const size_t size : {1, 3, 7, 8, 9, 17, 33, 1000}) {
      Network network(size);
      Reference reference(network);
      for (int64_t t = 1; t <= 50; ++t) {
        const auto gradient = random_gradient(size, static_cast<uint64_t>(t), t % 5 == 0 ? 5 : 0.1);
        const StepSize step{.step = t, .rate = settings.learning_rate, .ema = 0.9};
        const StepReport report = adamw_step(settings, step, gradient, network.vectors());
        reference.step(settings, step, gradient);
        ASSERT_TRUE(report.taken);
        ASSERT_NEAR(report.norm, obvious_norm(gradient), 1e-12 * report.norm);
        // A few roundings of float per step.
        const double tolerance = 3e-7 * static_cast<double>(t);
        expect_near(network.parameters, reference.p, tolerance);
        expect_near(network.first, reference.m, tolerance);
        expect_near(network.second, reference.v, tolerance);
        expect_near(network.averaged, reference.a, tolerance);
      }
    }
}

TEST(Adamw, GivesTheSameBitsForAnyNumberOfThreads) {
  const size_t size = 100'003;
  Network alone(size), plain(size), many(size);
  ThreadPool one(1), four(4);
  for (int64_t t = 1; t <= 5; ++t) {
    const auto gradient = random_gradient(size, static_cast<uint64_t>(t));
    const StepSize step{.step = t, .rate = 1e-2, .ema = 0.99};
    const double norm = adamw_step({}, step, gradient, alone.vectors(), &one).norm;
    EXPECT_EQ(adamw_step({}, step, gradient, many.vectors(), &four).norm, norm);
    EXPECT_EQ(adamw_step({}, step, gradient, plain.vectors()).norm, norm);
  }
  EXPECT_TRUE(alone == many && alone == plain);
}

TEST(Adamw, AveragingDoesNotTouchTheWeights) {
  Network averaging(100), not_averaging(100);
  not_averaging.averaged.clear();
  for (int64_t t = 1; t <= 5; ++t) {
    const auto gradient = random_gradient(100, static_cast<uint64_t>(t));
    adamw_step({}, {.step = t, .rate = 0.1, .ema = 0.5}, gradient, averaging.vectors());
    adamw_step({}, {.step = t, .rate = 0.1, .ema = 0.5}, gradient, not_averaging.vectors());
  }
  EXPECT_EQ(averaging.parameters, not_averaging.parameters);
  EXPECT_TRUE(not_averaging.averaged.empty());
  EXPECT_NE(averaging.averaged, averaging.parameters);
}

TEST(Adamw, ReportsAGradientThatIsNotFiniteAndChangesNothing) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()})
    for (const size_t place : {size_t{0}, size_t{20'000}, size_t{39'999}}) {
      Network network(40'000);
      const Network before = network;
      auto gradient = random_gradient(40'000, 1);
      gradient[place] = bad;
      const StepReport report =
          adamw_step({}, {.step = 1, .rate = 1e-3, .ema = 0.9}, gradient, network.vectors());
      EXPECT_FALSE(report.taken);
      EXPECT_FALSE(std::isfinite(report.norm));
      EXPECT_EQ(network, before);
    }
}

TEST(Adamw, ReportsAGradientTooLargeToSquareUnlessItIsClipped) {
  Network network(10);
  const Network before = network;
  const std::vector<float> gradient(10, 3e38F);
  const StepSize step{.step = 1, .rate = 1e-3, .ema = 0.9};
  const StepReport report = adamw_step({.clip = 0}, step, gradient, network.vectors());
  EXPECT_FALSE(report.taken);
  EXPECT_NEAR(report.norm, 3e38 * std::sqrt(10.0), 1e33);
  EXPECT_EQ(network, before);

  EXPECT_TRUE(adamw_step({.clip = 1}, step, gradient, network.vectors()).taken);
  for (size_t i = 0; i < 10; ++i)
    EXPECT_NEAR(network.parameters[i], before.parameters[i] - 1e-3, 1e-6);
}

TEST(Adamw, ForgetsMomentsThatFadeAwayInsteadOfKeepingDenormals) {
  Network network(16);
  adamw_step({}, {.step = 1, .rate = 1e-3}, random_gradient(16, 1), network.vectors());
  const std::vector<float> none(16);
  for (int64_t t = 2; t <= 2000; ++t)
    adamw_step({.beta2 = 0.9}, {.step = t, .rate = 1e-3}, none, network.vectors());
  EXPECT_EQ(network.first, none);
  EXPECT_EQ(network.second, none);
}

TEST(GradientNorm, EqualsTheObviousSumForEverySize) {
  for (const size_t size : {0, 1, 7, 8, 9, 16383, 16384, 16385, 50'000}) {
    const auto gradient = random_gradient(size, size, 1e3);
    EXPECT_NEAR(gradient_norm(gradient), obvious_norm(gradient), 1e-12 * obvious_norm(gradient));
  }
  // Squares that no float holds.
  EXPECT_NEAR(gradient_norm(std::vector<float>{3e30F, 4e30F}), 5e30, 1e24);
  EXPECT_NEAR(gradient_norm(std::vector<float>{3e-30F, 4e-30F}), 5e-30, 1e-36);
}

TEST(ClipFactor, ShortensLongGradientsOnly) {
  EXPECT_NEAR(clip_factor(4, 1), 0.25, 1e-6);
  EXPECT_EQ(clip_factor(0.5, 1), 1);
  EXPECT_EQ(clip_factor(0, 1), 1);
  EXPECT_EQ(clip_factor(1e9, 0), 1);
}

}  // namespace
}  // namespace darp
