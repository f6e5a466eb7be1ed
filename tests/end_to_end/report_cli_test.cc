// darp report, as a user runs it.

#include <gtest/gtest.h>

#include "darp/core/file.h"
#include "tests/end_to_end/darp_command.h"
#include "tests/random_policy.h"
#include "tests/well_formed.h"

namespace darp {
namespace {

class ReportCli : public Cli {
 protected:
  /// An evaluation of an untrained policy in the dummy environment.
  std::string puck_evaluation(uint64_t seed, const std::string& name) const {
    PolicyArchive(random_policy(seed)).write(path(name + ".darp"));
    const Outcome outcome =
        darp_command("eval " + path(name + ".darp") + " --env dummy --episodes 10 --json " +
                     path(name + ".json"));
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    return path(name + ".json");
  }
  std::string page(const std::string& name) const {
    return std::string(as_text(MappedFile(path(name)).bytes()));
  }
};

TEST_F(ReportCli, MakesAPageOfTwoEvaluations) {
  const std::string a = puck_evaluation(1, "a"), b = puck_evaluation(2, "b");
  const std::string command =
      "report " + a + " " + b + " --label ours=" + b + " --title 'A & B' --out ";
  const Outcome made = darp_command(command + path("page.html"));
  EXPECT_EQ(made.code, 0) << made.output;
  EXPECT_CONTAINS(made.output, "from 2 inputs");
  const std::string html = page("page.html");
  EXPECT_EQ(markup_problem(html), "");
  for (const char* part : {"<h1>A &amp; B</h1>", "Compared with a", "ours", "darp report "})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  // Once more, over the old one: the same bytes.
  EXPECT_EQ(darp_command(command + path("page.html")).code, 0);
  EXPECT_EQ(page("page.html"), html);
  // The same for papers and for spreadsheets.
  const Outcome more = darp_command(command + path("page.html") + " --markdown " + path("page.md") +
                                    " --csv " + path("csv") + " --svg " + path("svg"));
  EXPECT_EQ(more.code, 0) << more.output;
  EXPECT_NE(page("page.md").find("](svg/episodes.svg)"), std::string::npos) << page("page.md");
  EXPECT_EQ(page("csv/returns.csv").find("method,trainings,"), 0u);
  EXPECT_EQ(markup_problem(page("svg/episodes.svg")), "");
}

TEST_F(ReportCli, SaysWhatIsWrongAndWhatToDo) {
  EXPECT_EQ(darp_command("report").code, 2);
  const Outcome missing = darp_command("report " + path("no.json"));
  EXPECT_EQ(missing.code, 1);
  EXPECT_CONTAINS(missing.output, "does not exist; give folders of darp study");
  const std::string a = puck_evaluation(1, "a");
  const Outcome video = darp_command("report " + a + " --video film.mp4 --out " + path("p.html"));
  EXPECT_EQ(video.code, 1);
  EXPECT_CONTAINS(video.output, "'film.mp4' is no LABEL=PATH");
  const Outcome label = darp_command("report " + a + " --label x=b.json --out " + path("p.html"));
  EXPECT_EQ(label.code, 1);
  EXPECT_CONTAINS(label.output, "is none of the inputs");
  EXPECT_FALSE(std::filesystem::exists(path("p.html")));
}

}  // namespace
}  // namespace darp
