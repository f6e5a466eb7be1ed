// darp train as a user runs it, and as a machine that loses power treats it.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "darp/core/rng.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/policy/policy_archive.h"
#include "tests/end_to_end/darp_command.h"
#include "tests/random_dataset.h"
#include "tests/reference_files.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

/// Small, but with everything that has a state: two members, averaging, noise, validation, plateau.
constexpr const char* kConfig = R"(
policy:
  kind: darp
  members: 2
  network: {hidden: [24, 16]}
  retrieval: {k: 12, history: {lookback: 3}}
train:
  epochs: 8
  batch: 32
  ema: 0.99
  query_noise: 0.05
  validation: {fraction: 0.3}
  schedule: {kind: plateau, patience: 1}
)";

class TrainCli : public Cli {
 protected:
  TrainCli() {
    write_dataset(random_dataset(1, {.episodes = 9, .longest = 60}), path("demos.npz"));
    std::ofstream(path("config.yaml")) << kConfig;
  }
  std::string arguments(const std::string& out, const std::string& more = "") const {
    return fmt::format("train {} --data {} --out {} {}", path("config.yaml"), path("demos.npz"),
                       path(out), more);
  }
  /// What was logged of each epoch, without how long it took.
  std::string losses(const std::string& out) const {
    std::ifstream metrics(path(out) + "/metrics.jsonl");
    std::string all;
    for (std::string line; std::getline(metrics, line);) {
      auto json = nlohmann::json::parse(line);
      json.erase("seconds");
      json.erase("queries_per_second");
      all += json.dump() + "\n";
    }
    return all;
  }
  std::string policy(const std::string& out) const { return bytes(out + "/policy.darp"); }
};

TEST_F(TrainCli, LeavesARunDirectoryThatInfoExplains) {
  const Outcome trained = darp_command(arguments("run"));
  ASSERT_EQ(trained.code, 0) << trained.output;
  EXPECT_CONTAINS(trained.output, "policy.darp");
  for (const char* name :
       {"config.yaml", "manifest.json", "metrics.jsonl", "policy.darp", "checkpoints/best.darp"})
    EXPECT_TRUE(fs::exists(path("run") + "/" + name)) << name;
  std::ifstream metrics(path("run") + "/metrics.jsonl");
  int lines = 0;
  for (std::string line; std::getline(metrics, line); ++lines) {
    const auto json = nlohmann::json::parse(line);
    EXPECT_GT(json.at("train_loss").get<double>(), 0);
    EXPECT_GT(json.at("validation_loss").get<double>(), 0);
  }
  EXPECT_EQ(lines, 16);
  const Outcome info = darp_command("info " + path("run"));
  EXPECT_EQ(info.code, 0) << info.output;
  EXPECT_CONTAINS(info.output, "darp");
  EXPECT_EQ(PolicyArchive::read(path("run") + "/policy.darp").members().size(), 2u);
  // The resolved config repeats the run.
  const Outcome again =
      darp_command("train " + path("run") + "/config.yaml --out " + path("again"));
  ASSERT_EQ(again.code, 0) << again.output;
  EXPECT_EQ(PolicyArchive::read(path("again") + "/policy.darp").members(),
            PolicyArchive::read(path("run") + "/policy.darp").members());
}

TEST_F(TrainCli, WithoutAConfigFollowsTheRecipeAsFarAsTheDataGo) {
  const std::string command = fmt::format(
      "train --data {} --set train.epochs=1 "
      "--set policy.network.hidden=[8] ",
      path("demos.npz"));
  const Outcome plan = darp_command(command + "--dry-run");
  ASSERT_EQ(plan.code, 0) << plan.output;
  EXPECT_CONTAINS(plan.output, "neighbor_sample: 32");
  const Outcome trained = darp_command(command + "--out " + path("plain"));
  ASSERT_EQ(trained.code, 0) << trained.output;
  const PolicyArchive darp = PolicyArchive::read(path("plain") + "/policy.darp");
  EXPECT_EQ(darp.members().size(), 8u);
  EXPECT_EQ(darp.spec().retrieval()->k, darp.demonstrations().episode_ends.back() / 5);
  EXPECT_CONTAINS(darp_command("info " + path("plain") + "/policy.darp").output, "one in 4");
  // What is asked for stays as it is.
  EXPECT_CONTAINS(darp_command(command + "--set policy.retrieval.k=77 --dry-run").output, "k: 77");
  EXPECT_EQ(darp_command(command + "--set policy.kind=bc --out " + path("bc")).code, 0);
  EXPECT_EQ(PolicyArchive::read(path("bc") + "/policy.darp").members().size(), 8u);
  EXPECT_CONTAINS(darp_command("train --dry-run").output, "give them with --data FILE");
}

TEST_F(TrainCli, GivesTheSameBytesTwiceAndForAnyNumberOfThreads) {
  ASSERT_EQ(darp_command(arguments("a", "--threads 1")).code, 0);
  ASSERT_EQ(darp_command(arguments("b", "--threads 1")).code, 0);
  ASSERT_EQ(darp_command(arguments("c", "--threads 2")).code, 0);
  ASSERT_EQ(darp_command(arguments("other", "--seed 1")).code, 0);
  EXPECT_EQ(policy("a"), policy("b"));
  EXPECT_EQ(policy("a"), policy("c"));
  EXPECT_NE(policy("a"), policy("other"));
}

TEST_F(TrainCli, KilledAtAnyMomentAndResumedEndsWithTheSameBytes) {
  using namespace std::chrono;
  const auto start = steady_clock::now();
  ASSERT_EQ(darp_command(arguments("whole")).code, 0);
  const auto whole = duration_cast<microseconds>(steady_clock::now() - start);
  const std::string expected = policy("whole");
  Rng rng(2);
  int killed = 0;
  for (int i = 0; i < 50; ++i) {
    const std::string run = arguments("run", "--resume --checkpoint-seconds 0.01");
    fs::remove_all(path("run"));
    const auto moment = microseconds(
        static_cast<int64_t>(rng.uniform() * 1.3 * static_cast<double>(whole.count())));
    killed += WIFSIGNALED(interrupt(run, moment, SIGKILL));
    const Outcome resumed = darp_command(run);
    ASSERT_EQ(resumed.code, 0) << resumed.output;
    ASSERT_EQ(policy("run"), expected) << "killed after " << moment.count() << " us";
    ASSERT_EQ(losses("run"), losses("whole"));
  }
  EXPECT_GT(killed, 10);
}

TEST_F(TrainCli, StopsOnRequestAndGoesOn) {
  ASSERT_EQ(darp_command(arguments("whole", "--set train.epochs=300")).code, 0);
  const std::string run = arguments("run", "--set train.epochs=300 --resume");
  int status = interrupt(run, std::chrono::milliseconds(300), SIGINT);
  // As the signal would have ended it, so that scripts stop too; or it was done before.
  EXPECT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == SIGINT : WEXITSTATUS(status) == 0)
      << status;
  ASSERT_EQ(darp_command(run).code, 0);
  EXPECT_EQ(policy("run"), policy("whole"));
  // A finished run has nothing left to do.
  const Outcome done = darp_command(run);
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(policy("run"), policy("whole"));
}

TEST_F(TrainCli, ResumeStartsARunThatIsNotThereYet) {
  const Outcome outcome = darp_command(arguments("deep/run", "--resume"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_FALSE(policy("deep/run").empty());
}

TEST_F(TrainCli, SaysWhatIsWrongAndWhatToDo) {
  const auto fails = [&](const std::string& more, const std::string& says) {
    const Outcome outcome = darp_command(arguments("bad", more));
    EXPECT_EQ(outcome.code, 1) << outcome.output;
    EXPECT_CONTAINS(outcome.output, "error: ");
    EXPECT_CONTAINS(outcome.output, says);
    EXPECT_FALSE(fs::exists(path("bad") + "/policy.darp"));
    fs::remove_all(path("bad"));
  };
  fails("--set policy.retrieval.k=100000", "k");
  fails("--set train.epoch=3", "epochs");
  fails("--set train.validation.fraction=0.0001 --set reading.filter_key=none", "filter");
  fails(
      "--set policy.input.state=false --set policy.input.action=false "
      "--set policy.input.difference=none",
      "input");
  fails("--device gpu", "cuda");
  // This LibTorch may have CUDA: then there is nothing wrong.
  if (const Outcome cuda = darp_command(arguments("cuda", "--device cuda")); cuda.code != 0) {
    EXPECT_CONTAINS(cuda.output, "CUDA");
    EXPECT_FALSE(fs::exists(path("cuda")));
  }
  fails("--set train.engine=fused --set policy.network.dropout=0.1", "dropout");
  fails(
      "--set train.optimizer.learning_rate=100 --set train.optimizer.clip=0 "
      "--set train.schedule.kind=constant",
      "diverged");
  EXPECT_CONTAINS(darp_command("train " + path("missing.yaml")).output, "missing.yaml");
  EXPECT_CONTAINS(darp_command("train " + path("config.yaml")).output, "--data");
  EXPECT_CONTAINS(
      darp_command("train " + path("config.yaml") + " --data " + path("none.hdf5")).output,
      "none.hdf5");
}

TEST_F(TrainCli, ValidatesOnTheEndOfASingleEpisodeOrSaysThatThereIsNone) {
  write_dataset(random_dataset(3, {.episodes = 1, .longest = 60}), path("demos.npz"));
  const Outcome outcome = darp_command(arguments("run"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_CONTAINS(outcome.output, "validation loss");
  write_dataset(random_dataset(3, {.episodes = 1, .longest = 1}), path("demos.npz"));
  const Outcome one_step = darp_command(arguments("one"));
  EXPECT_EQ(one_step.code, 1);
  EXPECT_CONTAINS(one_step.output, "no single episode to cut in two");
}

TEST_F(TrainCli, RefusesToGoOnWithOtherSettingsOrData) {
  ASSERT_EQ(darp_command(arguments("run", "--checkpoint-seconds 0")).code, 0);
  fs::remove(path("run") + "/policy.darp");
  const Outcome batch = darp_command(arguments("run", "--resume --set train.batch=16"));
  EXPECT_EQ(batch.code, 1);
  EXPECT_CONTAINS(batch.output, "batch");
  write_dataset(random_dataset(4, {.episodes = 9, .longest = 60}), path("demos.npz"));
  const Outcome data = darp_command(arguments("run", "--resume"));
  EXPECT_EQ(data.code, 1);
  EXPECT_CONTAINS(data.output, "data");
  const Outcome fresh = darp_command(arguments("run"));
  EXPECT_EQ(fresh.code, 1);
  EXPECT_CONTAINS(fresh.output, "--resume");
}

TEST_F(TrainCli, KeepsTheLastGoodCheckpointWhenItDiverges) {
  const Outcome outcome = darp_command(arguments("run", "--set train.stop_above=0.0001"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_CONTAINS(outcome.output, "diverged");
  EXPECT_TRUE(fs::exists(path("run") + "/checkpoints/last.safetensors"));
}

TEST_F(TrainCli, TrainsBehaviourCloningAndWithDropout) {
  for (const char* more :
       {"--set policy.kind=bc", "--set policy.kind=bc --set policy.network.dropout=0.1",
        "--set train.precision=bf16", "--set train.engine=graph"}) {
    fs::remove_all(path("run"));
    const Outcome outcome =
        darp_command(arguments("run", std::string("--threads 1 --set train.epochs=2 ") + more));
    EXPECT_EQ(outcome.code, 0) << more << outcome.output;
  }
}

TEST_F(TrainCli, EveryConfigOfTheTreeIsRead) {
  int configs = 0;
  for (const auto& entry : fs::recursive_directory_iterator(DARP_SOURCE_DIR "/configs")) {
    if (entry.path().extension() != ".yaml") continue;
    ++configs;
    const Outcome outcome =
        darp_command("train " + entry.path().string() + " --data demos --dry-run");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
  }
  EXPECT_GE(configs, 12);
}

}  // namespace
}  // namespace darp
