#include "darp/report/report.h"

#include <gtest/gtest.h>

#include <fstream>

#include "darp/core/file.h"
#include "darp/core/rng.h"
#include "darp/eval/evaluation_file.h"
#include "darp/report/report_sections.h"
#include "darp/report/study_report.h"
#include "darp/train/train_config.h"
#include "tests/error_of.h"
#include "tests/test_folder.h"
#include "tests/well_formed.h"

/// The page has this in it. Pages are too long to print.
#define EXPECT_SHOWS(page, part) \
  EXPECT_NE((page).find(part), std::string::npos) << "missing: " << (part)

namespace darp {
namespace {

namespace fs = std::filesystem;

struct Sample {
  std::string environment = "hopper", policy = "policy.darp";
  double mean = 0;
  uint64_t first_seed = 0, episodes = 30;
  bool has_success = false;
  uint64_t rng = 0;
};

Evaluation sample_evaluation(const Sample& sample) {
  Evaluation evaluation;
  evaluation.subject = {sample.environment,   "", sample.policy, "0123456789abcdef", "runtime fp32",
                        SeedPurpose::kReport, {}};
  evaluation.subject.seeds = {sample.first_seed, sample.first_seed + sample.episodes - 1};
  evaluation.has_success = sample.has_success;
  evaluation.scale = ScoreScale{0, 100};
  Rng rng(sample.rng);
  for (const uint64_t seed : evaluation.subject.seeds.seeds()) {
    const double noise = rng.normal();
    evaluation.records.push_back(
        {seed, sample.mean + noise, 100, sample.has_success && noise > 0, EpisodeEnd::kTruncated});
  }
  return evaluation;
}

/// Files for reports, in a folder of the test's own.
class Reports : public ::testing::Test {
 protected:
  fs::path write(const std::string& name, const std::vector<Evaluation>& evaluations) {
    fs::create_directories((folder_ / name).parent_path());
    write_evaluations(folder_ / name, evaluations);
    return folder_ / name;
  }
  fs::path write_sample(const std::string& name, const Sample& sample) {
    return write(name, {sample_evaluation(sample)});
  }
  fs::path write_run(const std::string& name, const std::string& metrics,
                     const std::string& manifest) {
    const fs::path run = folder_ / name;
    fs::create_directories(run);
    TrainConfig config;
    config.data = "demos.hdf5";
    config.train.epochs = 7;
    write_file(run / "config.yaml", write_yaml(config));
    write_file(run / "metrics.jsonl", metrics);
    if (!manifest.empty()) write_file(run / "manifest.json", manifest);
    return run;
  }
  static std::string html(const std::vector<InputPath>& inputs) {
    const std::string page = make_report({.inputs = inputs, .version = "1"}).html;
    EXPECT_EQ(markup_problem(page), "");
    return page;
  }

  const fs::path folder_ = test_folder();
};

TEST_F(Reports, SayWhichOfTwoIsBetterAndByHowMuch) {
  const fs::path a = write_sample("bc.json", {.mean = 50, .rng = 1}),
                 b = write_sample("darp.json", {.mean = 60, .rng = 2});
  const std::string page = html({{a}, {b}});
  EXPECT_SHOWS(page, "hopper: darp is better than bc by ");
  EXPECT_SHOWS(page, "30 pairs of episodes");
  EXPECT_SHOWS(page, "darp ahead: 30");
  EXPECT_SHOWS(page, "darp eval policy.darp --env hopper --seeds 0..29 --json");
  EXPECT_SHOWS(html({{b}, {a}}), "hopper: bc is worse than darp by ");
}

TEST_F(Reports, SayOfManyWhichAreBetterThanTheFirst) {
  const std::string page = html({{write_sample("a.json", {.mean = 50, .rng = 1})},
                                 {write_sample("b.json", {.mean = 60, .rng = 2})},
                                 {write_sample("c.json", {.mean = 50, .rng = 3})},
                                 {write_sample("d.json", {.mean = 40, .rng = 4})},
                                 {write_sample("e.json", {.mean = 70, .rng = 5})}});
  EXPECT_SHOWS(page, "hopper: better than a: b, e; worse than a: d; undecided against a: c<");
  EXPECT_SHOWS(page, "The highest mean is e&#39;s");
  EXPECT_SHOWS(page, "not corrected for making 4 comparisons");
}

TEST_F(Reports, SayWhatIsNotDecided) {
  const fs::path a = write_sample("a.json", {.mean = 50, .rng = 1});
  EXPECT_SHOWS(html({{a}, {write_sample("b.json", {.mean = 50, .rng = 2})}}),
               "hopper: undecided between b and a");
  const fs::path few = write_sample("few.json", {.mean = 90, .episodes = 3});
  EXPECT_SHOWS(html({{a}, {few}}), "take more seeds");
}

TEST_F(Reports, OfOneEvaluationTellItsReturn) {
  const std::string page = html({{write_sample("solo.json", {.mean = 50, .has_success = true})}});
  EXPECT_SHOWS(page, "hopper: solo returns ");
  EXPECT_SHOWS(page, "success");
  EXPECT_EQ(page.find("Compared with"), std::string::npos);
}

TEST_F(Reports, KeepEnvironmentsApart) {
  const std::string page = html({{write_sample("x/bc.json", {.mean = 50, .rng = 1})},
                                 {write_sample("y/bc.json", {.environment = "ant", .mean = 5})},
                                 {write_sample("x/darp.json", {.mean = 60, .rng = 2})}});
  EXPECT_SHOWS(page, "Report on hopper, ant");
  EXPECT_SHOWS(page, "hopper: darp is better than bc");
  EXPECT_SHOWS(page, "ant: bc returns");
}

TEST_F(Reports, CompareMethodsByTheirTrainings) {
  std::vector<Evaluation> a, b;
  for (uint64_t i = 0; i < 5; ++i) {
    a.push_back(sample_evaluation({.mean = 50 + static_cast<double>(i), .rng = i}));
    b.push_back(sample_evaluation({.mean = 80 + static_cast<double>(i), .rng = 10 + i}));
  }
  const std::string page = html({{write("a.json", a)}, {write("b.json", b)}});
  EXPECT_SHOWS(page, "b is better than a");
  EXPECT_SHOWS(page, "5 against 5 trainings");
  EXPECT_SHOWS(page, "Intervals over few trainings are too narrow");
  EXPECT_SHOWS(html({{folder_ / "a.json"}, {write("one.json", {b[0]})}}),
               "one is not compared with a: one is a single policy");
}

TEST_F(Reports, SayWhyEvaluationsAreNotCompared) {
  const std::string page = html({{write_sample("a.json", {.mean = 1})},
                                 {write_sample("b.json", {.mean = 2, .first_seed = 500})}});
  EXPECT_SHOWS(page, "b is not compared with a: ");
}

TEST_F(Reports, DrawLearningCurvesOfAllMembers) {
  const fs::path run = write_run(
      "run",
      R"({"member":0,"epoch":0,"train_loss":1,"seconds":2}
{"member":0,"epoch":1,"train_loss":null,"seconds":2}
{"member":0,"epoch":2,"train_loss":0.5,"seconds":2}
{"member":1,"epoch":0,"train_loss":3,"seconds":2}
{"member":1,"epo)",
      R"({"data":{"file":"d.hdf5","hash":"feed"},"seeds":[4],"version":"0.9","cpu":"Abacus","threads":3})");
  const ReportInputs inputs = read_report_inputs({{run}});
  ASSERT_EQ(inputs.runs.size(), 1u);
  ASSERT_EQ(inputs.runs[0].curves.size(), 2u);
  EXPECT_EQ(inputs.runs[0].curves[0].epoch, (std::vector<double>{0, 1, 2}));
  EXPECT_TRUE(std::isnan(inputs.runs[0].curves[0].train_loss[1]));
  EXPECT_EQ(inputs.runs[0].curves[1].train_loss, (std::vector<double>{3}));
  EXPECT_EQ(inputs.runs[0].seconds, 8);
  EXPECT_EQ(inputs.runs[0].changed, (std::vector<std::string>{"train.epochs=7"}));

  const std::string page = html({{run}});
  EXPECT_SHOWS(page, "training loss");
  EXPECT_EQ(page.find(">validation loss<"), std::string::npos);
  for (const char* part : {"d.hdf5", "feed", "Abacus", "train.epochs=7", "not finished"})
    EXPECT_SHOWS(page, part);
}

TEST_F(Reports, AreMadeOfARunThatJustBegan) {
  const std::string page = html({{write_run("run", "", "")}});
  EXPECT_SHOWS(page, "No epoch is finished yet");
  EXPECT_SHOWS(page, "Training runs: run");
}

TEST_F(Reports, EscapeHostileNames) {
  const std::string hostile = "</main><script>alert('1')</script>\x1b\xff";
  Evaluation evaluation = sample_evaluation({.environment = "a<b", .policy = "<i>'; rm"});
  const fs::path file = write("x.json", {evaluation});
  const fs::path run =
      write_run("run", "", R"({"data":{"file":"<u>"},"cpu":"<s>","version":[{}]})");
  const std::string page = make_report({.inputs = {{file, hostile}, {run, hostile + "2"}},
                                        .title = hostile,
                                        .command = hostile,
                                        .version = hostile})
                               .html;
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("<u>"), std::string::npos);
}

TEST_F(Reports, HaveTheSameBytesTwice) {
  const std::vector<InputPath> inputs = {
      {write_sample("a.json", {.mean = 50, .rng = 1})},
      {write_sample("b.json", {.mean = 60, .rng = 2})},
      {write_run("run", "{\"member\":0,\"epoch\":0,\"train_loss\":1}\n", "")}};
  EXPECT_EQ(html(inputs), html(inputs));
}

TEST_F(Reports, NameInputsByTheirFoldersWhereNamesAreTheSame) {
  const fs::path a = write_sample("a/eval.json", {}), b = write_sample("b/eval.json", {});
  const ReportInputs inputs = read_report_inputs({{a}, {b}});
  EXPECT_EQ(inputs.evaluations[0].label, "a/eval");
  EXPECT_EQ(inputs.evaluations[1].label, "b/eval");
  EXPECT_NE(inputs.evaluations[0].style, inputs.evaluations[1].style);
  EXPECT_SAYS(error_of([&] { read_report_inputs({{a}, {a}}); }), "--label");
  EXPECT_SAYS(error_of([&] { read_report_inputs({{a, "x"}, {b, "x"}}); }), "are called 'x'");
}

TEST_F(Reports, RefuseWhatIsNeitherRunNorEvaluation) {
  EXPECT_SAYS(error_of([] { make_report({}); }), "nothing to report on");
  EXPECT_SAYS(error_of([&] { make_report({.inputs = {{folder_ / "no"}}}); }), "does not exist");
  EXPECT_SAYS(error_of([&] { make_report({.inputs = {{folder_}}}); }), "it is no run");
  write_file(folder_ / "x.json", std::string_view("{}"));
  EXPECT_SAYS(error_of([&] { make_report({.inputs = {{folder_ / "x.json"}}}); }), "x.json");
  for (const std::string_view other : {"PK\x03\x04", "", " \n", "[1]"}) {
    write_file(folder_ / "x.json", other);
    EXPECT_SAYS(error_of([&] { make_report({.inputs = {{folder_ / "x.json"}}}); }),
                "is neither a study, a run nor an evaluation");
  }
  const auto damaged = [&](const std::string& metrics, const std::string& manifest) {
    return error_of([&] { make_report({.inputs = {{write_run("damaged", metrics, manifest)}}}); });
  };
  EXPECT_SAYS(damaged("{}\n", ""), "metrics.jsonl:1");
  EXPECT_SAYS(damaged("{\"member\":0}\n[]\n{\"member\":0}\n", ""), "metrics.jsonl:2");
  EXPECT_SAYS(damaged("{\"member\":1e99}\n", ""), "metrics.jsonl:1");
  EXPECT_SAYS(damaged("", "{"), "manifest.json");
  EXPECT_SAYS(damaged("", "[[[[[[[[1]]]]]]]]"), "manifest.json: is nested too deeply");
}

TEST_F(Reports, WarnOfLargePages) {
  std::string film(
      "\0\0\0\x20"
      "ftyp",
      8);
  film += "avc1" + std::string(size_t{16} << 20, 'x');
  write_file(folder_ / "film.mp4", film);
  const Report report = make_report(
      {.inputs = {{write_sample("a.json", {})}}, .videos = {{"film", folder_ / "film.mp4"}}});
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_SAYS(report.warnings[0], "the page has 21 MB");
}

TEST_F(Reports, ShowStudiesBeforeEverythingElse) {
  ExhibitSet set{"sweep", "Sweep <over> k", "More is better."};
  set.facts = {{"command", "darp study sweep"}};
  set.exhibits = {
      ExhibitBoxes{{"seeds", "Every training", "A note."}, "return", "", {{"bc", {1, 2}}}}};
  const fs::path study = folder_ / "study";
  write_study_report(study, set);
  const std::string page = html({{write_sample("a.json", {.mean = 50})}, {study}});
  EXPECT_LT(page.find("More is better."), page.find("hopper: a returns"));
  for (const char* part : {"<h1>Sweep &lt;over&gt; k</h1>", "<h2>Sweep", "Every training",
                           "A note.", "<code>darp study sweep</code>"})
    EXPECT_SHOWS(page, part);
  EXPECT_SHOWS(html({{study}, {study}}), "<h1>Report on sweep, sweep</h1>");
  const std::string alone = html({{study / "exhibits.json", "Our title"}});
  EXPECT_SHOWS(alone, "<h1>Our title</h1>");
  EXPECT_EQ(alone.find("<h2>Our title"), std::string::npos);
  fs::rename(study / "exhibits.json", study / "other.json");
  EXPECT_SHOWS(html({{study / "other.json"}}), "More is better.");
}

TEST_F(Reports, AreExhibitsToo) {
  const Report report = make_report(
      {.inputs = {{write_sample("bc.json", {.mean = 50})},
                  {write_sample("ant.json", {.environment = "ant", .has_success = true})},
                  {write_run("run", "{\"member\":0,\"epoch\":0,\"train_loss\":1}\n", "")}},
       .exhibits = true});
  const DrawnFiles files = draw_files(report.exhibits, "svg");
  std::vector<std::string> csv, svg;
  for (const DrawnFile& file : files.csv) csv.push_back(file.name);
  for (const DrawnFile& file : files.svg) svg.push_back(file.name);
  EXPECT_EQ(csv, (std::vector<std::string>{"returns-1.csv", "episodes-1.csv", "returns-2.csv",
                                           "episodes-2.csv", "training-loss.csv"}));
  EXPECT_EQ(svg,
            (std::vector<std::string>{"episodes-1.svg", "episodes-2.svg", "training-loss.svg"}));
  EXPECT_SHOWS(files.markdown, "| bc | 1 | 30 | ");
  EXPECT_SHOWS(files.markdown, "(svg/training-loss.svg)");
}

TEST(ShellWord, IsOneWordWhateverIsInIt) {
  EXPECT_EQ(shell_word("runs/a-0/policy.darp"), "runs/a-0/policy.darp");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("a'; rm -rf $HOME"), "'a'\\''; rm -rf $HOME'");
}

}  // namespace
}  // namespace darp
