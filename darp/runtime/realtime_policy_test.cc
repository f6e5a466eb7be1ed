#include "darp/runtime/realtime_policy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "darp/policy/make_retriever.h"
#include "darp/policy/novelty.h"
#include "darp/retrieval/retrieval_session.h"
#include "tests/bfloat_levels.h"
#include "tests/direct_policy.h"
#include "tests/error_of.h"
#include "tests/random_matrix.h"
#include "tests/random_policy.h"

namespace darp {
namespace {

std::shared_ptr<const RealtimeModel> random_model(uint64_t seed,
                                                  Precision precision = Precision::kFloat32) {
  return std::make_shared<const RealtimeModel>(PolicyArchive(random_policy(seed)), precision);
}

Matrix random_rollout(uint64_t seed, int64_t steps, int64_t observation_dim) {
  Rng rng(seed);
  return random_matrix(rng, steps, observation_dim);
}

/// Networks of several tiles and vectors.
RandomPolicyShape wide_shape() {
  return {.observation_dim = 5, .action_dim = 3, .episodes = 4, .longest = 40, .widest = 70};
}

TEST(RealtimePolicy, DoesWhatThePlainLoopsDo) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const PolicyArchive archive(
        random_policy(seed, seed % 4 < 2 ? RandomPolicyShape{} : wide_shape()));
    RealtimePolicy policy(std::make_shared<const RealtimeModel>(archive));
    DirectPolicy direct(archive);
    std::vector<float> action(archive.action_dim());
    for (int episode = 0; episode < 2; ++episode) {
      policy.reset();
      direct.reset();
      const Matrix rollout = random_rollout(seed + 1000 * episode, 8, archive.observation_dim());
      for (int64_t step = 0; step < rollout.rows(); ++step) {
        ASSERT_EQ(policy.act(rollout.row(step), action), ActStatus::kOk);
        const std::vector<double> expected = direct.act(rollout.row(step));
        for (size_t j = 0; j < action.size(); ++j)
          ASSERT_NEAR(action[j], expected[j], 1e-5) << "policy " << seed << ", step " << step;
      }
    }
  }
}

TEST(RealtimePolicy, GivesNearlyTheSameOnEverySimdLevel) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const PolicyArchive archive(random_policy(seed, wide_shape()));
    const Matrix rollout = random_rollout(seed, 5, archive.observation_dim());
    on_every_simd_level([&] {
      RealtimePolicy policy(std::make_shared<const RealtimeModel>(archive));
      DirectPolicy direct(archive);
      std::vector<float> action(archive.action_dim());
      for (int64_t step = 0; step < rollout.rows(); ++step) {
        ASSERT_EQ(policy.act(rollout.row(step), action), ActStatus::kOk);
        const std::vector<double> expected = direct.act(rollout.row(step));
        for (size_t j = 0; j < action.size(); ++j)
          ASSERT_NEAR(action[j], expected[j], 1e-5) << "policy " << seed << ", step " << step;
      }
    });
  }
}

TEST(RealtimePolicy, IsCloseToTheLoopsInBfloat16OnEveryLevel) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const PolicyArchive archive(random_policy(seed, wide_shape()));
    const Matrix rollout = random_rollout(seed, 5, archive.observation_dim());
    on_every_bfloat_level([&] {
      const auto model = std::make_shared<const RealtimeModel>(archive, Precision::kBfloat16);
      RealtimePolicy policy(model);
      DirectPolicy direct(archive);
      std::vector<float> action(archive.action_dim());
      const double bound = model->precision() == Precision::kBfloat16 ? 0.05 : 1e-5;
      for (int64_t step = 0; step < rollout.rows(); ++step) {
        ASSERT_EQ(policy.act(rollout.row(step), action), ActStatus::kOk);
        const std::vector<double> expected = direct.act(rollout.row(step));
        for (size_t j = 0; j < action.size(); ++j)
          ASSERT_NEAR(action[j], expected[j], bound) << "policy " << seed << ", step " << step;
      }
    });
  }
}

TEST(RealtimePolicy, SaysWhenItDoesNotRunInThePrecisionThatWasWanted) {
  kernels::force_bfloat_level(kernels::BfloatLevel::kPortable);
  const auto model = random_model(2, Precision::kBfloat16);
  kernels::force_bfloat_level(std::nullopt);
  EXPECT_EQ(model->precision(), Precision::kFloat32);
  EXPECT_NE(model->notice().find("running in fp32"), std::string::npos) << model->notice();
  EXPECT_EQ(random_model(2)->notice(), "");
  EXPECT_NE(model->summary().find("fp32"), std::string::npos) << model->summary();
}

TEST(RealtimePolicy, GivesTheSameActionsAgainAfterReset) {
  for (const uint64_t seed : {2, 3, 4}) {
    RealtimePolicy policy(random_model(seed));
    const Matrix rollout = random_rollout(seed, 10, policy.model().observation_dim());
    std::vector<std::vector<float>> actions;
    for (int64_t step = 0; step < rollout.rows(); ++step)
      policy.act(rollout.row(step), actions.emplace_back(policy.model().action_dim()));
    for (const bool warmed : {false, true}) {
      warmed ? policy.warm_up() : policy.reset();
      std::vector<float> action(policy.model().action_dim());
      for (int64_t step = 0; step < rollout.rows(); ++step) {
        policy.act(rollout.row(step), action);
        EXPECT_EQ(action, actions[step]) << "policy " << seed << ", step " << step;
      }
    }
  }
}

TEST(RealtimePolicy, DrawsByTheSeedWhateverCameBefore) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    PolicyContents contents = random_method(seed);
    if (auto* darp = std::get_if<DarpSpec>(&contents.spec.kind))
      darp->retrieval.pick = RetrievalSettings::Pick::kRandom;
    const auto model = std::make_shared<const RealtimeModel>(PolicyArchive(std::move(contents)));
    RealtimePolicy fresh(model), used(model);
    Rng rng(seed);
    const Matrix rollout = random_matrix(rng, 6, 4);
    std::vector<float> expected(2), action(2);
    used.warm_up();
    for (int64_t i = 0; i < 3; ++i) used.act(rollout.row(i), action);
    used.reset(seed);
    fresh.reset(seed);
    for (int64_t i = 0; i < rollout.rows(); ++i) {
      fresh.act(rollout.row(i), expected);
      used.act(rollout.row(i), action);
      EXPECT_EQ(action, expected) << "policy " << seed << ", step " << i;
    }
  }
}

TEST(RealtimePolicy, TakesBadObservationsAsIfTheyHadNeverCome) {
  for (const uint64_t seed : {4, 5}) {
    const auto model = random_model(seed);
    RealtimePolicy policy(model), undisturbed(model);
    const Matrix rollout = random_rollout(seed, 2, model->observation_dim());
    std::vector<float> action(model->action_dim()), expected(action);
    policy.act(rollout.row(0), action);
    undisturbed.act(rollout.row(0), expected);

    const std::vector<float> good(rollout.row(0).begin(), rollout.row(0).end());
    const auto with = [&](float value) {
      std::vector<float> observation = good;
      observation[1] = value;
      return observation;
    };
    const auto expect = [&](const std::vector<float>& observation, ActStatus status) {
      std::ranges::fill(action, 77.0f);
      EXPECT_EQ(policy.act(observation, action), status);
      EXPECT_EQ(action, expected) << "the last good action";
      ExplainedNeighbor neighbor;
      EXPECT_EQ(policy.explain({&neighbor, 1}, {}), 0);
    };
    expect(with(std::numeric_limits<float>::quiet_NaN()), ActStatus::kNotFinite);
    expect(with(-std::numeric_limits<float>::infinity()), ActStatus::kNotFinite);
    expect(with(3e38f), ActStatus::kTooLarge);
    expect({good.begin(), good.end() - 1}, ActStatus::kWrongSize);
    expect({}, ActStatus::kWrongSize);

    policy.act(rollout.row(1), action);
    undisturbed.act(rollout.row(1), expected);
    EXPECT_EQ(action, expected) << "policy " << seed;
  }
}

TEST(RealtimePolicy, HoldsWhereTheCallerWantsIt) {
  const auto model = random_model(1);
  const std::vector<float> hold = {0.25f, -0.5f};
  const std::vector<float> bad(model->observation_dim(), std::nanf(""));
  const std::vector<float> good(model->observation_dim(), 0.1f);
  std::vector<float> action(2);

  // Without anything to hold on to: zeros.
  RealtimePolicy plain(model);
  EXPECT_EQ(plain.act(bad, action), ActStatus::kNotFinite);
  EXPECT_EQ(action, std::vector<float>(2));

  // Until the first good action, and after a reset, there is nothing but hold.
  RealtimePolicy last(model, {.on_fault = RealtimeOptions::OnFault::kLastGood, .hold = hold});
  last.act(bad, action);
  EXPECT_EQ(action, hold);
  last.act(good, action);
  const std::vector<float> found = action;
  last.act(bad, action);
  EXPECT_EQ(action, found);
  last.reset();
  last.act(bad, action);
  EXPECT_EQ(action, hold);

  RealtimePolicy holding(model, {.on_fault = RealtimeOptions::OnFault::kHold, .hold = hold});
  holding.act(good, action);
  EXPECT_EQ(action, found);
  holding.act(bad, action);
  EXPECT_EQ(action, hold);

  // Actions of other sizes get what fits.
  std::vector<float> narrow(1, 9.0f), wide(3, 9.0f);
  EXPECT_EQ(holding.act(good, narrow), ActStatus::kWrongSize);
  EXPECT_EQ(narrow, std::vector<float>({0.25f}));
  EXPECT_EQ(holding.act(good, wide), ActStatus::kWrongSize);
  EXPECT_EQ(wide, std::vector<float>({0.25f, -0.5f, 0.0f}));
}

TEST(RealtimePolicy, RefusesAHoldThatIsNoAction) {
  const auto model = random_model(1);
  EXPECT_SAYS(error_of([&] { RealtimePolicy(model, {.on_fault = {}, .hold = {1.0f}}); }),
              "hold: has 1 numbers, the policy's actions have 2");
  EXPECT_SAYS(error_of([&] {
                RealtimePolicy(model, {.on_fault = {}, .hold = {1.0f, std::nanf("")}});
              }),
              "hold: holds NaN or infinity");
}

TEST(RealtimePolicy, NeverGivesAnActionThatIsNotFinite) {
  for (const auto norm : {MlpSettings::Norm::kNone, MlpSettings::Norm::kLayer})
    for (const int64_t layers : {0, 1, 2}) {
      PolicyContents contents = random_policy(1);
      contents.spec.kind = BcSpec{{std::vector<int64_t>(layers, 40), norm, 0}};
      const auto parameters = policy_parameters(contents.spec, 4, 2);
      contents.members.assign(contents.spec.members,
                              std::vector<float>(parameter_count(parameters), 1e38f));
      RealtimePolicy policy(
          std::make_shared<const RealtimeModel>(PolicyArchive(std::move(contents))));
      std::vector<float> action(2);
      EXPECT_EQ(policy.act(std::vector<float>(4, 1e10f), action), ActStatus::kNoAction);
      EXPECT_EQ(action, std::vector<float>(2)) << layers << " layers";
    }
}

TEST(RealtimePolicy, ExplainsItsActionsByItsNeighbors) {
  for (uint64_t seed = 0; seed < 60; seed += 2) {
    PolicyContents contents = random_policy(seed, wide_shape());
    contents.spec.limits = {};
    const PolicyArchive archive(std::move(contents));
    const auto model = std::make_shared<const RealtimeModel>(archive);
    RealtimePolicy policy(model);
    DirectPolicy direct(archive);
    const Matrix rollout = random_rollout(seed, 4, archive.observation_dim());
    std::vector<float> action(archive.action_dim());
    for (int64_t step = 0; step < rollout.rows(); ++step) {
      ASSERT_EQ(policy.act(rollout.row(step), action), ActStatus::kOk);
      const std::vector<double> unlimited = direct.act(rollout.row(step));
      std::vector<ExplainedNeighbor> neighbors(model->most_neighbors() + 3);
      std::vector<float> proposals(neighbors.size() * action.size());
      const int64_t count = policy.explain(neighbors, proposals);
      ASSERT_GT(count, 0);
      ASSERT_LE(count, model->most_neighbors());
      for (size_t j = 0; j < action.size(); ++j) {
        double mean = 0;
        for (int64_t i = 0; i < count; ++i)
          mean +=
              static_cast<double>(proposals[i * action.size() + j]) / static_cast<double>(count);
        EXPECT_NEAR(mean, unlimited[j], 1e-5) << "policy " << seed << ", step " << step;
      }
      const std::vector<int64_t>& ends = archive.demonstrations().episode_ends;
      for (int64_t i = 0; i < count; ++i) {
        const ExplainedNeighbor& n = neighbors[i];
        EXPECT_LE(neighbors[i > 0 ? i - 1 : 0].distance, n.distance);
        EXPECT_EQ(n.row, (n.episode == 0 ? 0 : ends[n.episode - 1]) + n.time);
        EXPECT_LT(n.row, ends[n.episode]);
        EXPECT_GE(n.time, 0);
      }
      // A smaller buffer gets the nearest.
      ExplainedNeighbor nearest;
      std::vector<float> proposal(action.size());
      ASSERT_EQ(policy.explain({&nearest, 1}, proposal), 1);
      EXPECT_EQ(nearest.row, neighbors[0].row);
      for (size_t j = 0; j < action.size(); ++j) EXPECT_NEAR(proposal[j], proposals[j], 1e-5);
    }
  }
}

TEST(RealtimePolicy, KeepsEveryActionWithinTheLimits) {
  PolicyContents contents = random_policy(3);
  contents.spec.limits = {.low = {0.25}, .high = {0.5, 0.75}};
  const auto model = std::make_shared<const RealtimeModel>(PolicyArchive(std::move(contents)));
  RealtimePolicy policy(model, {.on_fault = {}, .hold = {0.0f, 9.0f}});
  const Matrix rollout = random_rollout(3, 50, model->observation_dim());
  std::vector<float> action(2);
  policy.act({}, action);
  EXPECT_EQ(action, std::vector<float>({0.25f, 0.75f})) << "hold is limited too";
  for (int64_t step = 0; step < rollout.rows(); ++step) {
    ASSERT_EQ(policy.act(rollout.row(step), action), ActStatus::kOk);
    for (const float x : action) EXPECT_GE(x, 0.25f);
    EXPECT_LE(action[0], 0.5f);
    EXPECT_LE(action[1], 0.75f);
  }
}

TEST(RealtimePolicy, SaysHowUnusualAStepIs) {
  PolicyContents contents = random_policy(2, wide_shape());
  ThreadPool pool(1);
  contents.distance_quantiles =
      distance_quantiles(contents.spec, contents.observations, contents.demonstrations, pool);
  const PolicyArchive archive(std::move(contents));
  RealtimePolicy policy(std::make_shared<const RealtimeModel>(archive));
  RetrievalSession session(
      make_retriever(*archive.spec().retrieval(), archive.observations(),
                     archive.observations().apply(archive.demonstrations().observations),
                     archive.demonstrations().episode_ends));
  EXPECT_EQ(policy.novelty(), -1);
  std::vector<float> action(archive.action_dim()), query(archive.observation_dim());
  const Matrix rollout = random_rollout(2, 30, archive.observation_dim());
  for (int64_t step = 0; step < rollout.rows(); ++step) {
    policy.act(rollout.row(step), action);
    archive.observations().apply(rollout.row(step), query);
    EXPECT_EQ(policy.novelty(),
              novelty(archive.distance_quantiles(), session.push(query).distances.back()));
  }
  const float before = policy.novelty();
  policy.act({}, action);
  EXPECT_EQ(policy.novelty(), before) << "nothing new was seen";
  policy.act(std::vector<float>(archive.observation_dim(), 1000.0f), action);
  EXPECT_GT(policy.novelty(), 1);
  policy.reset();
  EXPECT_EQ(policy.novelty(), -1);

  RealtimePolicy cloned(random_model(1));
  cloned.act(std::vector<float>(4), action = std::vector<float>(2));
  EXPECT_EQ(cloned.novelty(), -1) << "nothing to compare with";
}

TEST(RealtimePolicy, SharesAModelAmongThreads) {
  const auto model = random_model(6);
  const Matrix rollout = random_rollout(6, 200, model->observation_dim());
  const auto run = [&](std::vector<float>& actions) {
    RealtimePolicy policy(model);
    policy.warm_up();
    std::vector<float> action(model->action_dim());
    for (int64_t step = 0; step < rollout.rows(); ++step) {
      policy.act(rollout.row(step), action);
      actions.insert(actions.end(), action.begin(), action.end());
    }
  };
  std::vector<float> first, second, alone;
  std::thread other([&] { run(first); });
  run(second);
  other.join();
  run(alone);
  EXPECT_EQ(first, alone);
  EXPECT_EQ(second, alone);
}

TEST(RealtimePolicy, IsAPolicyThatThrowsWhereAStepFails) {
  const auto model = random_model(2);
  const auto policy = make_realtime_policy(model);
  RealtimePolicy same(model);
  const Matrix rollout = random_rollout(2, 3, model->observation_dim());
  std::vector<float> action(policy->action_dim()), expected(action);
  for (int64_t step = 0; step < rollout.rows(); ++step) {
    policy->act(rollout.row(step), action);
    same.act(rollout.row(step), expected);
    EXPECT_EQ(action, expected);
  }
  const std::vector<float> bad(policy->observation_dim(), std::nanf(""));
  EXPECT_SAYS(error_of([&] { policy->act(bad, action); }), "the observation holds NaN or infinity");
}

}  // namespace
}  // namespace darp
