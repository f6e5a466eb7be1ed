#include "darp/eval/text_report.h"

#include <gtest/gtest.h>

#include <sstream>

#include "darp/core/error.h"
#include "darp/core/rng.h"

namespace darp {
namespace {

Evaluation shown_evaluation(const std::string& policy, double shift, size_t episodes = 100) {
  Rng rng(3);
  Evaluation evaluation;
  evaluation.subject.environment = "hopper";
  evaluation.subject.policy = policy;
  evaluation.subject.seeds = {0, episodes - 1};
  for (size_t i = 0; i < episodes; ++i)
    evaluation.records.push_back({.seed = i,
                                  .episode_return = shift + 100 * rng.normal(),
                                  .length = 1000,
                                  .end = EpisodeEnd::kTruncated});
  return evaluation;
}

std::vector<std::string> report_lines(const std::string& text) {
  EXPECT_TRUE(text.ends_with('\n'));
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    EXPECT_FALSE(line.ends_with(' ')) << line;
    EXPECT_LE(line.size(), 110u) << line;
    lines.push_back(line);
  }
  return lines;
}

bool has_words(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos;
}

TEST(EvaluationTable, HasALineForEachPolicyAndOneOverAll) {
  std::vector<Evaluation> evaluations = {shown_evaluation("bc.darp", 2000),
                                         shown_evaluation("darp.darp", 2500)};
  const std::string text = evaluation_table(evaluations);
  const auto lines = report_lines(text);
  EXPECT_EQ(lines[0], "hopper, seeds 0..99 (report)");
  EXPECT_TRUE(lines[1].starts_with("policy "));
  EXPECT_TRUE(lines[2].starts_with("bc.darp "));
  EXPECT_TRUE(lines[3].starts_with("darp.darp "));
  EXPECT_TRUE(lines[4].starts_with("over 2 policies "));
  const ReturnSummary summary = summarize(evaluations[0]).returns;
  EXPECT_TRUE(
      has_words(lines[2], fmt::format("{:.1f} [{:.1f}, {:.1f}]", summary.mean,
                                      summary.mean_bootstrap.low, summary.mean_bootstrap.high)));
  EXPECT_TRUE(has_words(lines[2], fmt::format("{:.1f}", summary.median)));
  EXPECT_TRUE(has_words(text, "too narrow"));
}

TEST(EvaluationTable, AlignsItsColumns) {
  const auto lines = report_lines(evaluation_table(std::vector<Evaluation>{
      shown_evaluation("a", -5), shown_evaluation("b", 15000), shown_evaluation("c", 900)}));
  for (size_t i = 3; i <= 4; ++i) EXPECT_EQ(lines[i].size(), lines[1].size()) << lines[i];
  EXPECT_EQ(lines[2].find(']'), lines[5].find(']'));
}

TEST(EvaluationTable, LeavesOutColumnsThatNobodyHas) {
  std::vector<Evaluation> evaluations = {shown_evaluation("a", 5, 10)};
  std::string text = evaluation_table(evaluations);
  for (const char* words : {"success", "score", "ishaps", "over"})
    EXPECT_FALSE(has_words(text, words));
  evaluations[0].has_success = true;
  evaluations[0].scale = ScoreScale{.random = 0, .expert = 10};
  for (size_t i = 0; i < 8; ++i) evaluations[0].records[i].success = true;
  text = evaluation_table(evaluations);
  report_lines(text);
  EXPECT_TRUE(has_words(text, "success [95 %]"));
  EXPECT_TRUE(has_words(text, "80 % [49, 94]"));
  EXPECT_TRUE(has_words(text, "score"));
}

TEST(EvaluationTable, NamesMishaps) {
  std::vector<Evaluation> evaluations = {shown_evaluation("a", 5), shown_evaluation("b", 5)};
  evaluations[1].records[3].end = evaluations[1].records[4].end = EpisodeEnd::kUnstable;
  evaluations[1].records[5].end = EpisodeEnd::kPolicyFailed;
  const std::string text = evaluation_table(evaluations);
  EXPECT_TRUE(
      has_words(text, "Mishaps of b: 3 of 100 episodes (2 unstable simulation, 1 policy failed)"));
  EXPECT_FALSE(has_words(text, "Mishaps of a"));
}

TEST(EvaluationTable, ShortensNamesFromTheFrontAndMakesThemSafe) {
  const std::string text = evaluation_table(std::vector<Evaluation>{
      shown_evaluation("/a/very/long/path/that/nobody/wants/to/see/r\xC3\xBCn_7/policy.darp", 1)});
  EXPECT_TRUE(has_words(text, "...")) << text;
  EXPECT_TRUE(has_words(text, "to/see/r\xC3\xBCn_7 "));
  EXPECT_FALSE(has_words(text, "nobody"));
  const std::string hostile =
      evaluation_table(std::vector<Evaluation>{shown_evaluation("\x1b[31m\n", 1)});
  EXPECT_FALSE(has_words(hostile, "\x1b"));
}

TEST(EvaluationTable, ShowsNumbersOfAnySize) {
  for (const double size : {0.0, 1e-9, 0.5, 1e5, 1e20}) {
    Evaluation evaluation = shown_evaluation("a", 0, 4);
    for (EpisodeRecord& record : evaluation.records)
      record.episode_return = size * (1 + 0.1 * static_cast<double>(record.seed));
    report_lines(evaluation_table(std::vector<Evaluation>{evaluation}));
  }
}

TEST(EvaluationTable, RefusesEvaluationsThatDoNotBelongTogether) {
  EXPECT_THROW(evaluation_table(std::vector<Evaluation>{shown_evaluation("a", 1, 10),
                                                        shown_evaluation("b", 1, 11)}),
               Error);
}

TEST(ComparisonText, SaysWhoIsBetter) {
  const Evaluation a = shown_evaluation("a", 2000), b = shown_evaluation("b", 2100);
  const std::string better = comparison_text(compare(a, b), "bc.darp", "darp.darp");
  report_lines(better);
  EXPECT_TRUE(has_words(better, "(bc.darp)"));
  EXPECT_TRUE(
      has_words(better, "B - A       +100.0 [+100.0, +100.0] (95 %, 100 pairs of episodes)"));
  EXPECT_TRUE(has_words(better, "verdict     B is better than A (p = 1e-05)")) << better;
  EXPECT_TRUE(has_words(comparison_text(compare(b, a), "a", "b"), "B is worse than A"));
}

TEST(ComparisonText, SaysHowFarItIsFromDeciding) {
  Comparison comparison;
  comparison.count_a = comparison.count_b = 50;
  comparison.mean_a = 20;
  comparison.mean_b = 30;
  comparison.difference = 10;
  comparison.interval = {-5, 25};
  comparison.p_value = 0.21;
  comparison.smallest_p_value = 1e-5;
  const std::string text = comparison_text(comparison, "a", "b");
  report_lines(text);
  EXPECT_TRUE(
      has_words(text, "undecided (p = 0.21): the difference may be anything from -5.00 to +25.00"));
  EXPECT_TRUE(has_words(text, "four times as many episodes"));
  const Evaluation same = shown_evaluation("a", 5);
  EXPECT_TRUE(has_words(comparison_text(compare(same, same), "a", "a"), "there is no difference"));
}

TEST(ComparisonText, SaysWhenThereAreTooFewToEverDecide) {
  const std::vector<Evaluation> a(3, shown_evaluation("a", 0)), b(3, shown_evaluation("b", 900));
  const std::string methods = comparison_text(compare_methods(a, b), "bc", "darp");
  report_lines(methods);
  EXPECT_TRUE(has_words(methods, "undecided: 3 and 3 policies cannot give a p-value below 0.1"))
      << methods;
  EXPECT_FALSE(has_words(methods, "of these two policies"));
  const std::string pairs = comparison_text(
      compare(shown_evaluation("a", 0, 4), shown_evaluation("b", 900, 4)), "a", "b");
  EXPECT_TRUE(has_words(pairs, "4 pairs cannot give a p-value below 0.125")) << pairs;
}

TEST(ComparisonText, ShowsSuccessesWhereThereAreAny) {
  Evaluation a = shown_evaluation("a", 0), b = a;
  EXPECT_FALSE(has_words(comparison_text(compare(a, b), "a", "b"), "successes"));
  a.has_success = b.has_success = true;
  a.records[0].success = b.records[1].success = b.records[2].success = true;
  EXPECT_TRUE(has_words(comparison_text(compare(a, b), "a", "b"),
                        "successes   both 0, only A 1, only B 2, neither 97, p = 1 (McNemar)"));
}

}  // namespace
}  // namespace darp
