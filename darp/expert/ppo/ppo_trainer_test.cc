#include "darp/expert/ppo/ppo_trainer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "darp/core/rng.h"
#include "darp/expert/ppo/expert_network.h"
#include "darp/train/metrics_log.h"
#include "darp/train/run_directory.h"
#include "tests/error_of.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

/// Twelve updates with three measurements on the way and one at the end.
ExpertConfig tiny_config(const std::string& environment) {
  ExpertConfig config;
  config.environment = environment;
  config.environment_settings.time_limit = 60;
  PpoSettings& ppo = config.ppo;
  ppo.steps = 4800, ppo.environments = 10, ppo.horizon = 40, ppo.batch = 100, ppo.epochs = 2;
  ppo.actor = {12}, ppo.critic = {10, 6};
  ppo.evaluation = {1100, 3};
  return config;
}

std::string run_file(const fs::path& path) {
  return std::string(as_text(MappedFile(path).bytes()));
}

/// The learning curve without how long it took.
std::string curve_of(const fs::path& out) {
  std::ifstream metrics(out / "metrics.jsonl");
  std::string all;
  for (std::string line; std::getline(metrics, line);) {
    auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json.erase("seconds") + json.erase("collecting_seconds"), 2u);
    all += json.dump() + "\n";
  }
  return all;
}

class PpoTrainer : public ::testing::Test {
 protected:
  PpoTrainerOptions options(const std::string& out, int threads = 1) const {
    PpoTrainerOptions o;
    o.out = folder_ / out;
    o.threads = threads;
    o.version = "7";
    return o;
  }
  std::string network(const std::string& out) const {
    return run_file(folder_ / out / "expert.safetensors");
  }
  std::string message(const ExpertConfig& config, const PpoTrainerOptions& o) const {
    return error_of([&] { train_expert(config, o); });
  }

  const fs::path folder_ = test_folder();
};

TEST_F(PpoTrainer, LeavesARunWithTheBestNetworkOfItsCurve) {
  const ExpertConfig config = tiny_config("dummy");
  const PpoOutcome outcome = train_expert(config, options("run"));
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(outcome.steps, 4800);
  const ExpertNetwork best = read_expert_network(outcome.network);
  EXPECT_EQ(best.environment, "dummy");
  EXPECT_EQ(best.shape.widths, (std::vector<int64_t>{4, 12, 2}));
  EXPECT_EQ(best.about,
            (SafetensorsMetadata{
                {"version", "7"}, {"seed", "0"}, {"steps", std::to_string(outcome.best_steps)}}));
  std::vector<double> steps;
  double highest = -1e300, at = 0;
  visit_metrics(folder_ / "run/metrics.jsonl", [&](const MetricsNumbers& numbers) {
    const auto number = [&](const std::string& name) {
      for (const auto& [key, value] : numbers)
        if (key == name) return value;
      ADD_FAILURE() << name;
      return 0.0;
    };
    steps.push_back(number("steps"));
    if (number("return") > highest) highest = number("return"), at = number("steps");
    EXPECT_EQ(number("best_return"), highest);
    EXPECT_GT(number("value_loss"), 0);
    EXPECT_GT(number("divergence"), 0);
    EXPECT_LT(number("collecting_seconds"), number("seconds"));
  });
  EXPECT_EQ(steps, (std::vector<double>{1200, 2400, 3600, 4400, 4800}));
  EXPECT_EQ(outcome.best_return, highest);
  EXPECT_EQ(static_cast<double>(outcome.best_steps), at);
  // The settings are there to repeat it.
  ExpertConfig again;
  read_yaml_file((folder_ / "run/config.yaml").string(), again);
  EXPECT_EQ(write_yaml(again), write_yaml(config));
}

TEST_F(PpoTrainer, GivesTheSameBytesForAnyNumberOfThreads) {
  const ExpertConfig config = tiny_config("hopper");
  train_expert(config, options("one", 1));
  train_expert(config, options("three", 3));
  EXPECT_EQ(network("one"), network("three"));
  EXPECT_EQ(curve_of(folder_ / "one"), curve_of(folder_ / "three"));
  ExpertConfig other = config;
  other.ppo.seed = 1;
  train_expert(other, options("other", 3));
  EXPECT_NE(curve_of(folder_ / "one"), curve_of(folder_ / "other"));
}

TEST_F(PpoTrainer, GivesTheSameBytesHoweverOftenItIsInterrupted) {
  for (const char* name : {"dummy", "hopper"}) {
    const ExpertConfig config = tiny_config(name);
    const std::string whole = fmt::format("{}-whole", name), parts = fmt::format("{}-parts", name);
    train_expert(config, options(whole, 2));
    // After every single update: the folder need not even be there at first.
    std::atomic<bool> stop{true};
    PpoTrainerOptions resumed = options(parts, 2);
    resumed.resume = true;
    resumed.stop = &stop;
    int calls = 0;
    for (PpoOutcome outcome; !outcome.finished; ++calls) {
      outcome = train_expert(config, resumed);
      ASSERT_EQ(outcome.steps, 400 * (calls + 1));
    }
    EXPECT_EQ(calls, 12);
    EXPECT_EQ(network(parts), network(whole));
    EXPECT_EQ(curve_of(folder_ / parts), curve_of(folder_ / whole));
  }
}

TEST_F(PpoTrainer, GoesOnFromACheckpointBehindItsLogAndNetwork) {
  // As a power cut leaves it: files that are newer than the last checkpoint.
  const ExpertConfig config = tiny_config("dummy");
  train_expert(config, options("whole"));
  std::atomic<bool> stop{true};
  PpoTrainerOptions resumed = options("cut");
  resumed.resume = true;
  resumed.stop = &stop;
  train_expert(config, resumed);
  const std::string checkpoint = run_file(folder_ / "cut/checkpoints/last.safetensors");
  stop = false;
  train_expert(config, resumed);
  write_file(folder_ / "cut/checkpoints/last.safetensors", checkpoint);
  std::ofstream(folder_ / "cut/metrics.jsonl", std::ios::app) << "{\"steps\":48";
  train_expert(config, resumed);
  EXPECT_EQ(network("cut"), network("whole"));
  EXPECT_EQ(curve_of(folder_ / "cut"), curve_of(folder_ / "whole"));
}

TEST_F(PpoTrainer, HasNothingToDoWhenFinishedButBringsItsNetworkBack) {
  const ExpertConfig config = tiny_config("dummy");
  const PpoOutcome first = train_expert(config, options("run"));
  const std::string before = network("run"), curve = run_file(folder_ / "run/metrics.jsonl");
  fs::remove(folder_ / "run/expert.safetensors");
  PpoTrainerOptions again = options("run");
  again.resume = true;
  const PpoOutcome second = train_expert(config, again);
  EXPECT_TRUE(second.finished);
  EXPECT_EQ(second.best_return, first.best_return);
  EXPECT_EQ(second.best_steps, first.best_steps);
  EXPECT_EQ(network("run"), before);
  EXPECT_EQ(run_file(folder_ / "run/metrics.jsonl"), curve);
}

TEST_F(PpoTrainer, LearnsToBringAPuckToRest) {
  ExpertConfig config = tiny_config("dummy");
  config.environment_settings.time_limit = 100;
  PpoSettings& ppo = config.ppo;
  ppo.steps = 60'000, ppo.environments = 16, ppo.horizon = 64, ppo.batch = 128, ppo.epochs = 8;
  ppo.actor = ppo.critic = {24, 24};
  ppo.learning_rate = 2e-3, ppo.log_std = -0.5;
  ppo.evaluation = {10'000, 10};
  const PpoOutcome outcome = train_expert(config, options("run", 2));
  // Left alone, a puck costs about 75 in these 100 steps; pushed the wrong way, far more.
  EXPECT_GT(outcome.best_return, -45);
}

TEST_F(PpoTrainer, TakesAFolderForItselfAlone) {
  const ExpertConfig config = tiny_config("dummy");
  const RunDirectory taken(folder_ / "run", RunDirectory::Start::kNew);
  EXPECT_SAYS(message(config, options("run")), "is in use");
  PpoTrainerOptions resumed = options("run");
  resumed.resume = true;
  EXPECT_SAYS(message(config, resumed), "is in use");
}

TEST_F(PpoTrainer, DoesNotStartOverAnotherRun) {
  ExpertConfig config = tiny_config("dummy");
  train_expert(config, options("run"));
  const std::string before = network("run");
  EXPECT_SAYS(message(config, options("run")), "--resume");
  config.ppo.learning_rate = 1e-3;
  PpoTrainerOptions resumed = options("run");
  resumed.resume = true;
  EXPECT_SAYS(message(config, resumed), "belongs to a run with other settings");
  EXPECT_EQ(network("run"), before);
}

TEST_F(PpoTrainer, KeepsTheSettingsThatItReallyHad) {
  // A run that was killed before its first checkpoint may begin again with others.
  const ExpertConfig config = tiny_config("dummy");
  RunDirectory(folder_ / "run", RunDirectory::Start::kNew).write_config("seed: 99\n");
  PpoTrainerOptions resumed = options("run");
  resumed.resume = true;
  train_expert(config, resumed);
  EXPECT_EQ(run_file(folder_ / "run/config.yaml"), write_yaml(config));
}

TEST_F(PpoTrainer, SaysWhenItDiverged) {
  ExpertConfig config = tiny_config("dummy");
  config.ppo.learning_rate = 1, config.ppo.gradient_clip = 0;
  config.ppo.steps = 400'000, config.ppo.epochs = 30, config.ppo.log_std = 3;
  config.ppo.clip = 10;
  const std::string diverged = message(config, options("run"));
  EXPECT_SAYS(diverged, "training diverged in update");
  EXPECT_SAYS(diverged, "use a smaller learning_rate");
}

TEST_F(PpoTrainer, MakesNoFolderForSettingsThatMakeNoSense) {
  ExpertConfig config = tiny_config("hoper");
  EXPECT_SAYS(message(config, options("run")), "'hoper'");
  EXPECT_SAYS(message(config, options("run")), "hopper");
  config = tiny_config("dummy");
  config.environment_settings.push.body = "pack";
  EXPECT_SAYS(message(config, options("run")), "puck");
  config = tiny_config("dummy");
  config.ppo.batch = 401;
  EXPECT_SAYS(message(config, options("run")), "batch: is 401, but an update has 400 steps");
  config = tiny_config("dummy");
  config.ppo.steps = 399;
  EXPECT_SAYS(message(config, options("run")), "steps");
  EXPECT_FALSE(fs::exists(folder_ / "run"));
}

}  // namespace
}  // namespace darp
