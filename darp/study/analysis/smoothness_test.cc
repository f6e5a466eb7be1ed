// Slopes of functions that are known, curves against closed forms, and numbers that are kept.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "darp/core/file.h"
#include "darp/study/analysis/kept_numbers.h"
#include "darp/study/analysis/smoothness_curve.h"
#include "tests/random_dataset.h"

namespace darp {
namespace {

/// factor x (observation + the one `past` steps before), each number by itself.
class LinearPolicy : public Policy {
 public:
  LinearPolicy(int64_t dim, float factor, size_t past) : dim_(dim), factor_(factor), past_(past) {}
  int64_t observation_dim() const override { return dim_; }
  int64_t action_dim() const override { return dim_; }
  void reset(uint64_t) override { seen_.clear(); }
  void act(std::span<const float> observation, std::span<float> action) override {
    seen_.emplace_back(observation.begin(), observation.end());
    const std::vector<float>* before =
        past_ > 0 && seen_.size() > past_ ? &seen_[seen_.size() - 1 - past_] : nullptr;
    for (size_t c = 0; c < observation.size(); ++c)
      action[c] = factor_ * (observation[c] + (before ? (*before)[c] : 0));
  }

 private:
  int64_t dim_;
  float factor_;
  size_t past_;
  std::vector<std::vector<float>> seen_;
};

Dataset walk_in_three(int64_t rows) {
  DatasetContents contents;
  contents.observations = Matrix::zeros(rows, 3);
  contents.actions = Matrix::zeros(rows, 3);
  Rng rng(1);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t c = 0; c < 3; ++c) contents.observations(i, c) = static_cast<float>(rng.normal());
  contents.episode_ends = {rows / 3, rows};
  return Dataset(std::move(contents));
}

TEST(SmoothnessProbe, TheSlopesOfALinearPolicyAreItsNorm) {
  const Dataset dataset = walk_in_three(30);
  const Normalizer plain = Normalizer::identity(3);
  for (const int64_t past : {0, 2}) {
    const PolicyFunction function{
        std::make_unique<LinearPolicy>(3, 1.5F, static_cast<size_t>(past)), past};
    const std::vector<double> slopes = local_slopes(function, dataset, plain, plain, {});
    ASSERT_EQ(slopes.size(), 60u);
    EXPECT_NEAR(slopes.front(), 1.5, 1e-4);
    EXPECT_NEAR(slopes.back(), 1.5, 1e-4);
  }
  // In units of the data: states count double, actions a quarter.
  const PolicyFunction function{std::make_unique<LinearPolicy>(3, 1.5F, 0), 0};
  const Normalizer states({0, 0, 0}, {0.5, 0.5, 0.5}), actions({0, 0, 0}, {4, 4, 4});
  EXPECT_NEAR(local_slopes(function, dataset, states, actions, {.most_states = 4})[0],
              1.5 * 0.5 / 4, 1e-4);
}

TEST(SmoothnessProbe, EveryDemonstratedStateIsAskedAfterItsOwnPast) {
  const Dataset dataset = walk_in_three(30);
  const PolicyFunction function{std::make_unique<LinearPolicy>(3, 1.0F, 1), 1};
  const Matrix actions = actions_at_demonstrations(function, dataset);
  for (int64_t i = 0; i < 30; ++i) {
    const bool first = i == 0 || i == 10;
    const float before = first ? 0 : dataset.observations()(i - 1, 0);
    EXPECT_EQ(actions(i, 0), dataset.observations()(i, 0) + before);
  }
}

TEST(SmoothnessCurve, VariationAndSlopeOfASineAreThoseOfItsFormula) {
  const CurveSettings settings{.samples = 10, .periods = 2, .noise = 0};
  std::vector<double> values;
  for (int i = 0; i <= 1000; ++i) values.push_back(curve_truth(settings, i / 1000.0));
  EXPECT_NEAR(total_variation(values), 8, 1e-4);
  EXPECT_NEAR(steepest_slope(values, 1e-3, 1), 4 * std::numbers::pi, 1e-3);
  EXPECT_LT(steepest_slope(values, 1e-3, 100), steepest_slope(values, 1e-3, 1));
}

TEST(SmoothnessCurve, SamplesWithoutNoiseAreTheTruthAndSeedsMoveNoPlace) {
  const CurveSettings settings{.samples = 50, .periods = 2, .noise = 0};
  const Dataset clean = curve_samples(settings, 3);
  for (int64_t i = 0; i < 50; ++i)
    EXPECT_NEAR(clean.actions()(i, 0), curve_truth(settings, clean.observations()(i, 0)), 1e-5);
  const CurveSettings noisy{.samples = 50, .periods = 2, .noise = 0.3};
  const Dataset one = curve_samples(noisy, 0), other = curve_samples(noisy, 1);
  EXPECT_TRUE(same_bits(one.observations(), other.observations()));
  EXPECT_FALSE(same_bits(one.actions(), other.actions()));
}

TEST(SmoothnessCurve, ErrorsAreBiasAndVariance) {
  const std::vector<double> truth = {0, 0};
  const CurveErrors errors = curve_errors({{1, 0}, {3, 0}}, truth);
  EXPECT_NEAR(errors.squared_bias, 2, 1e-12);
  EXPECT_NEAR(errors.variance, 0.5, 1e-12);
  EXPECT_NEAR(errors.squared_error, 2.5, 1e-12);
}

TEST(KeptNumbers, AreMadeOnceForAKeyAndAgainWhereTheFileIsDamaged) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) /
                                     fmt::format("kept-{}", getpid()) / "deep" / "numbers.json";
  int made = 0;
  const auto ask = [&](const std::string& key) {
    return kept_numbers(file, key, [&] {
      ++made;
      return NamedNumbers{{"a", {0.1, 1.0 / 3, -1e300}}, {"none", {}}};
    });
  };
  const NamedNumbers first = ask("key");
  EXPECT_EQ(ask("key").at("a"), first.at("a"));
  EXPECT_EQ(made, 1);
  ask("another");
  EXPECT_EQ(made, 2);
  write_file(file, "{\"key\": \"another\", \"numbers\": {\"a\": [1, ");
  ask("another");
  EXPECT_EQ(made, 3);
}

}  // namespace
}  // namespace darp
