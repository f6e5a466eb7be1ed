#include "darp/runtime/sample_policies.h"

#include <gtest/gtest.h>

#include <cmath>

#include "darp/runtime/realtime_policy.h"
#include "tests/error_of.h"

namespace darp {
namespace {

TEST(SamplePolicies, HaveThePapersSizes) {
  const auto summary = [](const char* name) {
    return RealtimeModel(sample_policy(name)).summary();
  };
  EXPECT_SAYS(summary("hopper"),
              "1000 rows of 11 columns, exact, 145 neighbours, network 25-128-128-128-3");
  EXPECT_SAYS(summary("stack"),
              "4200 rows of 32 columns, exact, 159 neighbours, network 71-256-256-256-7");
  EXPECT_SAYS(summary("bc"), "network 11-256-256-256-3");
  EXPECT_SAYS(summary("ensemble"), "145 neighbours, 10 networks 25-128-128-128-3");
}

TEST(SamplePolicies, AreTheSameEveryTimeAndTheirMembersDiffer) {
  for (const std::string& name : sample_policy_names())
    EXPECT_EQ(sample_policy(name).bytes(), sample_policy(name).bytes()) << name;
  const PolicyArchive ensemble = sample_policy("ensemble");
  EXPECT_NE(ensemble.members()[0], ensemble.members()[9]);
  EXPECT_EQ(ensemble.members()[0], sample_policy("hopper").members()[0]);
}

TEST(SamplePolicies, ActOnTheirRollouts) {
  for (const std::string& name : sample_policy_names()) {
    const PolicyArchive archive = sample_policy(name);
    if (!archive.spec().runs_in_runtime()) continue;
    RealtimePolicy policy(std::make_shared<const RealtimeModel>(archive));
    const Matrix rollout = sample_rollout(name, 30);
    std::vector<float> action(policy.model().action_dim());
    for (int64_t i = 0; i < rollout.rows(); ++i)
      EXPECT_EQ(policy.act(rollout.row(i), action), ActStatus::kOk) << name;
  }
}

TEST(SamplePolicies, RolloutsAreNotInTheData) {
  const PolicyArchive policy = sample_policy("hopper");
  const Matrix& rows = policy.demonstrations().observations;
  const Matrix rollout = sample_rollout("hopper", rows.rows());
  EXPECT_EQ(rollout.cols(), rows.cols());
  for (int64_t i = 0; i < rows.rows(); ++i)
    EXPECT_FALSE(std::ranges::equal(rollout.row(i), rows.row(i)));
}

TEST(SamplePolicies, UnknownNamesAreErrorsWithASuggestion) {
  EXPECT_SAYS(error_of([] { sample_policy("hoper"); }), "case: 'hoper' is none");
  EXPECT_SAYS(error_of([] { sample_rollout("hoper", 3); }),
              "did you mean 'hopper'? valid: hopper, stack, bc, ensemble");
}

TEST(LikelyObservations, AreNearTheDemonstrationsInTheirOrder) {
  const PolicyArchive policy = sample_policy("hopper");
  const Matrix& rows = policy.demonstrations().observations;
  const Matrix observations = likely_observations(policy, 1500, Rng(3));
  for (int64_t i = 0; i < 1500; ++i)
    for (int64_t j = 0; j < rows.cols(); ++j) {
      const float moved = std::abs(observations(i, j) - rows(i % 1000, j));
      EXPECT_LT(moved, 0.07f * policy.observations().scale()[j]);
      EXPECT_GT(moved, 0.0f);
    }
}

TEST(LikelyObservations, AreSpreadAsTheNormalizerSaysWithoutDemonstrations) {
  const PolicyArchive policy = sample_policy("bc");
  const Matrix z = policy.observations().apply(likely_observations(policy, 4000, Rng(3)).view());
  for (int64_t j = 0; j < z.cols(); ++j) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < z.rows(); ++i) {
      sum += static_cast<double>(z(i, j));
      squares += static_cast<double>(z(i, j) * z(i, j));
    }
    EXPECT_NEAR(sum / 4000, 0, 0.1);
    EXPECT_NEAR(squares / 4000, 1, 0.15);
  }
}

}  // namespace
}  // namespace darp
