// darp bench, as a user runs it.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "darp/core/file.h"
#include "tests/end_to_end/darp_command.h"
#include "tests/random_policy.h"

namespace darp {
namespace {

using BenchCli = Cli;

nlohmann::json json_in(const std::string& path) {
  std::ifstream in(path);
  return nlohmann::json::parse(in);
}

TEST_F(BenchCli, MeasuresEveryCase) {
  for (const std::string name : {"hopper", "stack", "bc", "ensemble"}) {
    const Outcome outcome =
        darp_command("bench inference --steps 20 --case " + name + " --json " + path("out.json"));
    EXPECT_EQ(outcome.code, 0);
    for (const std::string& part : {name + ": ", std::string("network"), std::string("fp32"),
                                    std::string("p50"), std::string("p99.9"), std::string("quiet"),
                                    std::string("busy neighbour"), std::string("page faults")})
      EXPECT_CONTAINS(outcome.output, part);
    EXPECT_EQ(outcome.output.find("missed"), std::string::npos) << "there is no rate";
    const auto json = json_in(path("out.json"));
    EXPECT_EQ(json["policy"], name);
    EXPECT_EQ(json["steps"], 20);
    EXPECT_EQ(json["precision"], "fp32");
    for (const char* key : {"quiet", "busy_neighbor"}) {
      EXPECT_GT(json[key]["p50"], 0);
      EXPECT_GE(json[key]["max"], json[key]["p99.9"]);
      EXPECT_EQ(json[key]["refused"], 0);
    }
  }
}

TEST_F(BenchCli, MeasuresAnyPolicyFile) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    PolicyArchive(random_policy(seed)).write(path("p.darp"));
    const Outcome outcome = darp_command("bench inference --steps 30 " + path("p.darp"));
    EXPECT_EQ(outcome.code, 0);
    EXPECT_CONTAINS(outcome.output, "30 steps, one after the other");
    EXPECT_EQ(outcome.output.find("gave no action"), std::string::npos) << outcome.output;
  }
}

TEST_F(BenchCli, ARateShowsMissedDeadlinesAndPrivilegesAreGrantedOrExplained) {
  const Outcome outcome = darp_command(
      "bench inference --case stack --steps 10 --rate 1000000 --precision bf16 --fifo "
      "--lock-memory --json " +
      path("out.json"));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_CONTAINS(outcome.output, "10 steps at 1e+06 Hz");
  EXPECT_CONTAINS(outcome.output, "missed");
  const auto json = json_in(path("out.json"));
  // A microsecond is too short for it on any CPU.
  EXPECT_EQ(json["quiet"]["missed_deadlines"], 10);
  EXPECT_EQ(json["rate_hz"], 1e6);
  for (const auto& notice : json["notices"])
    EXPECT_CONTAINS(outcome.output, "note: " + notice.get<std::string>());
  // Either it runs in bf16 or says why not.
  EXPECT_EQ(json["precision"] == "bf16",
            json["notices"].dump().find("bfloat16") == std::string::npos);
}

TEST_F(BenchCli, WrongInputIsOneLineThatSaysWhatToDo) {
  write_file(path("short.darp"), "abc");
  for (const auto& [arguments, message] : std::vector<std::pair<std::string, std::string>>{
           {"", "give a policy file or --case, not both"},
           {path("short.darp") + " --case bc", "has two things to measure"},
           {path("none.darp"), "none.darp"},
           {path("short.darp"), "short.darp"},
           {"--case hoper", "did you mean 'hopper'? valid: hopper, stack, bc, ensemble"},
           {"--case bc --precision fp16", "valid: fp32, bf16"},
           {"--case bc --steps 0", "measure at least one"},
           {"--case bc --rate -5", "or 0 for as fast as possible"},
           {"--case bc --steps 5 --json " + path("no/such/folder.json"), "folder"}}) {
    const Outcome outcome = darp_command("bench inference " + arguments);
    EXPECT_EQ(outcome.code, 1) << arguments;
    EXPECT_CONTAINS(outcome.output, "error: ");
    EXPECT_CONTAINS(outcome.output, message);
  }
}

TEST_F(BenchCli, WrongUsageIsTwo) {
  EXPECT_EQ(darp_command("bench").code, 2);
  EXPECT_EQ(darp_command("bench nothing").code, 2);
  EXPECT_EQ(darp_command("bench inference --steps many").code, 2);
  EXPECT_CONTAINS(darp_command("bench inference --help").output, "Examples:");
}

}  // namespace
}  // namespace darp
