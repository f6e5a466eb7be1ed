#include <gtest/gtest.h>

#include <cmath>

#include "darp/core/file.h"
#include "darp/core/silent_progress.h"
#include "darp/exhibit/exhibit_file.h"
#include "darp/study/table/table_exhibits.h"
#include "tests/error_of.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

/// An evaluation with these returns on seeds 0, 1, ...; 1 and more count as successes.
Evaluation evaluation_with(std::vector<double> returns) {
  Evaluation evaluation;
  evaluation.subject.environment = "maze_long";
  evaluation.subject.seeds = {0, returns.size() - 1};
  evaluation.has_success = true;
  for (size_t i = 0; i < returns.size(); ++i)
    evaluation.records.push_back({.seed = i,
                                  .episode_return = returns[i],
                                  .length = 1,
                                  .success = returns[i] >= 1,
                                  .end = EpisodeEnd::kTruncated});
  return evaluation;
}

TableResult result_with(const std::string& protocol, const std::string& method,
                        const std::vector<double>& means) {
  TableResult result{.protocol = protocol, .task = "maze_long", .method = method};
  for (const double one : means) result.evaluations.push_back(evaluation_with({one, one, one}));
  result.trainings = std::ssize(means);
  return result;
}

StudySpec small_spec() {
  StudySpec spec;
  spec.name = "small";
  spec.tasks = {"maze_long"};
  spec.methods = {"bc", "darp"};
  spec.protocols = {"published", "searched"};
  spec.baseline = "bc";
  spec.seeds = 5;
  spec.paper = {"bc maze_long 20", "darp maze_long 3000 40"};
  return spec;
}

/// Darp is clearly better; its search promised more than it kept.
std::vector<TableResult> small_results() {
  std::vector<TableResult> results = {
      result_with("published", "bc", {10, 30, 20, 25, 15}),
      result_with("published", "darp", {1000, 1300, 1100, 1200, 1400}),
      result_with("searched", "bc", {40}), result_with("searched", "darp", {1500})};
  for (size_t i : {2u, 3u}) results[i].chosen = true;
  results[2].search_score = 60;
  results[3].search_score = 2000;
  results[3].settings = {"policy.retrieval.k=7"};
  return results;
}

TEST(TableStudy, ShowsMediansWithRangesBesideThePaper) {
  const std::vector<ExhibitTable> tables = main_tables(small_spec(), small_results());
  ASSERT_EQ(tables.size(), 1u);
  const ExhibitTable& table = tables.front();
  ASSERT_EQ(table.columns.size(), 4u);
  EXPECT_EQ(table.columns[1].title, "paper");
  EXPECT_EQ(table.rows[0][2].text, "20 [10 .. 30]");
  EXPECT_EQ(table.rows[1][1].text, "3,000 ± 40");
  EXPECT_EQ(table.rows[1][2].text, "1,200 [1,000 .. 1,400]");
  EXPECT_EQ(table.rows[1][2].value, 1200);
  EXPECT_EQ(table.rows[1][3].text, "1,500 [1,500 .. 1,500]");
  for (size_t column : {1u, 2u, 3u}) {
    EXPECT_FALSE(table.rows[0][column].best);
    EXPECT_TRUE(table.rows[1][column].best);
  }
}

TEST(TableStudy, SaysWhatItsIntervalsAreOver) {
  StudySpec spec = small_spec();
  EXPECT_SAYS(main_tables(spec, small_results()).front().note, "the median of 5 trainings");
  spec.seeds = 1;
  EXPECT_SAYS(main_tables(spec, small_results()).front().note, "one training, with its 95 %");
}

TEST(TableStudy, ShowsADashWhereAProtocolHasNothing) {
  std::vector<TableResult> results = small_results();
  results[0].evaluations.clear();
  EXPECT_EQ(main_tables(small_spec(), results).front().rows[0][2].text, "-");
  EXPECT_EQ(details_table(small_spec(), results, "published").rows.size(), 1u);
  EXPECT_EQ(table_comparisons(small_spec(), results).size(), 1u);
}

TEST(TableStudy, ShowsSuccessesInPercentWhereTheStudyAsks) {
  StudySpec spec = small_spec();
  spec.score = StudySpec::Score::kSuccess;
  std::vector<TableResult> results = small_results();
  results[0].evaluations = {evaluation_with({0, 1, 0, 1}), evaluation_with({0, 0, 0, 1})};
  const ExhibitTable table = main_tables(spec, results).front();
  EXPECT_EQ(table.rows[0][2].text, "37.5 [25.0 .. 50.0]");
  EXPECT_EQ(table.rows[1][2].value, 100);
}

TEST(TableStudy, CutsWideTablesIntoOneForEachTask) {
  StudySpec spec = small_spec();
  spec.tasks = {"maze_long", "hopper", "ant", "walker2d"};
  const std::vector<ExhibitTable> tables = main_tables(spec, small_results());
  ASSERT_EQ(tables.size(), 4u);
  EXPECT_EQ(tables[1].name, "main-hopper");
}

TEST(TableStudy, FourTasksFitOnAPageWithoutThePaperAndNotWithIt) {
  StudySpec spec = small_spec();
  spec.tasks = {"maze_long", "hopper", "ant", "walker2d"};
  spec.protocols = {"published"};
  ASSERT_FALSE(spec.paper.empty());
  EXPECT_EQ(main_tables(spec, small_results()).size(), 4u);  // 9 columns
  spec.paper.clear();
  EXPECT_EQ(main_tables(spec, small_results()).size(), 1u);  // 5
}

TEST(TableStudy, ComparesTrainingsWithTrainingsAndChosenNetworksByStarts) {
  const auto comparisons = table_comparisons(small_spec(), small_results());
  ASSERT_EQ(comparisons.size(), 2u);
  EXPECT_EQ(comparisons[0].comparison.verdict, Verdict::kBetter);
  EXPECT_EQ(comparisons[0].comparison.difference, 1180);
  EXPECT_EQ(comparisons[0].units, "5 with 5 trainings");
  EXPECT_EQ(comparisons[1].units, "these networks, 3 starts");
  const ExhibitTable table = comparison_table(small_spec(), comparisons);
  EXPECT_EQ(table.rows[0][3].text, "+1,180");
  EXPECT_EQ(table.rows[0][6].text, "better");
  EXPECT_EQ(table.rows[1][6].text, "undecided (too few to tell)");
}

TEST(TableStudy, ComparesWhatDoesNotLearnWithEveryTraining) {
  std::vector<TableResult> results = small_results();
  results[1].evaluations = {evaluation_with({50, 50, 50})};
  const auto comparisons = table_comparisons(small_spec(), results);
  EXPECT_EQ(comparisons[0].units, "1 with 5 trainings");
  EXPECT_EQ(comparisons[0].comparison.difference, 30);
  EXPECT_EQ(comparisons[0].comparison.p_value, 2.0 / 32);
}

TEST(TableStudy, SaysWhatTheBestWouldHavePromised) {
  const ExhibitTable table = optimism_table(small_spec(), small_results());
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.rows[0][6].value, 10);   // 30 and 20
  EXPECT_EQ(table.rows[1][6].value, 200);  // 1400 and 1200
  EXPECT_EQ(table.rows[3][6].value, 500);  // 2000 on search seeds, 1500 on report seeds
  EXPECT_EQ(chosen_table(small_results()).rows.size(), 1u);
}

TEST(TableStudy, PutsTheImprovementBesideThePapers) {
  StudySpec spec = small_spec();
  spec.score = StudySpec::Score::kImprovement;
  const ExhibitTable table = improvement_table(spec, table_comparisons(spec, small_results()));
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0][2].text, "+3000.0 %");
  EXPECT_EQ(table.rows[0][3].value, 100 * 1180.0 / 20);
  // The paper's percentages stand in no column of returns.
  EXPECT_EQ(main_tables(spec, small_results()).front().columns.size(), 3u);
}

TEST(TableStudy, SumsUpInSentences) {
  const std::string text = table_summary(small_spec(), small_results(),
                                         table_comparisons(small_spec(), small_results()));
  EXPECT_SAYS(text, "darp: better than bc on 1 of 1 task, worse on 0.");
  EXPECT_SAYS(text,
              "Of 2 cells with a number of the paper, it is above all of our trainings in 1, "
              "within their range in 1 and below all in 0.");
  EXPECT_SAYS(text, "The best training is 33 % above the median one");
  EXPECT_SAYS(text, "chosen networks have 71 % of their score on search seeds");
}

TEST(StudySpec, ReadsMethodsAndNumbersOfThePaper) {
  EXPECT_EQ(parse_method("darp").config, "darp");
  const StudyMethod variant = parse_method("cosine = darp policy.members=2 train.epochs=1");
  EXPECT_EQ(variant.label, "cosine");
  EXPECT_EQ(variant.config, "darp");
  EXPECT_EQ(variant.set, (std::vector<std::string>{"policy.members=2", "train.epochs=1"}));
  for (const char* wrong : {"", "a b", "a =", "../a", "A", "a = ../b"})
    EXPECT_SAYS(error_of([&] { parse_method(wrong); }), "is no method");
  EXPECT_TRUE(std::isnan(parse_paper_number("bc hopper 7").half_width));
  EXPECT_EQ(parse_paper_number("bc hopper -7.5 2").value, -7.5);
  for (const char* wrong : {"", "bc hopper", "bc hopper x", "bc hopper 1 2 3", "bc hopper nan"})
    EXPECT_NE(error_of([&] { parse_paper_number(wrong); }), "no error");
}

/// The tree's own studies.
const StudyPlaces& tree() {
  static const StudyPlaces places{fs::path(DARP_SOURCE_DIR) / "studies", DARP_SOURCE_DIR, {}};
  return places;
}

TEST(Studies, OfTheTreeSayWhatTheyMean) {
  const std::vector<StudySpec> specs = list_studies(tree());
  EXPECT_GE(specs.size(), 8u);
  for (const StudySpec& spec : specs) {
    SCOPED_TRACE(spec.name);
    EXPECT_FALSE(spec.title.empty());
    EXPECT_FALSE(spec.about.empty());
    EXPECT_FALSE(spec.quick.empty());
    check_declaration(spec);
    check_table(spec, tree());
    std::vector<std::string> labels;
    for (const std::string& method : spec.methods) labels.push_back(parse_method(method).label);
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const std::string& line : spec.paper) {
      if (spec.kind == StudySpec::Kind::kRuntime) break;  // its lines mean something else
      const PaperNumber number = parse_paper_number(line);
      EXPECT_TRUE(has(labels, number.method) && has(spec.tasks, number.task)) << line;
    }
    // Recipes are no task's own.
    const bool by_task = spec.protocols != std::vector<std::string>{"recipe"};
    for (const std::string& task : spec.tasks)
      for (const std::string& method : by_task ? spec.methods : std::vector<std::string>())
        method_config(spec, find_task(task, tree()), method, 0, tree());
    EXPECT_GT(planned_runs(spec, tree()), 0);
  }
}

TEST(Studies, NameTheNearestOfWhatIsNotThere) {
  EXPECT_SAYS(error_of([] { find_study("mujoco-tabel", tree()); }), "did you mean 'mujoco-table'");
  EXPECT_SAYS(error_of([] { find_task("hoper", tree()); }), "did you mean 'hopper'");
  const StudySpec spec = find_study("mujoco-table", tree());
  EXPECT_SAYS(error_of([&] { method_config(spec, find_task("ant", tree()), "drap", 0, tree()); }),
              "did you mean 'darp'");
  StudyPlaces elsewhere = tree();
  elsewhere.demos = test_folder();
  EXPECT_SAYS(error_of([&] { demonstrations_of(find_task("ant", elsewhere), elsewhere); }),
              "check --demos");
  StudySpec odd = spec;
  odd.protocols = {"serched"};
  EXPECT_SAYS(error_of([&] { check_table(odd, tree()); }), "did you mean 'searched'");
  odd = spec;
  odd.spaces = "space";
  EXPECT_SAYS(error_of([&] { check_table(odd, tree()); }), "no folder 'space'");
  odd = spec;
  odd.score = StudySpec::Score::kSuccess;
  EXPECT_SAYS(error_of([&] { check_table(odd, tree()); }), "hopper has no successes to show");
}

TEST(Studies, ThatNoRunCouldMakeSenseOfAreRefusedBeforeAny) {
  const StudySpec good = find_study("mujoco-table", tree());
  const auto refusal = [&](auto change) {
    StudySpec spec = good;
    change(spec);
    return error_of([&] { check_declaration(spec); });
  };
  EXPECT_EQ(refusal([](StudySpec&) {}), "no error");
  EXPECT_SAYS(refusal([](StudySpec& s) { s.tasks = {"ant", "ant"}; }), "has 'ant' twice");
  EXPECT_SAYS(refusal([](StudySpec& s) { s.methods = {"bc", "bc = darp"}; }), "has 'bc' twice");
  EXPECT_SAYS(refusal([](StudySpec& s) { s.protocols = {"recipe", "recipe"}; }), "twice");
  EXPECT_SAYS(refusal([](StudySpec& s) { s.tasks = {}; }), "nothing to run");
  EXPECT_SAYS(refusal([](StudySpec& s) { s.baseline = "drap"; }), "did you mean 'darp'");
  EXPECT_SAYS(refusal([](StudySpec& s) { s.paper = {"bc hopper"}; }), "has 2 words");
  EXPECT_SAYS(refusal([](StudySpec& s) { s.rollouts.components = {}; }), "is empty");
  EXPECT_SAYS(refusal([](StudySpec& s) { s.rollouts.fails_below = 0.9; }), "also succeed");
  EXPECT_SAYS(refusal([](StudySpec& s) {
                s.score = StudySpec::Score::kImprovement;
                s.baseline = "";
              }),
              "no baseline");
}

TEST(Studies, ApplySettingsWhereTheyBelong) {
  StudySpec spec;
  spec.set = {"?policy.network.hidden=[3]", "env.time_limit=9", "?train.epochs=2"};
  const TaskSpec task = find_task("hopper", tree());
  EXPECT_EQ(method_config(spec, task, "bc", 4, tree()).train.seed, 4);
  EXPECT_EQ(method_config(spec, task, "bc", 4, tree()).train.epochs, 2);
  method_config(spec, task, "rnp", 0, tree());  // has no network, and nobody minds
  EXPECT_EQ(environment_settings(spec, task).time_limit, 9);
  EXPECT_EQ(report_evaluation(spec, task).settings.time_limit, 9);
  spec.set = {"policy.network.hidden=[3]"};
  EXPECT_SAYS(error_of([&] { method_config(spec, task, "rnp", 0, tree()); }), "network");
  const TrainConfig cosine =
      method_config({}, task, "darp_cosine = darp policy.retrieval.metric.kind=cosine", 0, tree());
  EXPECT_TRUE(cosine.policy.retrieval()->metric.kind == MetricSettings::Kind::kCosine);
}

TEST(Studies, RefuseTheFolderOfAnother) {
  StudyOptions options;
  options.out = test_folder();
  options.progress = silent_progress();
  write_file(options.out / "study.yaml", std::string_view("name: other\n"));
  const StudySpec spec = find_study("mujoco-table", tree());
  EXPECT_SAYS(error_of([&] { do_study(spec, {tree(), options}); }), "holds the study 'other'");
  StudySpec odd = spec;
  odd.set = {"?policy.netwrok.hidden=[3]"};
  EXPECT_SAYS(error_of([&] { do_study(odd, {tree(), options}); }), "no method has the setting");
}

}  // namespace
}  // namespace darp
