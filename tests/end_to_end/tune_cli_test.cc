// darp tune, as a user runs it.

#include <gtest/gtest.h>

#include "darp/core/file.h"
#include "darp/data/ingest/read_dataset.h"
#include "tests/end_to_end/darp_command.h"
#include "tests/random_dataset.h"

namespace darp {
namespace {

class TuneCli : public Cli {
 protected:
  void SetUp() override {
    RandomDatasetShape shape;
    shape.parts = {{"observation", 4}};
    write_dataset(random_dataset(4, shape), path("puck.npz"));
    write_file(path("lwr.yaml"), "policy: {kind: lwr, retrieval: {exclude: nothing}}\n");
    write_file(
        path("space.yaml"),
        "policy.retrieval.k: integer 1 5  # few\npolicy.kernel: choice gaussian | uniform\n");
  }
  std::string search(const std::string& out, const std::string& more = "") const {
    return "tune " + path("lwr.yaml") + " --space " + path("space.yaml") + " --env dummy --data " +
           path("puck.npz") + " --trials 5 --episodes 3 --rungs 2 --jobs 1 --out " + path(out) +
           " " + more;
  }
};

TEST_F(TuneCli, PrintsSettingsToPasteAndAConfigToTrain) {
  const Outcome made = darp_command(search("a"));
  EXPECT_EQ(made.code, 0) << made.output;
  EXPECT_CONTAINS(made.output, "best mean return ");
  EXPECT_CONTAINS(made.output, "on search seeds 100000..100002");
  EXPECT_CONTAINS(made.output, "--set 'policy.retrieval.k=");
  EXPECT_CONTAINS(made.output, "darp report " + path("a"));
  EXPECT_TRUE(std::filesystem::exists(path("a/exhibits.json")));
  const Outcome trained = darp_command("train " + path("a/best.yaml") + " --out " + path("again"));
  EXPECT_EQ(trained.code, 0) << trained.output;
  // The same policy as the search had.
  const size_t begin = made.output.find("its policy:       ") + 18;
  EXPECT_EQ(shell_command("cmp " + path("again/policy.darp") + " " +
                          made.output.substr(begin, made.output.find('\n', begin) - begin))
                .code,
            0);
}

TEST_F(TuneCli, KilledAnywhereTheSameCommandGoesOnToTheSameEnd) {
  ASSERT_EQ(darp_command(search("whole")).code, 0);
  for (const int milliseconds : {60, 120, 200})
    interrupt(search("torn"), std::chrono::milliseconds(milliseconds), SIGKILL);
  const Outcome made = darp_command(search("torn"));
  EXPECT_EQ(made.code, 0) << made.output;
  EXPECT_EQ(bytes("torn/journal.jsonl"), bytes("whole/journal.jsonl"));
}

TEST_F(TuneCli, SaysWhatIsWrongAndWhatToDo) {
  EXPECT_EQ(darp_command("tune " + path("lwr.yaml")).code, 2);
  ASSERT_EQ(darp_command(search("a")).code, 0);
  const Outcome other = darp_command(search("a", "--set policy.fit=linear"));
  EXPECT_EQ(other.code, 1);
  EXPECT_CONTAINS(other.output, "holds a search with another config; go on with the command");
  const Outcome objective = darp_command(search("b", "--objective retrun"));
  EXPECT_EQ(objective.code, 1);
  EXPECT_CONTAINS(objective.output, "return");
  const Outcome environment = darp_command(search("b", "--env hopper"));
  EXPECT_EQ(environment.code, 2) << environment.output;
}

}  // namespace
}  // namespace darp
