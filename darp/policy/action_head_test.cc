#include "darp/policy/action_head.h"

#include <gtest/gtest.h>

#include <cmath>

#include "darp/data/safetensors.h"
#include "tests/random_matrix.h"
#include "tests/reference_files.h"

namespace darp {
namespace {

using Kind = HeadSettings::Kind;

std::vector<float> random_numbers(Rng& rng, int64_t count) {
  std::vector<float> numbers(static_cast<size_t>(count));
  for (float& x : numbers) x = static_cast<float>(rng.normal());
  return numbers;
}

TEST(ActionHead, GivesTheLikelihoodsOfThePublishedMixture) {
  const std::string name = "modules/gmm-golden.safetensors";
  DARP_REQUIRE_REFERENCE(name);
  const auto file = SafetensorsFile::open(reference_dir() / name);
  const HeadSettings head{Kind::kGmm, 4, 0.01};
  const auto raw = file.floats("raw"), actions = file.floats("action"),
             expected = file.floats("log_prob");
  ASSERT_EQ(head.outputs(3), 28);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(log_likelihood(head, raw.subspan(i * 28, 28), actions.subspan(i * 3, 3)),
                expected[i], 1e-5 * std::max(1.0f, std::abs(expected[i])));
}

TEST(ActionHead, OfOneModeIsTheGaussian) {
  Rng rng(1);
  for (int i = 0; i < 50; ++i) {
    const auto gaussian = random_numbers(rng, 6), action = random_numbers(rng, 3);
    std::vector<float> mixture = gaussian;
    mixture.push_back(static_cast<float>(rng.normal()));  // the logit of the only mode
    const HeadSettings one{Kind::kGmm, 1, 0.05}, plain{Kind::kGaussian, 8, 0.05};
    std::vector<float> by_mixture(7), by_gaussian(6);
    EXPECT_DOUBLE_EQ(head_loss(one, mixture, action, 1, by_mixture),
                     head_loss(plain, gaussian, action, 1, by_gaussian));
    EXPECT_NEAR(by_mixture.back(), 0, 1e-6);
    by_mixture.pop_back();
    EXPECT_EQ(by_mixture, by_gaussian);
    std::vector<float> drawn(3), also(3);
    Rng first(i), second(i);
    sample_action(one, {mixture.data(), 1, 7, 7}, first, drawn);
    sample_action(plain, {gaussian.data(), 1, 6, 6}, second, also);
    EXPECT_EQ(drawn, also);
  }
}

TEST(ActionHead, HasTheGradientOfItsLoss) {
  Rng rng(2);
  for (const HeadSettings& head :
       {HeadSettings{}, HeadSettings{.huber = 0.5}, HeadSettings{Kind::kGaussian, 8, 0.1},
        HeadSettings{Kind::kGmm, 3, 0.1}}) {
    auto answer = random_numbers(rng, head.outputs(4));
    const auto action = random_numbers(rng, 4);
    std::vector<float> gradient(answer.size());
    head_loss(head, answer, action, 0.5, gradient);
    for (size_t j = 0; j < answer.size(); ++j) {
      const float at = answer[j], step = 0.01f;
      answer[j] = at + step;
      const double above = head_loss(head, answer, action);
      answer[j] = at - step;
      const double below = head_loss(head, answer, action);
      answer[j] = at;
      EXPECT_NEAR(gradient[j], 0.5 * (above - below) / 0.02, 2e-3) << j;
    }
  }
}

TEST(ActionHead, CountsLargeErrorsInProportionWithHuber) {
  const HeadSettings plain, huber{.huber = 0.5};
  const auto loss = [](const HeadSettings& head, float answer) {
    const float action = 1;
    return head_loss(head, {&answer, 1}, {&action, 1});
  };
  for (const float error : {-0.5f, -0.25f, 0.0f, 0.125f, 0.5f}) {
    EXPECT_DOUBLE_EQ(loss(huber, 1 + error), double{error} * error);
    EXPECT_DOUBLE_EQ(loss(plain, 1 + error), double{error} * error);
  }
  EXPECT_DOUBLE_EQ(loss(huber, 3), 0.5 * (2 * 2 - 0.5));
  EXPECT_DOUBLE_EQ(loss(huber, -2), 0.5 * (2 * 3 - 0.5));
  EXPECT_DOUBLE_EQ(loss(plain, 3), 4);
}

/// One mode at -1 with weight 1/4 and one at 2 with weight 3/4, in one dimension.
std::vector<float> two_modes() {
  const auto raw = [](double scale) { return static_cast<float>(std::log(std::expm1(scale))); };
  return {-1, raw(0.1), 2, raw(0.2), 0, std::log(3.0f)};
}

TEST(ActionHead, DrawsFromTheMixture) {
  const HeadSettings head{Kind::kGmm, 2, 1e-6};
  const auto answer = two_modes();
  Rng rng(3);
  int64_t first = 0;
  double sum = 0, square = 0;
  constexpr int64_t kDraws = 20'000;
  for (int64_t i = 0; i < kDraws; ++i) {
    float x = 0;
    sample_action(head, {answer.data(), 1, 6, 6}, rng, {&x, 1});
    if (x < 0.5f) {
      ++first;
    } else {
      sum += static_cast<double>(x);
      square += static_cast<double>(x) * static_cast<double>(x);
    }
  }
  const double rest = kDraws - static_cast<double>(first), mean = sum / rest;
  EXPECT_NEAR(static_cast<double>(first) / kDraws, 0.25, 0.02);
  EXPECT_NEAR(mean, 2, 0.02);
  EXPECT_NEAR(std::sqrt(square / rest - mean * mean), 0.2, 0.01);
}

TEST(ActionHead, ModeIsWhereTheDensityIsHighest) {
  // The lighter mode is so narrow that it is the higher peak: 1/4 / 0.1 against 3/4 / 0.2 is not,
  // 3/4 / 0.4 is.
  const HeadSettings head{Kind::kGmm, 2, 1e-6};
  auto answer = two_modes();
  float x = 0;
  modal_action(head, {answer.data(), 1, 6, 6}, {&x, 1});
  EXPECT_EQ(x, 2);
  answer[3] = static_cast<float>(std::log(std::expm1(0.4)));
  modal_action(head, {answer.data(), 1, 6, 6}, {&x, 1});
  EXPECT_EQ(x, -1);
  // Two members agree on one mode: it wins over a mode that only one of them has.
  const HeadSettings one{Kind::kGaussian, 8, 1e-6};
  const std::vector<float> members = {5, 0, 1, 0, 1.1f, 0};
  modal_action(one, {members.data(), 3, 2, 2}, {&x, 1});
  EXPECT_NEAR(x, 1.05, 0.06);
}

TEST(ActionHead, ChecksItsSettings) {
  EXPECT_THROW((HeadSettings{Kind::kGmm, 0, 0.01}.check()), Error);
  EXPECT_THROW((HeadSettings{Kind::kGmm, 2, 0}.check()), Error);
  EXPECT_EQ((HeadSettings{Kind::kGmm, 8, 0.01}.outputs(2)), 40);
}

}  // namespace
}  // namespace darp
