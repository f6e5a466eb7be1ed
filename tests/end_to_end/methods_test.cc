// Every config of two tasks, one with a single demonstration and one with many: it trains, goes on
// after an interruption to the same bytes, and its policy acts.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>
#include <thread>

#include "darp/core/file.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/runtime/realtime_policy.h"
#include "darp/train/torch_policy.h"
#include "darp/train/trainer.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = DARP_SOURCE_DIR;

/// What the paper compares, under the names that people will look for.
const std::set<std::string> kMethods = {"rnp",
                                        "nearest_sequence",
                                        "lwr",
                                        "lwr_linear",
                                        "bc",
                                        "bc_gmm",
                                        "bc_ensemble",
                                        "mril",
                                        "imril",
                                        "darp",
                                        "darp_deepsets",
                                        "darp_set_transformer",
                                        "darp_gmm",
                                        "darp_set_transformer_gmm",
                                        "darp_diffusion",
                                        "diffusion",
                                        "regent",
                                        "ccil",
                                        "ablation_no_action",
                                        "ablation_random_neighbors",
                                        "ablation_norm",
                                        "ablation_query",
                                        "ablation_concatenation"};

/// The first steps of some demonstrations: as little as shows that all of it works.
Dataset little(const std::string& task) {
  constexpr int64_t kEpisodes = 3, kSteps = 40;
  const Dataset all = read_dataset((kSource / "demos" / (task + ".hdf5")).string(), {}).dataset;
  const int64_t episodes = std::min(kEpisodes, all.episodes());
  DatasetContents contents;
  contents.observations = Matrix::zeros(episodes * kSteps, all.observation_dim());
  contents.actions = Matrix::zeros(episodes * kSteps, all.action_dim());
  for (int64_t e = 0; e < episodes; ++e) {
    const Episode episode = all.episode(e);
    for (int64_t t = 0; t < kSteps; ++t) {
      std::ranges::copy(episode.observations.row(t),
                        contents.observations.row(e * kSteps + t).begin());
      std::ranges::copy(episode.actions.row(t), contents.actions.row(e * kSteps + t).begin());
    }
    contents.episode_ends.push_back((e + 1) * kSteps);
  }
  contents.source = "little " + task;
  return Dataset(std::move(contents));
}

/// The config as it stands, on so few rows and for so short a time that a test can wait for it.
TrainConfig little_config(const fs::path& file, int64_t rows) {
  TrainConfig config = read_train_config(file);
  config.data = "little";
  config.train.epochs = 2;
  config.policy.members = std::min<int64_t>(config.policy.members, 2);
  if (const RetrievalSettings* asked = config.policy.retrieval(); asked && asked->k > rows / 4)
    apply_override(fmt::format("policy.retrieval.k={}", rows / 4), config);
  if (config.policy.diffusion() != nullptr)
    for (const char* smaller : {"policy.unet.channels=[8,16]", "policy.unet.step_width=8",
                                "policy.denoising.sampling_steps=3"})
      apply_override(smaller, config);
  if (config.train.ccil.wanted()) config.train.ccil.dynamics.epochs = 5;
  return config;
}

std::vector<std::byte> bytes_of(const fs::path& file) {
  const MappedFile mapped(file);
  return {mapped.bytes().begin(), mapped.bytes().end()};
}

TrainerOptions options_for(const fs::path& out) {
  TrainerOptions options;
  options.out = out;
  options.threads = 1;
  options.progress.write = [](std::string_view) {};
  options.progress.terminal = false;
  return options;
}

/// Stops training after a while, however far it is, and goes on.
void train_with_a_break(const TrainConfig& config, const Dataset& data, TrainerOptions options) {
  std::atomic<bool> stop = false;
  options.stop = &stop;
  std::jthread breaker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    stop = true;
  });
  options.resume = true;
  train(config, data, options);
  breaker.join();
  options.stop = nullptr;
  ASSERT_TRUE(train(config, data, options).finished);
}

void expect_to_act(const fs::path& file, const Dataset& data) {
  const auto archive = std::make_shared<const PolicyArchive>(PolicyArchive::read(file));
  std::vector<std::unique_ptr<Policy>> executors;
  executors.push_back(make_torch_policy(archive));
  if (archive->spec().runs_in_runtime())
    executors.push_back(make_realtime_policy(std::make_shared<const RealtimeModel>(*archive)));
  std::vector<std::vector<float>> actions;
  for (const auto& policy : executors) {
    policy->reset(3);
    std::vector<float>& all = actions.emplace_back();
    std::vector<float> action(static_cast<size_t>(data.action_dim()));
    for (int64_t t = 0; t < 10; ++t) {
      policy->act(data.observations().row(t), action);
      all.insert(all.end(), action.begin(), action.end());
    }
  }
  // In units of the actions: those of Push-T are hundreds of pixels.
  const auto [least, most] = std::ranges::minmax(actions.front());
  for (size_t i = 0; i < actions.front().size(); ++i) {
    EXPECT_TRUE(std::isfinite(actions.front()[i]));
    EXPECT_NEAR(actions.back()[i], actions.front()[i], 2e-5 * std::max(1.0f, most - least));
  }
}

class Methods : public ::testing::TestWithParam<std::string> {};

TEST_P(Methods, TrainGoOnToTheSameBytesAndAct) {
  const std::string task = GetParam();
  const fs::path folder = test_folder();
  const Dataset data = little(task);
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(kSource / "configs" / task)) {
    const std::string method = entry.path().stem().string();
    SCOPED_TRACE(method);
    found.insert(method);
    const TrainConfig config = little_config(entry.path(), data.steps());
    ASSERT_TRUE(train(config, data, options_for(folder / method)).finished);
    train_with_a_break(config, data, options_for(folder / (method + "-again")));
    EXPECT_EQ(bytes_of(folder / method / "policy.darp"),
              bytes_of(folder / (method + "-again") / "policy.darp"));
    expect_to_act(folder / method / "policy.darp", data);
  }
  EXPECT_EQ(found, kMethods);
}

INSTANTIATE_TEST_SUITE_P(Tasks, Methods, ::testing::Values("hopper", "push_t"));

/// The other tasks have the same files, and they can be read.
TEST(Configs, AreThereForEveryTaskAndMethod) {
  for (const char* task : {"hopper", "walker", "halfcheetah", "ant", "maze", "push_t"})
    for (const std::string& method : kMethods) {
      const TrainConfig config = read_train_config(kSource / "configs" / task / (method + ".yaml"));
      config.policy.check();
      config.train.check();
    }
}

}  // namespace
}  // namespace darp
