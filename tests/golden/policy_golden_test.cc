// The published networks, imported, give the actions that the authors' program gave: by plain
// loops, which tests the import and the definition of the network's input, through LibTorch and in
// the runtime.

#include <gtest/gtest.h>

#include <cstring>

#include "darp/data/ingest/read_dataset.h"
#include "darp/policy/import_reference.h"
#include "darp/runtime/realtime_policy.h"
#include "darp/train/torch_policy.h"
#include "tests/direct_policy.h"
#include "tests/random_policy.h"
#include "tests/reference_files.h"

namespace darp {
namespace {

struct Golden {
  explicit Golden(const std::filesystem::path& path)
      : file(SafetensorsFile::open(path)),
        histories(file.floats("history")),
        actions(file.floats("action")),
        lookback(static_cast<int64_t>(file.get("history").shape[1])),
        lengths(file.get("history_length").elements()) {
    std::memcpy(lengths.data(), file.get("history_length").data.data(), lengths.size() * 8);
  }
  /// The observation n steps before the query.
  std::span<const float> observation(int64_t query, int64_t n, int64_t width) const {
    return histories.subspan((query * lookback + lookback - 1 - n) * width, width);
  }

  SafetensorsFile file;
  std::span<const float> histories, actions;
  int64_t lookback;
  std::vector<int64_t> lengths;
};

void expect_published_actions(const std::string& task, const std::string& kind,
                              const std::string& demos, double tolerance) {
  const auto folder = reference_dir();
  const std::string name = task + "-" + kind;
  const auto network = SafetensorsFile::open(folder / "weights" / (name + ".safetensors"));
  const Golden golden(folder / "weights" / (name + "-golden.safetensors"));
  const auto policy = std::make_shared<const PolicyArchive>(
      import_reference(network, read_dataset(folder / "demos" / demos).dataset));
  const auto bytes = policy->bytes();
  EXPECT_TRUE(identical(*policy, PolicyArchive::from(SafetensorsFile::parse(bytes, name))));

  DirectPolicy direct(*policy);
  const auto executor = make_torch_policy(policy);
  RealtimePolicy runtime(std::make_shared<const RealtimeModel>(*policy));
  const int64_t width = policy->observation_dim(), action_dim = policy->action_dim();
  ASSERT_EQ(golden.lengths.size(), 64u);
  for (int64_t query = 0; query < 64; ++query) {
    direct.reset();
    executor->reset(0);
    runtime.reset();
    std::vector<float> action(action_dim), in_time(action_dim);
    for (int64_t n = golden.lengths[query] - 1; n >= 0; --n) {
      const auto observation = golden.observation(query, n, width);
      if (n > 0) direct.watch(observation);
      executor->act(observation, action);
      ASSERT_EQ(runtime.act(observation, in_time), ActStatus::kOk);
    }
    const std::vector<double> loops = direct.act(golden.observation(query, 0, width));
    for (int64_t j = 0; j < action_dim; ++j) {
      const float expected = golden.actions[query * action_dim + j];
      EXPECT_NEAR(loops[j], expected, tolerance) << name << ", query " << query << ", entry " << j;
      EXPECT_NEAR(action[j], expected, 2e-5) << name << ", query " << query << ", entry " << j;
      EXPECT_NEAR(in_time[j], expected, 2e-5) << name << ", query " << query << ", entry " << j;
    }
  }
}

// The authors' program and LibTorch round to float at every step; the loops never do.
TEST(PolicyGolden, HopperActionsAreThePublishedOnes) {
  DARP_REQUIRE_REFERENCE("weights/hopper-darp-golden.safetensors");
  expect_published_actions("hopper", "bc", "hopper-expert-v2_1.hdf5", 1e-5);
  expect_published_actions("hopper", "darp", "hopper-expert-v2_1.hdf5", 5e-6);
}

TEST(PolicyGolden, WalkerActionsAreThePublishedOnes) {
  DARP_REQUIRE_REFERENCE("weights/walker-darp-golden.safetensors");
  expect_published_actions("walker", "bc", "walker2d-expert-v2_1.hdf5", 1e-5);
  expect_published_actions("walker", "darp", "walker2d-expert-v2_1.hdf5", 5e-6);
}

// What bfloat16 costs: actions along the paper's own demonstration, in units of their scale.
TEST(PolicyGolden, Bfloat16StaysWithinTwoPercentOfFloat) {
  DARP_REQUIRE_REFERENCE("weights/hopper-darp.safetensors");
  const PolicyArchive archive(
      import_reference(SafetensorsFile::open(reference_dir() / "weights/hopper-darp.safetensors"),
                       read_dataset(reference_dir() / "demos/hopper-expert-v2_1.hdf5").dataset));
  RealtimePolicy exact(std::make_shared<const RealtimeModel>(archive)),
      rounded(std::make_shared<const RealtimeModel>(archive, Precision::kBfloat16));
  const Matrix& rollout = archive.demonstrations().observations;
  std::vector<float> expected(archive.action_dim()), action(expected);
  for (int64_t step = 0; step < rollout.rows(); ++step) {
    ASSERT_EQ(exact.act(rollout.row(step), expected), ActStatus::kOk);
    ASSERT_EQ(rounded.act(rollout.row(step), action), ActStatus::kOk);
    for (size_t j = 0; j < action.size(); ++j)
      EXPECT_NEAR(action[j], expected[j], 0.02 * archive.actions().scale()[j]) << "step " << step;
  }
}

TEST(PolicyGolden, NetworksRefuseTheDemonstrationsOfAnotherTask) {
  DARP_REQUIRE_REFERENCE("weights/hopper-darp.safetensors");
  const auto network =
      SafetensorsFile::open(reference_dir() / "weights" / "hopper-darp.safetensors");
  const Dataset walker = read_dataset(reference_dir() / "demos/walker2d-expert-v2_1.hdf5").dataset;
  try {
    import_reference(network, walker);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("takes 25 numbers and gives 3"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("needs 40 and 6"), std::string::npos);
  }
}

}  // namespace
}  // namespace darp
