// The program as a user runs it: output, exit codes, messages.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "darp/data/ingest/read_dataset.h"
#include "tests/end_to_end/darp_command.h"
#include "tests/random_dataset.h"
#include "tests/reference_files.h"

namespace darp {
namespace {

TEST_F(Cli, HelpNamesEveryCommandAndShowsExamples) {
  const Outcome help = darp_command("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* command : {"info", "convert"}) {
    EXPECT_CONTAINS(help.output, command);
    const Outcome details = darp_command(std::string(command) + " --help");
    EXPECT_EQ(details.code, 0);
    EXPECT_CONTAINS(details.output, "Examples:");
    EXPECT_CONTAINS(details.output, "keep_unfinished");
  }
}

#if defined(__x86_64__)
TEST_F(Cli, StartsAnewWhereOpenBlasMisjudgesTheCpu) {
  if (!__builtin_cpu_supports("avx512bw")) GTEST_SKIP() << "only CPUs with AVX-512 are misjudged";
  const std::string darp =
      "LD_PRELOAD=" DARP_BINARY_DIR
      "/lib/misjudging_openblas.so "
      "ASAN_OPTIONS=verify_asan_link_order=0 " DARP_BINARY_DIR "/bin/darp --version";
  const Outcome once = shell_command("env -u OPENBLAS_CORETYPE " + darp);
  EXPECT_TRUE(once.output.starts_with("kernels: not told\nkernels: SkylakeX\n")) << once.output;
  EXPECT_EQ(once.code, 0);
  const Outcome chosen = shell_command("env OPENBLAS_CORETYPE=Haswell " + darp);
  EXPECT_TRUE(chosen.output.starts_with("kernels: Haswell\n")) << chosen.output;
  EXPECT_EQ(chosen.output.find("SkylakeX"), std::string::npos);
}
#endif

TEST_F(Cli, WrongUsageIsTwoAndSaysWhatWasMeant) {
  EXPECT_EQ(darp_command("").code, 2);
  EXPECT_EQ(darp_command("info").code, 2);
  EXPECT_EQ(darp_command("info --jsn x").code, 2);
  const Outcome typo = darp_command("confert a b");
  EXPECT_EQ(typo.code, 2);
  EXPECT_CONTAINS(typo.output, "did you mean 'convert'?");
}

TEST_F(Cli, WrongInputIsOneAndOneLine) {
  std::ofstream(path("bad.yaml")) << "filter_kye: train\n";
  for (const std::string& arguments :
       {std::string("info /nonexistent.hdf5"), "info " + path("bad.yaml"),
        "convert /nonexistent.npz " + path("x.hdf5"), "info x.hdf5 --config " + path("bad.yaml"),
        std::string("info x.hdf5 --set nothing"),
        std::string("info x.hdf5 --set max_episode_steps=0")}) {
    const Outcome outcome = darp_command(arguments);
    EXPECT_EQ(outcome.code, 1) << arguments;
    EXPECT_TRUE(outcome.output.starts_with("error: ")) << outcome.output;
    EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1) << outcome.output;
  }
  EXPECT_CONTAINS(darp_command("info x.hdf5 --config " + path("bad.yaml")).output,
                  "did you mean 'filter_key'?");
}

/// Nobody writes into it, so waiting for its bytes would last for ever.
TEST_F(Cli, APipeIsNoFile) {
  ASSERT_EQ(shell_command("mkfifo " + path("pipe")).code, 0);
  for (const std::string command : {"info ", "train --data ", "convert "}) {
    const Outcome outcome = darp_command(
        command + path("pipe") + (command == "convert " ? " " + path("x.npz") : std::string()));
    EXPECT_EQ(outcome.code, 1);
    EXPECT_CONTAINS(outcome.output, "is not a regular file");
  }
}

TEST_F(Cli, InfoTellsTheSameInBothForms) {
  const Dataset dataset =
      random_dataset(3, {.episodes = 5, .parts = {{"pos", 3}, {"vel", 2}}, .rewards = true});
  write_dataset(dataset, path("d.npz"));
  const Outcome people = darp_command("info " + path("d.npz"));
  EXPECT_EQ(people.code, 0);
  EXPECT_CONTAINS(people.output, "pos (3), vel (2)");
  EXPECT_CONTAINS(people.output, dataset.content_hash());
  const auto json = nlohmann::json::parse(darp_command("info --json " + path("d.npz")).output);
  EXPECT_EQ(json["format"], "npz");
  EXPECT_EQ(json["episodes"], 5);
  EXPECT_EQ(json["steps"], dataset.steps());
  EXPECT_EQ(json["observation_dim"], 5);
  EXPECT_EQ(json["action_dim"], 2);
  EXPECT_EQ(json["parts"][1]["name"], "vel");
  EXPECT_EQ(json["hash"], dataset.content_hash());
  EXPECT_EQ(json["observation"]["min"].size(), 5u);
  EXPECT_EQ(json["rewards"], true);
}

TEST_F(Cli, ConvertAppliesKeysFiltersAndSettings) {
  const std::string fixtures = DARP_SOURCE_DIR "/tests/fixtures/hdf5/";
  EXPECT_EQ(darp_command("convert " + fixtures + "robomimic.hdf5 " + path("a.npz") +
                         " --keys 'object[0:4],robot0_eef_pos' --filter train")
                .code,
            0);
  const Dataset a = read_dataset(path("a.npz")).dataset;
  EXPECT_EQ(a.episodes(), 2);
  EXPECT_EQ(a.observation_dim(), 7);
  std::ofstream(path("read.yaml")) << "keep_unfinished: true\n";
  EXPECT_EQ(darp_command("convert " + fixtures + "d4rl.hdf5 " + path("b.hdf5") + " --config " +
                         path("read.yaml"))
                .code,
            0);
  EXPECT_EQ(read_dataset(path("b.hdf5")).dataset.episodes(), 3);
  const Outcome noted = darp_command("convert " + fixtures + "d4rl.hdf5 " + path("c.dat") +
                                     " --to npz --set keep_unfinished=false");
  EXPECT_EQ(noted.code, 0);
  EXPECT_CONTAINS(noted.output, "left out 10 rows");
  EXPECT_EQ(read_dataset(path("c.dat")).dataset.episodes(), 2);
}

TEST_F(Cli, NeighborsSumsUpAndListsWhatItFinds) {
  // Two episodes: a line out and, beside it, the same line a little off.
  DatasetContents c;
  c.observations = Matrix::zeros(40, 1);
  c.actions = Matrix::zeros(40, 1);
  for (int64_t i = 0; i < 40; ++i)
    c.observations(i, 0) = static_cast<float>(i % 20) + (i < 20 ? 0 : 0.1f);
  for (int64_t i = 0; i < 40; ++i) c.actions(i, 0) = static_cast<float>(i);
  c.episode_ends = {20, 40};
  write_dataset(Dataset(std::move(c)), path("lines.npz"));

  const std::string command = "neighbors " + path("lines.npz") + " -r k=3 -r exclude=episode ";
  const Outcome summary = darp_command(command);
  EXPECT_EQ(summary.code, 0);
  EXPECT_CONTAINS(summary.output, "40 rows of 1 columns, exact");
  EXPECT_CONTAINS(summary.output, "same episode   0.0 %");
  const auto at = nlohmann::json::parse(darp_command(command + "--at 0:12 --json").output);
  EXPECT_EQ(at["row"], 12);
  ASSERT_EQ(at["neighbors"].size(), 3u);
  EXPECT_EQ(at["neighbors"][0]["episode"], 1);
  EXPECT_EQ(at["neighbors"][0]["step"], 12);
  EXPECT_EQ(at["neighbors"][0]["action"], nlohmann::json::array({32}));

  for (const auto& [arguments, message] :
       {std::pair{"--at 2:0", "there is no episode 2; episodes go from 0 to 1"},
        {"--at 1:20", "episode 1 has no step 20; its steps go from 0 to 19"},
        {"--at 1", "'1' is no EPISODE:STEP"},
        {"-r k=21", "is 21, but 20 of 40 rows are usable; choose 1 to 20"},
        {"-r kk=2", "-r kk=2: unknown setting 'kk'"}}) {
    const Outcome wrong = darp_command(command + arguments);
    EXPECT_EQ(wrong.code, 1);
    EXPECT_CONTAINS(wrong.output, message);
  }
}

TEST_F(Cli, FullOutputIsAFailure) {
  write_dataset(random_dataset(3), path("d.npz"));
  EXPECT_EQ(darp_command("info " + path("d.npz") + " > /dev/full").code, 1);
}

TEST_F(Cli, InfoOnTheReferenceFiles) {
  DARP_REQUIRE_REFERENCE("demos");
  const auto info = [&](const std::string& file) {
    return nlohmann::json::parse(
        darp_command("info --json " + (reference_dir() / file).string()).output);
  };
  const auto hopper = info("demos/hopper-expert-v2_1.hdf5"), push_t = info("demos/push_t.hdf5"),
             weights = info("weights/hopper-darp.safetensors");
  EXPECT_EQ(hopper["episodes"], 1);
  EXPECT_EQ(hopper["steps"], 1000);
  EXPECT_EQ(hopper["observation_dim"], 11);
  EXPECT_EQ(hopper["action_dim"], 3);
  EXPECT_EQ(push_t["episodes"], 206);
  EXPECT_EQ(push_t["steps"], 25650);
  EXPECT_EQ(push_t["observation_dim"], 5);
  EXPECT_EQ(push_t["action_dim"], 2);
  EXPECT_EQ(weights["metadata"]["retrieval.k"], "246");
}

}  // namespace
}  // namespace darp
