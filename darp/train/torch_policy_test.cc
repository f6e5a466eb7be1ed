#include "darp/train/torch_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/direct_policy.h"
#include "tests/error_of.h"
#include "tests/random_policy.h"

namespace darp {
namespace {

std::vector<float> random_observation(Rng& rng, int64_t width) {
  std::vector<float> observation(width);
  for (float& x : observation) x = static_cast<float>(rng.normal());
  return observation;
}

TEST(TorchPolicy, DoesWhatThePlainLoopsDo) {
  Rng rng(1);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const auto archive = std::make_shared<const PolicyArchive>(random_policy(seed));
    const auto policy = make_torch_policy(archive);
    DirectPolicy direct(*archive);
    std::vector<float> action(policy->action_dim());
    for (int episode = 0; episode < 2; ++episode) {
      policy->reset(0);
      direct.reset();
      for (int step = 0; step < 8; ++step) {
        const auto observation = random_observation(rng, policy->observation_dim());
        policy->act(observation, action);
        const std::vector<double> expected = direct.act(observation);
        for (size_t j = 0; j < action.size(); ++j)
          EXPECT_NEAR(action[j], expected[j], 1e-5) << "policy " << seed << ", step " << step;
      }
    }
  }
}

TEST(TorchPolicy, GivesTheSameActionsAgainAfterReset) {
  Rng rng(2);
  for (const uint64_t seed : {2, 3}) {
    const auto policy =
        make_torch_policy(std::make_shared<const PolicyArchive>(random_policy(seed)));
    std::vector<std::vector<float>> observations, actions;
    for (int step = 0; step < 10; ++step) {
      observations.push_back(random_observation(rng, policy->observation_dim()));
      policy->act(observations.back(), actions.emplace_back(policy->action_dim()));
    }
    policy->reset(0);
    std::vector<float> action(policy->action_dim());
    for (size_t step = 0; step < observations.size(); ++step) {
      policy->act(observations[step], action);
      EXPECT_EQ(action, actions[step]) << "policy " << seed << ", step " << step;
    }
  }
}

TEST(TorchPolicy, RefusesBadObservationsAsIfTheyHadNeverCome) {
  Rng rng(3);
  for (const uint64_t seed : {4, 5}) {
    const auto archive = std::make_shared<const PolicyArchive>(random_policy(seed));
    const auto policy = make_torch_policy(archive), undisturbed = make_torch_policy(archive);
    std::vector<float> action(policy->action_dim()), expected(action);
    const auto first = random_observation(rng, policy->observation_dim());
    policy->act(first, action);
    undisturbed->act(first, expected);

    std::vector<float> bad = first;
    bad[1] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_SAYS(error_of([&] { policy->act(bad, action); }), "observation entry 1: is not finite");
    bad.pop_back();
    EXPECT_SAYS(error_of([&] { policy->act(bad, action); }), "has 3 numbers, the policy takes 4");

    const auto second = random_observation(rng, policy->observation_dim());
    policy->act(second, action);
    undisturbed->act(second, expected);
    EXPECT_EQ(action, expected) << "policy " << seed;
  }
}

TEST(TorchPolicy, NeverGivesAnActionThatIsNotFinite) {
  PolicyContents contents = random_policy(1);
  contents.spec.kind = BcSpec{{{}, MlpSettings::Norm::kNone, 0}};
  const auto parameters = policy_parameters(contents.spec, 4, 2);
  contents.members.assign(contents.spec.members,
                          std::vector<float>(parameter_count(parameters), 1e30f));
  // Limits do not hide it.
  contents.spec.limits = {.low = {-1}, .high = {1}};
  const auto policy = make_torch_policy(std::make_shared<const PolicyArchive>(std::move(contents)));
  std::vector<float> action(2);
  EXPECT_SAYS(error_of([&] { policy->act(std::vector<float>(4, 1e20f), action); }),
              "action: is not finite");
}

TEST(TorchPolicy, KeepsActionsWithinTheirLimits) {
  Rng rng(4);
  int limited = 0, kept = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    PolicyContents contents = random_policy(seed);
    if (contents.spec.limits == ActionLimits{}) continue;
    PolicyContents free = random_policy(seed);
    free.spec.limits = {};
    const auto archive = std::make_shared<const PolicyArchive>(std::move(contents));
    const auto policy = make_torch_policy(archive),
               without = make_torch_policy(std::make_shared<const PolicyArchive>(std::move(free)));
    std::vector<float> action(policy->action_dim()), unlimited(action);
    for (int step = 0; step < 8; ++step) {
      const auto observation = random_observation(rng, policy->observation_dim());
      policy->act(observation, action);
      without->act(observation, unlimited);
      for (size_t j = 0; j < action.size(); ++j) {
        EXPECT_EQ(action[j], std::clamp(unlimited[j], archive->lowest_action()[j],
                                        archive->highest_action()[j]))
            << "policy " << seed << ", step " << step;
        ++(action[j] == unlimited[j] ? kept : limited);
      }
    }
  }
  EXPECT_GT(limited, 0);
  EXPECT_GT(kept, 0);
}

}  // namespace
}  // namespace darp
