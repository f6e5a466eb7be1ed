// One file, two executors: the runtime and LibTorch give the same actions.

#include <gtest/gtest.h>

#include <cmath>

#include "darp/runtime/realtime_policy.h"
#include "darp/train/torch_policy.h"
#include "tests/random_matrix.h"
#include "tests/random_policy.h"

namespace darp {
namespace {

/// The largest difference along two rollouts, the second after a reset.
double largest_difference(PolicyContents contents, uint64_t seed) {
  const auto archive = std::make_shared<const PolicyArchive>(std::move(contents));
  const auto torch = make_torch_policy(archive);
  RealtimePolicy runtime(std::make_shared<const RealtimeModel>(*archive));
  std::vector<float> expected(archive->action_dim()), action(expected);
  Rng rng(seed);
  double largest = 0;
  for (int episode = 0; episode < 2; ++episode) {
    torch->reset(seed + static_cast<uint64_t>(episode));
    runtime.reset(seed + static_cast<uint64_t>(episode));
    const Matrix rollout = random_matrix(rng, 10, archive->observation_dim());
    for (int64_t step = 0; step < rollout.rows(); ++step) {
      torch->act(rollout.row(step), expected);
      EXPECT_EQ(runtime.act(rollout.row(step), action), ActStatus::kOk);
      for (size_t j = 0; j < action.size(); ++j)
        largest = std::max(largest, std::abs(static_cast<double>(action[j] - expected[j])));
    }
  }
  return largest;
}

TEST(Executors, AgreeOnSmallPoliciesOfEveryKind) {
  for (uint64_t seed = 0; seed < 200; ++seed)
    EXPECT_LT(largest_difference(random_policy(seed), seed), 2e-5) << "policy " << seed;
}

TEST(Executors, AgreeOnPoliciesOfTheSizesThatPeopleTrain) {
  for (uint64_t seed = 0; seed < 24; ++seed) {
    PolicyContents contents = random_policy(
        seed,
        {.observation_dim = 11, .action_dim = 3, .episodes = 3, .longest = 300, .widest = 256});
    EXPECT_LT(largest_difference(std::move(contents), seed), 2e-5) << "policy " << seed;
  }
}

TEST(Executors, AgreeOnEveryMethodAndItsDraws) {
  for (uint64_t seed = 0; seed < 300; ++seed)
    EXPECT_LT(largest_difference(random_method(seed), seed), 2e-5) << "policy " << seed;
}

TEST(Executors, AgreeOnRandomNeighbors) {
  for (uint64_t seed = 0; seed < 40; seed += 2) {
    PolicyContents contents = random_policy(seed);
    std::get<DarpSpec>(contents.spec.kind).retrieval.pick = RetrievalSettings::Pick::kRandom;
    EXPECT_LT(largest_difference(std::move(contents), seed), 2e-5) << "policy " << seed;
  }
}

}  // namespace
}  // namespace darp
