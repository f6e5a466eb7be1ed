#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <limits>
#include <thread>

#include "darp.h"
#include "darp/core/rng.h"
#include "darp/runtime/realtime_policy.h"
#include "tests/allocation_count.h"
#include "tests/error_of.h"
#include "tests/random_matrix.h"
#include "tests/random_policy.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using ModelHandle = std::unique_ptr<darp_model, decltype(&darp_model_free)>;
using PolicyHandle = std::unique_ptr<darp_policy, decltype(&darp_policy_free)>;

ModelHandle load(const std::filesystem::path& path, darp_precision precision = DARP_FP32) {
  return {darp_model_load(path.c_str(), precision), darp_model_free};
}

PolicyHandle create(const ModelHandle& model, const darp_options* options = nullptr) {
  return {darp_policy_create(model.get(), options), darp_policy_free};
}

darp_status act(const PolicyHandle& policy, std::span<const float> observation,
                std::span<float> action) {
  return darp_policy_act(policy.get(), observation.data(), observation.size(), action.data(),
                         action.size());
}

std::string load_error(const std::filesystem::path& path) {
  EXPECT_EQ(load(path), nullptr);
  return darp_last_error();
}

std::string create_error(const ModelHandle& model, const darp_options& options) {
  EXPECT_EQ(create(model, &options), nullptr);
  return darp_last_error();
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

/// Observations of which some cannot be acted on.
Matrix random_observations(uint64_t seed, int64_t dim) {
  Rng rng(seed);
  Matrix observations = random_matrix(rng, 12, dim);
  observations(0, 0) = kNan;
  observations(5, dim - 1) = std::numeric_limits<float>::infinity();
  observations(8, 0) = std::numeric_limits<float>::max();
  return observations;
}

/// Files of random policies, read through darp.h.
class CApi : public ::testing::Test {
 protected:
  std::filesystem::path policy_file(uint64_t seed) const {
    const auto path = folder_ / (std::to_string(seed) + ".darp");
    PolicyArchive(random_method(seed)).write(path);
    return path;
  }

  const std::filesystem::path folder_ = test_folder();
};

TEST_F(CApi, DoesWhatRealtimePolicyDoes) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const ModelHandle model = load(policy_file(seed));
    ASSERT_NE(model, nullptr) << darp_last_error();
    const PolicyHandle policy = create(model);
    RealtimePolicy expected(RealtimeModel::load(policy_file(seed)));
    const auto most = darp_model_most_neighbors(model.get());
    const auto action_dim = darp_model_action_dim(model.get());
    ASSERT_EQ(most, static_cast<size_t>(expected.model().most_neighbors()));
    ASSERT_EQ(action_dim, static_cast<size_t>(expected.model().action_dim()));
    EXPECT_EQ(darp_model_summary(model.get()), expected.model().summary());

    std::vector<float> action(action_dim), expected_action(action_dim);
    std::vector<float> proposals(most * action_dim), expected_proposals(most * action_dim);
    std::vector<darp_neighbor> near(most);
    std::vector<ExplainedNeighbor> expected_near(most);
    const Matrix observations = random_observations(seed, expected.model().observation_dim());
    darp_policy_warm_up(policy.get());
    expected.warm_up();
    for (int64_t step = 0; step < observations.rows(); ++step) {
      if (step == 10) {
        seed % 2 == 0 ? darp_policy_reset(policy.get())
                      : darp_policy_reset_seeded(policy.get(), seed);
        expected.reset(seed % 2 == 0 ? 0 : seed);
      }
      ASSERT_EQ(act(policy, observations.row(step), action),
                static_cast<darp_status>(expected.act(observations.row(step), expected_action)));
      ASSERT_TRUE(same_bits(action, expected_action)) << "policy " << seed << ", step " << step;
      ASSERT_EQ(darp_policy_novelty(policy.get()), expected.novelty());

      const size_t room = step % (most + 1);
      const size_t count = darp_policy_explain(policy.get(), near.data(), room,
                                               step % 2 ? proposals.data() : nullptr);
      ASSERT_EQ(count, static_cast<size_t>(expected.explain(
                           std::span(expected_near).first(room),
                           std::span(expected_proposals).first(step % 2 ? room * action_dim : 0))));
      ASSERT_TRUE(same_bits(proposals, expected_proposals));
      for (size_t i = 0; i < count; ++i) {
        ASSERT_EQ(near[i].row, expected_near[i].row);
        ASSERT_EQ(near[i].episode, expected_near[i].episode);
        ASSERT_EQ(near[i].time, expected_near[i].time);
        ASSERT_EQ(near[i].distance, expected_near[i].distance);
      }
    }
  }
}

TEST_F(CApi, ExplainsNoMoreNeighborsThanThereAre) {
  const ModelHandle model = load(policy_file(2));
  const PolicyHandle policy = create(model);
  const size_t most = darp_model_most_neighbors(model.get());
  ASSERT_GT(most, 0u);
  std::vector<float> action(2), proposals(2 * most);
  std::vector<darp_neighbor> near(most);
  EXPECT_EQ(darp_policy_explain(policy.get(), near.data(), most, nullptr), 0u) << "before a step";
  ASSERT_EQ(act(policy, std::vector<float>(4, 0.5f), action), DARP_OK);
  const size_t count = darp_policy_explain(policy.get(), near.data(), SIZE_MAX, proposals.data());
  EXPECT_GT(count, 0u);
  EXPECT_LE(count, most);
}

TEST_F(CApi, SaysWhatIsWrongWithAFile) {
  EXPECT_SAYS(load_error(folder_ / "none.darp"), "none.darp: cannot be opened");
  const auto damaged = policy_file(2);
  std::fstream(damaged, std::ios::in | std::ios::out | std::ios::binary).seekp(-1, std::ios::end)
      << '\x7f';
  EXPECT_SAYS(load_error(damaged), "2.darp: ");
  EXPECT_SAYS(load_error(damaged), "checksum");
  EXPECT_EQ(load(policy_file(4), 7), nullptr);
  EXPECT_SAYS(std::string(darp_last_error()), "precision: 7");
}

TEST_F(CApi, HoldsTheActionOfTheOptions) {
  const ModelHandle model = load(policy_file(3));
  const float hold[] = {0.5f, -0.25f};
  darp_options options = DARP_OPTIONS_INIT;
  options.on_fault = DARP_HOLD;
  options.hold = hold;
  options.hold_count = 2;
  const PolicyHandle policy = create(model, &options);
  ASSERT_NE(policy, nullptr) << darp_last_error();
  RealtimePolicy expected(RealtimeModel::load(policy_file(3)),
                          {RealtimeOptions::OnFault::kHold, {0.5f, -0.25f}});
  std::vector<float> action(2), expected_action(2);
  for (const float x : {1.0f, kNan, 2.0f}) {
    const std::vector<float> observation(4, x);
    EXPECT_EQ(act(policy, observation, action),
              static_cast<darp_status>(expected.act(observation, expected_action)));
    EXPECT_TRUE(same_bits(action, expected_action));
  }
}

TEST_F(CApi, SaysWhatIsWrongWithOptions) {
  const ModelHandle model = load(policy_file(3));
  const float hold[] = {0.5f, kNan, 0};
  darp_options options = DARP_OPTIONS_INIT;
  options.hold = hold;
  options.hold_count = 3;
  EXPECT_SAYS(create_error(model, options), "hold: has 3 numbers");
  options.hold_count = 2;
  EXPECT_SAYS(create_error(model, options), "NaN");
  options.hold_count = 0;
  EXPECT_SAYS(create_error(model, options), "hold_count is 0");
  options.hold = nullptr;
  options.hold_count = 2;
  EXPECT_SAYS(create_error(model, options), "hold_count is not 0");
  options.hold_count = 0;
  options.on_fault = 9;
  EXPECT_SAYS(create_error(model, options), "on_fault: 9");
  for (const size_t size : {size_t{0}, sizeof options - 1, SIZE_MAX}) {
    options = DARP_OPTIONS_INIT;
    options.size = size;
    EXPECT_SAYS(create_error(model, options), "DARP_OPTIONS_INIT");
  }
}

TEST_F(CApi, TakesOptionsOfANewerProgramUnlessTheySaySomethingNew) {
  struct {
    darp_options known = DARP_OPTIONS_INIT;
    int64_t newer = 0;
  } options;
  options.known.size = sizeof options;
  const ModelHandle model = load(policy_file(3));
  EXPECT_NE(create(model, &options.known), nullptr) << darp_last_error();
  options.newer = 1;
  EXPECT_SAYS(create_error(model, options.known), "does not know");
}

TEST_F(CApi, TakesNullEverywhere) {
  EXPECT_EQ(darp_model_load(nullptr, DARP_FP32), nullptr);
  EXPECT_SAYS(std::string(darp_last_error()), "path: is NULL");
  EXPECT_EQ(darp_policy_create(nullptr, nullptr), nullptr);
  EXPECT_SAYS(std::string(darp_last_error()), "model: is NULL");
  EXPECT_EQ(darp_model_observation_dim(nullptr), 0u);
  EXPECT_EQ(darp_model_action_dim(nullptr), 0u);
  EXPECT_EQ(darp_model_most_neighbors(nullptr), 0u);
  EXPECT_STREQ(darp_model_summary(nullptr), "");
  EXPECT_STREQ(darp_model_notice(nullptr), "");
  EXPECT_EQ(darp_policy_novelty(nullptr), -1);
  darp_neighbor neighbor;
  EXPECT_EQ(darp_policy_explain(nullptr, &neighbor, 1, nullptr), 0u);
  darp_policy_warm_up(nullptr);
  darp_policy_reset(nullptr);
  darp_policy_reset_seeded(nullptr, 1);
  darp_policy_free(nullptr);
  darp_model_free(nullptr);

  std::vector<float> observation(4, 0.5f), action(2, 9.0f);
  EXPECT_EQ(darp_policy_act(nullptr, observation.data(), 4, action.data(), 2), DARP_NO_POLICY);
  EXPECT_EQ(action, std::vector<float>(2, 0.0f));
  EXPECT_EQ(darp_policy_act(nullptr, nullptr, 4, nullptr, 2), DARP_NO_POLICY);

  const PolicyHandle policy = create(load(policy_file(2)));
  ASSERT_EQ(act(policy, observation, action), DARP_OK);
  const std::vector<float> good = action;
  EXPECT_EQ(darp_policy_explain(policy.get(), nullptr, 1, nullptr), 0u);
  action.assign(2, 9.0f);
  EXPECT_EQ(darp_policy_act(policy.get(), nullptr, 4, action.data(), 2), DARP_WRONG_SIZE);
  EXPECT_EQ(action, good);
  EXPECT_EQ(darp_policy_act(policy.get(), observation.data(), 4, nullptr, 2), DARP_WRONG_SIZE);
}

TEST_F(CApi, PoliciesOutliveTheirModel) {
  ModelHandle model = load(policy_file(2));
  const PolicyHandle first = create(model), second = create(model);
  model.reset();
  std::vector<float> one(2), other(2);
  const Matrix observations = random_observations(1, 4);
  for (int64_t step = 0; step < observations.rows(); ++step) {
    EXPECT_EQ(act(first, observations.row(step), one), act(second, observations.row(step), other));
    EXPECT_TRUE(same_bits(one, other));
  }
}

TEST_F(CApi, ThreadsShareAModelAndHaveTheirOwnErrors) {
  const ModelHandle model = load(policy_file(2));
  ASSERT_EQ(darp_model_load("main thread", DARP_FP32), nullptr);
  const auto roll_out = [&](uint64_t seed) {
    const PolicyHandle policy = create(model);
    const Matrix observations = random_observations(seed, 4);
    std::vector<float> actions, action(2);
    for (int64_t step = 0; step < 500; ++step) {
      act(policy, observations.row(step % observations.rows()), action);
      actions.insert(actions.end(), action.begin(), action.end());
    }
    return actions;
  };
  std::vector<float> found[2];
  std::string before[2], errors[2];
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 2; ++i)
    threads.emplace_back([&, i] {
      before[i] = darp_last_error();
      found[i] = roll_out(i);
      const std::string name = "thread " + std::to_string(i);
      EXPECT_EQ(darp_model_load(name.c_str(), DARP_FP32), nullptr);
      errors[i] = darp_last_error();
    });
  for (std::thread& thread : threads) thread.join();
  for (uint64_t i = 0; i < 2; ++i) {
    EXPECT_EQ(before[i], "");
    EXPECT_SAYS(errors[i], "thread " + std::to_string(i));
    EXPECT_TRUE(same_bits(found[i], roll_out(i)));
  }
  EXPECT_SAYS(std::string(darp_last_error()), "main thread");
}

TEST_F(CApi, AllocatesNothingInTheLoop) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    PolicyHandle policy(nullptr, darp_policy_free);
    const ModelHandle model = load(policy_file(seed));
    EXPECT_GT(allocations_of([&] { policy = create(model); }), 0) << "nothing is counted";
    const size_t most = darp_model_most_neighbors(model.get());
    std::vector<darp_neighbor> near(most);
    std::vector<float> action(2), proposals(2 * most);
    const Matrix observations = random_observations(seed, 4);
    EXPECT_EQ(allocations_of([&] {
                darp_policy_warm_up(policy.get());
                for (int64_t step = 0; step < observations.rows(); ++step) {
                  darp_status_text(act(policy, observations.row(step), action));
                  darp_policy_novelty(policy.get());
                  darp_policy_explain(policy.get(), near.data(), most, proposals.data());
                }
                darp_policy_reset(policy.get());
              }),
              0);
  }
}

TEST(CApiTexts, AreThereForEveryStatus) {
  for (darp_status status = DARP_NO_POLICY; status <= DARP_NO_ACTION; ++status)
    EXPECT_STRNE(darp_status_text(status), "unknown status") << status;
  EXPECT_STREQ(darp_status_text(DARP_NOT_FINITE), describe(ActStatus::kNotFinite));
  EXPECT_STREQ(darp_status_text(77), "unknown status");
  EXPECT_EQ(std::string(darp_version()).find_first_not_of("0123456789."), std::string::npos);
}

}  // namespace
}  // namespace darp
