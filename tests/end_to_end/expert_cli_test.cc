// darp expert train as a user runs it, and as a machine that loses power treats it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "darp/core/rng.h"
#include "darp/expert/ppo/expert_network.h"
#include "tests/end_to_end/darp_command.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

class ExpertCli : public Cli {
 protected:
  /// Small, with several updates and measurements.
  std::string arguments(const std::string& out, const std::string& more = "") const {
    return fmt::format(
        "expert train --env hopper --out {} --set ppo.steps=8000 --set ppo.environments=8 --set "
        "ppo.horizon=50 --set ppo.batch=100 --set ppo.epochs=2 --set ppo.actor=[16] --set "
        "ppo.critic=[16] --set ppo.evaluation.every=1500 --set ppo.evaluation.episodes=3 {}",
        path(out), more);
  }
  std::string network(const std::string& out) const { return bytes(out + "/expert.safetensors"); }
  /// The learning curve, without how long it took.
  std::string curve(const std::string& out) const {
    std::istringstream lines(bytes(out + "/metrics.jsonl"));
    std::string all;
    for (std::string line; std::getline(lines, line);) {
      auto json = nlohmann::json::parse(line);
      json.erase("seconds");
      json.erase("collecting_seconds");
      all += json.dump() + "\n";
    }
    return all;
  }
};

TEST_F(ExpertCli, TrainsAnExpertThatCollectTakes) {
  const Outcome trained = darp_command(arguments("run", "--seed 3"));
  ASSERT_EQ(trained.code, 0) << trained.output;
  EXPECT_CONTAINS(trained.output, "steps        8000 in");
  EXPECT_CONTAINS(trained.output, "best return");
  const ExpertNetwork expert = read_expert_network(path("run/expert.safetensors"));
  EXPECT_EQ(expert.environment, "hopper");
  EXPECT_EQ(expert.shape.widths, (std::vector<int64_t>{11, 16, 3}));
  EXPECT_EQ(expert.about.at("seed"), "3");
  EXPECT_CONTAINS(bytes("run/config.yaml"), "steps: 8000");
  const Outcome collected = darp_command(
      fmt::format("collect --env hopper --expert rl --network {} --episodes 2 --out {}",
                  path("run/expert.safetensors"), path("hopper.hdf5")));
  EXPECT_EQ(collected.code, 0) << collected.output;
  // The settings that it wrote repeat it.
  const Outcome again =
      darp_command(fmt::format("expert train --env hopper --config {} --threads 1 --out {}",
                               path("run/config.yaml"), path("again")));
  ASSERT_EQ(again.code, 0) << again.output;
  EXPECT_EQ(network("again"), network("run"));
  EXPECT_EQ(curve("again"), curve("run"));
}

TEST_F(ExpertCli, KilledAtAnyMomentAndResumedEndsWithTheSameBytes) {
  using namespace std::chrono;
  const auto start = steady_clock::now();
  ASSERT_EQ(darp_command(arguments("whole")).code, 0);
  const auto whole = duration_cast<microseconds>(steady_clock::now() - start);
  Rng rng(2);
  int killed = 0;
  for (int i = 0; i < 8; ++i) {
    const std::string run = arguments("run", "--resume --checkpoint-seconds 0.02");
    fs::remove_all(path("run"));
    // Often enough twice. The first may come before there is a folder.
    for (int kills = 0; kills < 2; ++kills) {
      const auto moment = microseconds(
          static_cast<int64_t>(rng.uniform() * 0.9 * static_cast<double>(whole.count())));
      killed += WIFSIGNALED(interrupt(run, moment, SIGKILL));
    }
    const Outcome resumed = darp_command(run);
    ASSERT_EQ(resumed.code, 0) << resumed.output;
    ASSERT_EQ(network("run"), network("whole")) << "trial " << i;
    ASSERT_EQ(curve("run"), curve("whole"));
  }
  EXPECT_GT(killed, 4);
}

TEST_F(ExpertCli, StopsOnRequestAndGoesOn) {
  ASSERT_EQ(darp_command(arguments("whole", "--set ppo.steps=24000")).code, 0);
  const std::string run = arguments("run", "--set ppo.steps=24000 --resume");
  const int status = interrupt(run, std::chrono::milliseconds(400), SIGINT);
  // As the signal would have ended it, so that scripts stop too; or it was done before.
  EXPECT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == SIGINT : WEXITSTATUS(status) == 0)
      << status;
  EXPECT_TRUE(fs::exists(path("run/checkpoints/last.safetensors")));
  ASSERT_EQ(darp_command(run).code, 0);
  EXPECT_EQ(network("run"), network("whole"));
  EXPECT_EQ(curve("run"), curve("whole"));
}

TEST_F(ExpertCli, ResumeStartsARunThatIsNotThereYet) {
  const Outcome outcome = darp_command(arguments("deep/run", "--resume"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(fs::exists(path("deep/run/expert.safetensors")));
  // And has nothing to do where one is finished.
  EXPECT_EQ(darp_command(arguments("deep/run", "--resume")).code, 0);
  // Also where the last iteration went beyond the steps that were asked for.
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(darp_command(arguments("odd", "--resume --set ppo.steps=5001")).code, 0);
}

TEST_F(ExpertCli, ShowsItsSettingsWithoutTraining) {
  const Outcome outcome = darp_command(arguments("run", "--dry-run --seed 5"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_CONTAINS(outcome.output, "environment: hopper");
  EXPECT_CONTAINS(outcome.output, "steps: 8000");
  EXPECT_CONTAINS(outcome.output, "seed: 5");
  EXPECT_FALSE(fs::exists(path("run")));
  // They are the bundled expert's where nothing else is said.
  std::ofstream(path("usual.yaml")) << darp_command("expert train --env ant --dry-run").output;
  EXPECT_EQ(darp_command("expert train --env ant --dry-run --config " + path("usual.yaml")).output,
            bytes("usual.yaml"));
}

TEST_F(ExpertCli, SaysWhatIsWrongAndWhatToDo) {
  const auto fails = [&](const std::string& more, const std::string& says) {
    const Outcome outcome = darp_command(arguments("bad", more));
    EXPECT_EQ(outcome.code, 1) << outcome.output;
    EXPECT_CONTAINS(outcome.output, "error: ");
    EXPECT_CONTAINS(outcome.output, says);
    EXPECT_FALSE(fs::exists(path("bad"))) << more;
  };
  fails("--set ppo.step=3", "steps");
  fails("--set ppo.batch=100000", "make it smaller");
  fails("--set ppo.discount=1.5", "discount");
  fails("--set environment=ant", "is hopper, but the settings are for ant");
  fails("--set environment_settings.push.body=arm", "torso");
  fails("--config " + path("missing.yaml"), "missing.yaml");
  EXPECT_CONTAINS(darp_command("expert train --env hoper --dry-run").output, "hopper");
  EXPECT_NE(darp_command("expert train").code, 0);
  EXPECT_NE(darp_command("expert").code, 0);
}

TEST_F(ExpertCli, LeavesOtherRunsAlone) {
  ASSERT_EQ(darp_command(arguments("run")).code, 0);
  const std::string before = network("run");
  const Outcome fresh = darp_command(arguments("run"));
  EXPECT_EQ(fresh.code, 1);
  EXPECT_CONTAINS(fresh.output, "--resume");
  const Outcome other = darp_command(arguments("run", "--resume --seed 2"));
  EXPECT_EQ(other.code, 1);
  EXPECT_CONTAINS(other.output, "other settings");
  EXPECT_EQ(network("run"), before);
}

}  // namespace
}  // namespace darp
