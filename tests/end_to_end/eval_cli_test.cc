// darp eval, compare and environments, as a user runs them.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "darp/core/file.h"
#include "darp/core/file_lock.h"
#include "tests/end_to_end/darp_command.h"
#include "tests/random_policy.h"

namespace darp {
namespace {

class EvalCli : public Cli {
 protected:
  /// A policy of the dummy environment's dimensions: untrained, it does something.
  std::string puck_policy(uint64_t seed) const {
    const std::string file = path("puck" + std::to_string(seed) + ".darp");
    PolicyArchive(random_policy(seed)).write(file);
    return file;
  }
};

std::string contents(const std::string& file) {
  return std::string(as_text(MappedFile(file).bytes()));
}

nlohmann::json json_of(const std::string& file) {
  return nlohmann::json::parse(contents(file));
}

TEST_F(EvalCli, ListsEnvironmentsAndTellsAboutOne) {
  const Outcome all = darp_command("environments");
  EXPECT_EQ(all.code, 0);
  for (const char* name :
       {"hopper", "walker2d", "half_cheetah", "ant", "maze_umaze", "maze_long", "push_t", "dummy"})
    EXPECT_CONTAINS(all.output, name);
  const Outcome hopper = darp_command("environments hopper");
  EXPECT_CONTAINS(hopper.output, "cameras: track");
  EXPECT_CONTAINS(hopper.output, "bodies to push: torso, thigh, leg, foot");
  EXPECT_EQ(darp_command("environments hoper").code, 1);
}

TEST_F(EvalCli, WritesTheSameRecordsForOneThreadAndTwo) {
  const std::string policy = puck_policy(1);
  const std::string common = "eval " + policy + " --env dummy --episodes 20 --json ";
  const Outcome one = darp_command(common + path("one.json") + " --threads 1");
  EXPECT_EQ(one.code, 0) << one.output;
  EXPECT_EQ(darp_command(common + path("two.json") + " --threads 2").code, 0);
  EXPECT_EQ(contents(path("one.records.jsonl")), contents(path("two.records.jsonl")));

  const auto json = json_of(path("one.json"));
  EXPECT_EQ(json["env"], "dummy");
  EXPECT_EQ(json["seeds"].size(), 20u);
  EXPECT_EQ(json["returns"], json_of(path("two.json"))["returns"]);
  for (const char* key : {"policy", "lengths", "success", "return_mean", "return_ci95",
                          "success_rate", "success_ci95", "steps_per_second", "threads"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["threads"], 1);
}

TEST_F(EvalCli, ActsWithAnotherGainThanThePolicySays) {
  PolicyArchive(random_policy(1)).with_gain(1).write(path("whole.darp"));
  PolicyArchive(random_policy(1)).with_gain(0.5).write(path("half.darp"));
  const auto returns = [&](const std::string& arguments) {
    const Outcome done = darp_command("eval " + arguments + " --env dummy --episodes 3 --json " +
                                      path("out.json") + " --records " + path("r.jsonl"));
    EXPECT_EQ(done.code, 0) << done.output;
    std::filesystem::remove(path("r.jsonl"));
    return json_of(path("out.json"))["returns"];
  };
  const auto half = returns(path("half.darp"));
  EXPECT_EQ(returns(path("whole.darp") + " --gain 0.5"), half);
  EXPECT_NE(returns(path("whole.darp")), half);
  EXPECT_EQ(returns(path("half.darp") + " --gain 1"), returns(path("whole.darp")));
  EXPECT_CONTAINS(darp_command("eval " + path("half.darp") + " --env dummy --gain 0").output,
                  "gain: is 0; choose 0.001 to 1000");
}

TEST_F(EvalCli, GoesOnFromTheRecordsThatAreThere) {
  const std::string command =
      "eval " + puck_policy(2) + " --env dummy --episodes 12 --records " + path("r.jsonl");
  EXPECT_EQ(darp_command(command).code, 0);
  const std::string whole = contents(path("r.jsonl"));
  // As after a crash: five episodes and a half.
  size_t cut = 0;
  for (int line = 0; line < 6; ++line) cut = whole.find('\n', cut) + 1;
  write_file(path("r.jsonl"), whole.substr(0, cut + 10));
  const Outcome again = darp_command(command);
  EXPECT_EQ(again.code, 0);
  EXPECT_CONTAINS(again.output, "5 episodes already done");
  EXPECT_EQ(contents(path("r.jsonl")), whole);
  // Another evaluation keeps its hands off.
  const Outcome other = darp_command("eval " + puck_policy(3) +
                                     " --env dummy --episodes 12 --records " + path("r.jsonl"));
  EXPECT_EQ(other.code, 1);
  EXPECT_CONTAINS(other.output, "give another file");
}

TEST_F(EvalCli, ComparesWithItself) {
  darp_command("eval " + puck_policy(4) + " --env dummy --episodes 10 --json " + path("a.json"));
  const Outcome same = darp_command("compare " + path("a.json") + " " + path("a.json"));
  EXPECT_EQ(same.code, 4) << same.output;
  EXPECT_CONTAINS(same.output, "undecided");
}

TEST_F(EvalCli, OnePolicyUnderTwoConditionsIsNamedByTheFiles) {
  const std::string eval = "eval " + puck_policy(4) + " --env dummy --seeds ";
  ASSERT_EQ(darp_command(eval + "0..4 --json " + path("early.json")).code, 0);
  ASSERT_EQ(darp_command(eval + "10..14 --json " + path("late.json")).code, 0);
  const Outcome outcome = darp_command("compare " + path("early.json") + " " + path("late.json"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_CONTAINS(outcome.output, "late.json: was evaluated on seeds 10..14, ");
  EXPECT_CONTAINS(outcome.output, "early.json on 0..4");
}

TEST_F(EvalCli, TheExitCodeOfCompareIsItsVerdict) {
  // The same policy, had it had worse luck.
  const std::string policy = puck_policy(5);
  darp_command("eval " + policy + " --env dummy --episodes 20 --json " + path("good.json"));
  nlohmann::json worse = json_of(path("good.json"));
  for (auto& value : worse["returns"])
    value = value.get<double>() - 10 - std::abs(value.get<double>()) / 7;
  write_file(path("bad.json"), worse.dump());
  EXPECT_EQ(darp_command("compare " + path("bad.json") + " " + path("good.json")).code, 0);
  EXPECT_EQ(darp_command("compare " + path("good.json") + " " + path("bad.json")).code, 3);
}

TEST_F(EvalCli, SeveralPoliciesAreRunsOfOneMethod) {
  const std::string policies = puck_policy(6) + " " + puck_policy(7) + " " + puck_policy(8);
  const Outcome outcome =
      darp_command("eval " + policies + " --env dummy --episodes 5 --json " + path("m.json"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_CONTAINS(outcome.output, "puck7.darp");
  EXPECT_EQ(json_of(path("m.json"))["evaluations"].size(), 3u);
}

TEST_F(EvalCli, SeveralPoliciesGoOnWhereTheyStopped) {
  const std::string command = "eval " + puck_policy(6) + " " + puck_policy(7) +
                              " --env dummy --episodes 5 --json " + path("m.json");
  ASSERT_EQ(darp_command(command).code, 0);
  const std::string returns = json_of(path("m.json"))["evaluations"][1]["returns"].dump();
  // As if the second had been interrupted.
  std::filesystem::remove(path("m.json"));
  const std::string whole = contents(path("m.1.records.jsonl"));
  write_file(path("m.1.records.jsonl"),
             whole.substr(0, whole.find('\n', whole.find('\n') + 1) + 1));
  const Outcome again = darp_command(command);
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_CONTAINS(again.output, "m.0.records.jsonl: 5 episodes already done");
  EXPECT_CONTAINS(again.output, "m.1.records.jsonl: 1 episode already done");
  EXPECT_EQ(json_of(path("m.json"))["evaluations"][1]["returns"].dump(), returns);
}

TEST_F(EvalCli, OneNetworkIsOneTraining) {
  const std::string policy = puck_policy(6);
  const std::string eval = "eval " + policy + " " + policy + " --env dummy --episodes 2 --json ";
  ASSERT_EQ(darp_command(eval + path("twice.json")).code, 0);
  const Outcome outcome = darp_command("compare " + path("twice.json") + " " + path("twice.json"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_CONTAINS(outcome.output, "are the same policy");
}

TEST_F(EvalCli, LooksAtItsOutputsBeforeItBegins) {
  const std::string policy = puck_policy(6), command = "eval " + policy + " --env dummy ";
  std::filesystem::create_directories(path("folder"));
  for (const auto& [options, message] : std::vector<std::pair<std::string, std::string>>{
           {"--json " + policy, "would be lost"},
           {"--json " + path("folder"), "is a folder"},
           {"--video " + path("none/v.mp4"), "its folder does not exist"},
           {"--json " + path("a.json") + " --records " + path("a.json"), "written twice"},
           {"--frames " + policy, "is no folder"},
           {"--camera nose --frames " + path("frames"), "has no 'nose'"}}) {
    const Outcome outcome = darp_command(command + options);
    EXPECT_EQ(outcome.code, 1) << options;
    EXPECT_CONTAINS(outcome.output, message);
    EXPECT_EQ(outcome.output.find("episodes/s"), std::string::npos) << "was rolled out";
  }
}

TEST_F(EvalCli, TwoOfThemDoNotWriteIntoOneFile) {
  const std::string command =
      "eval " + puck_policy(6) + " --env dummy --episodes 2 --records " + path("r.jsonl");
  const auto lock = FileLock::take(path("r.jsonl"));
  const Outcome outcome = darp_command(command);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_CONTAINS(outcome.output, "is in use: another evaluation writes into it");
}

TEST_F(EvalCli, PicturesOfAnotherEpisodeGo) {
  const std::string command = "eval " + puck_policy(9) +
                              " --env dummy --episodes 1 --width 64 --height 48 --frames " +
                              path("frames") + " --set time_limit=";
  const auto pictures = [&] {
    const std::filesystem::directory_iterator folder(path("frames"));
    return std::distance(begin(folder), end(folder));
  };
  ASSERT_EQ(darp_command(command + "60").code, 0);
  const auto many = pictures();
  write_file(path("frames/notes.txt"), std::string_view("mine"));
  ASSERT_EQ(darp_command(command + "10").code, 0);
  EXPECT_LT(pictures(), many);
  EXPECT_TRUE(std::filesystem::exists(path("frames/notes.txt")));
}

TEST_F(EvalCli, WritesVideosAndPictures) {
  const Outcome outcome = darp_command(
      "eval " + puck_policy(9) +
      " --env dummy --episodes 1 --set time_limit=20 --width 160 --height 120 --video " +
      path("v.mp4") + " --frames " + path("frames"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(contents(path("v.mp4")).substr(4, 4), "ftyp");
  EXPECT_EQ(contents(path("frames/000000.png")).substr(1, 3), "PNG");
}

TEST_F(EvalCli, WrongInputIsOneLineThatSaysWhatToDo) {
  const std::string policy = puck_policy(10);
  for (const auto& [arguments, message] : std::vector<std::pair<std::string, std::string>>{
           {policy + " --env hoper", "did you mean 'hopper'?"},
           {policy + " --env hopper",
            "has 11 observation and 3 action dimensions, the policy 4 and 2"},
           {path("none.darp") + " --env dummy", "none.darp"},
           {policy + " --env dummy --seeds 100000..100010", "search"},
           {policy + " --env dummy --seeds 5 --search", "100000"},
           {policy + " --env dummy --seeds 9..3", "9..3"},
           {policy + " --env dummy --executor tourch", "did you mean 'torch'?"},
           {policy + " --env dummy --set push.bod=x", "did you mean 'body'?"},
           {policy + " --env dummy --set ant.contact_forces=true", "mean nothing"},
           {policy + " --env dummy --episodes 2 --video /nowhere/x.mp4", "/nowhere"},
           {policy + " --env dummy --episodes 2 --camera left --video " + path("x.mp4"), "top"}}) {
    const Outcome outcome = darp_command("eval " + arguments);
    EXPECT_EQ(outcome.code, 1) << arguments;
    EXPECT_CONTAINS(outcome.output, "error: ");
    EXPECT_CONTAINS(outcome.output, message);
  }
  EXPECT_EQ(darp_command("eval").code, 2);
  EXPECT_EQ(darp_command("compare " + path("no.json") + " " + path("no.json")).code, 1);
}

}  // namespace
}  // namespace darp
