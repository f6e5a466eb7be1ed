#include <gtest/gtest.h>

#include "darp/study/sweep_exhibits.h"
#include "darp/study/sweep_plan.h"
#include "tests/error_of.h"
#include "tests/random_dataset.h"

namespace darp {
namespace {

/// bc has no neighbours, darp has five of six candidates.
TrainConfig small_config(const std::string& method, int64_t seed) {
  TrainConfig config;
  config.train.seed = seed;
  if (method == "bc") {
    config.policy.kind = BcSpec{{{8}}};
    return config;
  }
  DarpSpec darp;
  darp.retrieval.k = 6;
  darp.retrieval.scope = RetrievalSettings::Scope::kCandidates;
  darp.retrieval.ratio = 0.9;
  config.policy.kind = darp;
  return config;
}

class Sweeps : public ::testing::Test {
 protected:
  SweepPlan plan(std::vector<std::string> sweeps, int64_t seeds = 2,
                 const std::string& protocol = "published") const {
    StudySpec spec;
    spec.name = "sweeps";
    spec.protocols = {protocol};
    spec.methods = {"bc", "darp"};
    spec.seeds = seeds;
    spec.sweeps = std::move(sweeps);
    SweepPlan out;
    StudyEvaluation evaluation;
    evaluation.environment = "dummy";
    evaluation.settings.push.body = "puck";
    add_task_sweeps(spec, {"puck", small_config, evaluation, data_}, out);
    return out;
  }

  const Dataset data_ = random_dataset(1, {.episodes = 4, .longest = 30});
};

std::vector<std::string> ids_of(const SweepPlan& plan) {
  std::vector<std::string> ids;
  for (const StudyRun& run : plan.runs) ids.push_back(run.id);
  return ids;
}

TEST_F(Sweeps, AreReadFromLines) {
  const Sweep k = parse_sweep("policy.retrieval.k: 10  30 100");
  EXPECT_EQ(k.setting, "policy.retrieval.k");
  EXPECT_FALSE(k.of_environment);
  EXPECT_EQ(k.values, (std::vector<std::string>{"10", "30", "100"}));
  EXPECT_EQ(k.slug(), "retrieval-k");
  const Sweep force = parse_sweep("env.push.force: [0,0,0] [-5,0,0]");
  EXPECT_TRUE(force.of_environment);
  EXPECT_EQ(force.setting, "push.force");
  EXPECT_EQ(force.title(), "env.push.force");
  EXPECT_EQ(force.slug(), "env-push-force");
  for (const char* wrong : {"", "policy.retrieval.k 1 2", "k:", "k: 1", ": 1 2", "a b: 1 2",
                            "env.: 1 2", "k: 1 1", "k: [1] 1"})
    EXPECT_SAYS(error_of([&] { parse_sweep(wrong); }), "write a setting and its values");
}

TEST_F(Sweeps, ValuesHaveAPlaceOnAnAxis) {
  EXPECT_EQ(axis_place("0.5"), 0.5);
  EXPECT_EQ(axis_place("-3"), -3);
  EXPECT_EQ(axis_place("[0,0,0]"), 0);
  EXPECT_EQ(axis_place("[-80,0,0]"), -80);
  EXPECT_EQ(axis_place("[30,-40,0]"), 50);
  EXPECT_EQ(axis_place("cosine"), std::nullopt);
  EXPECT_EQ(axis_place("[1,x]"), std::nullopt);
  EXPECT_EQ(axis_place("1e999"), std::nullopt);
  EXPECT_NE(value_slug("-5"), value_slug("5"));
  EXPECT_EQ(value_slug("[-5,0.5,0]"), "m5_0p5_0");
}

TEST_F(Sweeps, TrainOncePerValueAndWhereNothingVariesOnce) {
  const SweepPlan out =
      plan({"policy.retrieval.k: 3 6", "policy.retrieval.history.lookback: 2 10"});
  // k = 6 and lookback 10 are what the config has: both are the run that is there.
  EXPECT_EQ(ids_of(out), (std::vector<std::string>{
                             "puck/bc/published/seed-0", "puck/bc/published/seed-1",
                             "puck/darp/retrieval-k-3/seed-0", "puck/darp/retrieval-k-3/seed-1",
                             "puck/darp/published/seed-0", "puck/darp/published/seed-1",
                             "puck/darp/retrieval-history-lookback-2/seed-0",
                             "puck/darp/retrieval-history-lookback-2/seed-1"}));
  ASSERT_EQ(out.sweeps.size(), 2u);
  const auto& lines = out.sweeps[0].lines;
  EXPECT_FALSE(lines[0].varies);
  EXPECT_EQ(lines[0].points.size(), 1u);
  EXPECT_TRUE(lines[1].varies);
  EXPECT_EQ(lines[1].points[0].neighbors, 2);
  EXPECT_EQ(lines[1].points[1].neighbors, 5);
  EXPECT_EQ(out.sweeps[1].lines[1].points[1].runs, lines[1].points[1].runs);
  EXPECT_EQ(out.runs[3].config.policy.retrieval()->k, 3);
  EXPECT_EQ(out.runs[3].config.train.seed, 1);
  for (const StudyRun& run : out.runs) EXPECT_EQ(run.evaluations.size(), 1u);
}

TEST_F(Sweeps, OfTheEnvironmentEvaluateTheSamePolicies) {
  const SweepPlan out =
      plan({"env.observation_noise: 0 0.1", "env.push.force: [1,0,0] [2,0,0]"}, 1);
  EXPECT_EQ(ids_of(out),
            (std::vector<std::string>{"puck/bc/published/seed-0", "puck/darp/published/seed-0"}));
  const auto& evaluations = out.runs[1].evaluations;
  ASSERT_EQ(evaluations.size(), 4u);
  EXPECT_EQ(evaluations[1].name, "env-observation_noise-0p1");
  EXPECT_EQ(evaluations[1].settings.observation_noise, 0.1);
  EXPECT_EQ(evaluations[3].name, "env-push-force-2_0_0");
  EXPECT_EQ(evaluations[3].settings.push.force, (std::vector<double>{2, 0, 0}));
  EXPECT_EQ(evaluations[3].settings.push.body, "puck");
  EXPECT_EQ(evaluations[3].settings.observation_noise, 0);
}

TEST_F(Sweeps, OfTheRecipeHaveRunsOfTheirOwn) {
  EXPECT_EQ(ids_of(plan({"env.observation_noise: 0 0.1"}, 1, "recipe")),
            (std::vector<std::string>{"puck/bc/recipe/seed-0", "puck/darp/recipe/seed-0"}));
}

TEST_F(Sweeps, WhatCannotBeTrainedIsRefusedBeforeTheFirstTraining) {
  const std::string above = std::to_string(data_.steps() + 1);
  EXPECT_SAYS(error_of([&] { plan({"policy.retrieval.k: 3 " + above}); }), "rows are usable");
  EXPECT_SAYS(error_of([&] { plan({"policy.retrieval.k: 3 few"}); }), "sweeps");
  EXPECT_SAYS(error_of([&] { plan({"policy.retrieval.kk: 3 4"}); }), "retrieval");
  EXPECT_SAYS(error_of([&] { plan({"env.observation_noize: 0 1"}); }), "observation_noise");
  EXPECT_SAYS(error_of([&] { plan({"env.action_noise: 0 1", "env.action_noise: 2 3"}); }), "twice");
  EXPECT_SAYS(error_of([&] { plan({}); }), "no sweeps");
}

/// Returns of a policy that gets `mean` and a little luck from every start.
Evaluation evaluation_of(double mean, uint64_t seed) {
  Evaluation e;
  e.subject.environment = "dummy";
  e.subject.seeds = {0, 9};
  Rng luck(seed);
  for (uint64_t i = 0; i < 10; ++i)
    e.records.push_back({.seed = i,
                         .episode_return = mean + static_cast<double>(i) + 0.1 * luck.normal(),
                         .length = 5,
                         .end = EpisodeEnd::kTruncated});
  return e;
}

/// Every run gets the mean that `mean_of` says.
template <class MeanOf>
std::vector<StudyRunResult> results_of(const SweepPlan& plan, MeanOf mean_of) {
  std::vector<StudyRunResult> results;
  for (const StudyRun& run : plan.runs) {
    StudyRunResult& result = results.emplace_back();
    result.id = run.id;
    for (const StudyEvaluation& e : run.evaluations)
      result.evaluations[e.name] = evaluation_of(mean_of(run, e), results.size());
  }
  return results;
}

TEST_F(Sweeps, ShowCurvesWithTheBaselineAsALevelLine) {
  const SweepPlan out = plan({"policy.retrieval.k: 6 3"}, 3);
  const auto results = results_of(out, [](const StudyRun& run, const StudyEvaluation&) {
    const RetrievalSettings* r = run.config.policy.retrieval();
    return (r ? 100.0 * static_cast<double>(r->k) : 250.0) +
           static_cast<double>(run.config.train.seed);
  });
  const SweepFindings found = sweep_findings(out.sweeps[0], results, "bc");
  ASSERT_EQ(found.exhibits.size(), 2u);
  const auto& curves = std::get<ExhibitCurves>(found.exhibits[0]);
  ASSERT_EQ(curves.series.size(), 2u);
  EXPECT_EQ(curves.series[0].x, (std::vector<double>{3, 6}));
  EXPECT_EQ(curves.series[0].y[0], curves.series[0].y[1]);
  EXPECT_EQ(curves.series[1].x, (std::vector<double>{3, 6}));
  EXPECT_NEAR(curves.series[1].y[0], 305.5, 0.2);
  EXPECT_NEAR(curves.series[1].y[1], 605.5, 0.2);
  EXPECT_GT(curves.series[1].band[0].high, curves.series[1].band[0].low);
  EXPECT_FALSE(curves.x.logarithmic);

  const auto& table = std::get<ExhibitTable>(found.exhibits[1]);
  ASSERT_EQ(table.rows.size(), 3u);
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
  EXPECT_TRUE(table.rows[1][4].best);
  EXPECT_FALSE(table.rows[2][4].best);
  EXPECT_NEAR(*table.rows[2][9].value, 50, 0.2);
  EXPECT_EQ(table.rows[0][9].text, "");
  EXPECT_SAYS(found.summary, "darp is best at 6");
}

TEST_F(Sweeps, OfWordsAreShownAsATableAlone) {
  const SweepPlan out = plan({"policy.retrieval.pick: nearest random"}, 1);
  const auto results = results_of(out, [](const StudyRun&, const StudyEvaluation&) { return 1.0; });
  const SweepFindings found = sweep_findings(out.sweeps[0], results, "");
  ASSERT_EQ(found.exhibits.size(), 1u);
  EXPECT_EQ(std::get<ExhibitTable>(found.exhibits[0]).columns.size(), 8u);
}

TEST_F(Sweeps, OfTheEnvironmentCompareMethodsAtTheSameValue) {
  const SweepPlan out = plan({"env.observation_noise: 0 0.5"}, 4);
  const auto results = results_of(out, [](const StudyRun& run, const StudyEvaluation& e) {
    const bool darp = run.config.policy.retrieval() != nullptr;
    return 100 - (darp ? 20 : 80) * e.settings.observation_noise;
  });
  const SweepFindings found = sweep_findings(out.sweeps[0], results, "bc");
  const auto& rows = std::get<ExhibitTable>(found.exhibits[1]).rows;
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_TRUE(rows[3][3].best);
  EXPECT_FALSE(rows[1][3].best);
  EXPECT_NEAR(*rows[2][8].value, 0, 0.2);
  EXPECT_NEAR(*rows[3][8].value, 30, 0.2);
  EXPECT_LT(*rows[3][10].value, 0.05);  // starts
  EXPECT_LT(*rows[3][11].value, 0.05);  // trainings
}

TEST_F(Sweeps, DifferencesArePairedByStart) {
  // Starts differ by ten, luck by a tenth: paired, the interval knows only of luck.
  const std::vector<Evaluation> a = {evaluation_of(0, 1)}, b = {evaluation_of(1, 2)};
  const SweepDifference d = sweep_difference(a, b);
  EXPECT_TRUE(d.interval.contains(d.difference));
  EXPECT_LT(d.interval.high - d.interval.low, 0.5);
  EXPECT_EQ(d.p_trainings, std::nullopt);
  const SweepScore score = sweep_score(a);
  EXPECT_EQ(score.trainings, 1);
  EXPECT_GT(score.interval.high - score.interval.low, 2);
}

}  // namespace
}  // namespace darp
