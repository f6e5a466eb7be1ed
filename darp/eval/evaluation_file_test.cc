#include "darp/eval/evaluation_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "darp/core/error.h"
#include "darp/core/file.h"
#include "darp/core/rng.h"
#include "tests/error_of.h"

namespace darp {
namespace {

using nlohmann::ordered_json;

Evaluation sample_evaluation(size_t episodes = 3, uint64_t seed = 1) {
  Rng rng(seed);
  Evaluation evaluation;
  evaluation.subject = {.environment = "push_t",
                        .environment_settings = "time_limit: 300\n# \"quoted\" and \\ ü\n",
                        .policy = "runs/a/policy.darp",
                        .policy_hash = "00112233445566778899aabbccddeeff",
                        .executor = "runtime fp32",
                        .purpose = SeedPurpose::kReport,
                        .seeds = {5, 4 + episodes}};
  evaluation.has_success = true;
  evaluation.scale = ScoreScale{.random = -20.272305, .expert = 3234.3};
  for (size_t i = 0; i < episodes; ++i)
    evaluation.records.push_back(
        {.seed = 5 + i,
         .episode_return = rng.normal() * std::exp(10 * rng.normal()),
         .length = static_cast<int64_t>(rng.below(1000)),
         .success = rng.below(2) == 1,
         .end = static_cast<EpisodeEnd>(1 + rng.below(kEpisodeEnds - 1)),
         .worst_novelty = rng.below(3) == 0 ? -1 : static_cast<float>(rng.uniform(0, 2)),
         .seconds = rng.below(3) == 0 ? -1 : rng.uniform()});
  evaluation.wall_seconds = 1.0 / 3;
  evaluation.wall_steps = 12345;
  evaluation.threads = 8;
  return evaluation;
}

void expect_same(const Evaluation& a, const Evaluation& b) {
  EXPECT_EQ(a.subject, b.subject);
  EXPECT_EQ(a.has_success, b.has_success);
  EXPECT_EQ(a.records, b.records);
  ASSERT_EQ(a.scale.has_value(), b.scale.has_value());
  if (a.scale) {
    EXPECT_EQ(a.scale->random, b.scale->random);
    EXPECT_EQ(a.scale->expert, b.scale->expert);
  }
  EXPECT_EQ(a.wall_seconds, b.wall_seconds);
  EXPECT_EQ(a.wall_steps, b.wall_steps);
  EXPECT_EQ(a.threads, b.threads);
}

ordered_json sample_json() {
  return ordered_json::parse(evaluations_json(std::array{sample_evaluation()}));
}

/// What parsing the changed object says; empty if nothing.
std::string complaint(const ordered_json& object) {
  try {
    parse_evaluations(object.dump(), "x.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(EvaluationFile, KeepsEveryBitInARoundTrip) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const Evaluation evaluation = sample_evaluation(1 + 17 * seed, seed);
    const std::string text = evaluations_json(std::array{evaluation});
    const std::vector<Evaluation> read = parse_evaluations(text, "x.json");
    ASSERT_EQ(read.size(), 1u);
    expect_same(read[0], evaluation);
    EXPECT_EQ(evaluations_json(read), text);
  }
}

TEST(EvaluationFile, KeepsSeveralPoliciesAndSumsThemUp) {
  const std::vector<Evaluation> several = {sample_evaluation(4, 1), sample_evaluation(4, 2),
                                           sample_evaluation(4, 3)};
  const std::string text = evaluations_json(several);
  const std::vector<Evaluation> read = parse_evaluations(text, "x.json");
  ASSERT_EQ(read.size(), 3u);
  for (size_t i = 0; i < 3; ++i) expect_same(read[i], several[i]);
  const ordered_json over = ordered_json::parse(text)["over_policies"];
  EXPECT_EQ(over["policies"], 3);
  EXPECT_EQ(over["return_mean"], summarize_policies(several).mean);
  EXPECT_EQ(over["returns"].size(), 3u);
}

TEST(EvaluationFile, SaysWhatScriptsDependOn) {
  const Evaluation evaluation = sample_evaluation(20);
  const EvaluationSummary summary = summarize(evaluation);
  const auto object = ordered_json::parse(evaluations_json(std::array{evaluation}));
  EXPECT_EQ(object["kind"], "darp evaluation");
  EXPECT_EQ(object["version"], 1);
  EXPECT_EQ(object["env"], "push_t");
  EXPECT_EQ(object["policy"], "runs/a/policy.darp");
  EXPECT_EQ(object["purpose"], "report");
  EXPECT_EQ(object["seeds"][19], 24);
  EXPECT_EQ(object["returns"][7], evaluation.records[7].episode_return);
  EXPECT_EQ(object["lengths"][7], evaluation.records[7].length);
  EXPECT_EQ(object["success"][7], evaluation.records[7].success);
  EXPECT_EQ(object["ends"][7], name_of(evaluation.records[7].end));
  EXPECT_EQ(object["return_mean"], summary.returns.mean);
  EXPECT_EQ(object["return_ci95"][0], summary.returns.mean_bootstrap.low);
  EXPECT_EQ(object["return_ci95"][1], summary.returns.mean_bootstrap.high);
  EXPECT_EQ(object["return_ci95_normal"][0], summary.returns.mean_normal.low);
  EXPECT_EQ(object["return_iqm"], summary.returns.interquartile_mean);
  EXPECT_EQ(object["return_iqm_ci95"][1], summary.returns.interquartile_bootstrap.high);
  EXPECT_EQ(object["return_median"], summary.returns.median);
  EXPECT_EQ(object["return_std"], summary.returns.standard_deviation);
  EXPECT_EQ(object["normalized_score"], *summary.returns.normalized);
  EXPECT_EQ(object["success_rate"], summary.success->rate);
  EXPECT_EQ(object["success_ci95"][0], summary.success->wilson.low);
  EXPECT_EQ(object["mishaps"], summary.mishaps);
  EXPECT_EQ(object["steps_per_second"], 12345 / (1.0 / 3));
  EXPECT_EQ(object["threads"], 8);
}

TEST(EvaluationFile, HasNullForWhatIsNotThere) {
  Evaluation evaluation = sample_evaluation();
  evaluation.has_success = false;
  evaluation.scale.reset();
  evaluation.wall_seconds = 0;
  for (EpisodeRecord& record : evaluation.records)
    record.success = false, record.worst_novelty = -1, record.seconds = -1;
  const std::string text = evaluations_json(std::array{evaluation});
  const auto object = ordered_json::parse(text);
  for (const char* key : {"success", "success_rate", "success_ci95", "normalized_score",
                          "score_scale", "steps_per_second"})
    EXPECT_TRUE(object.at(key).is_null()) << key;
  EXPECT_TRUE(object["worst_novelty"][0].is_null());
  EXPECT_TRUE(object["episode_seconds"][0].is_null());
  expect_same(parse_evaluations(text, "x.json")[0], evaluation);
}

TEST(EvaluationFile, LaysAKeyOnALine) {
  const std::string text = evaluations_json(std::array{sample_evaluation()});
  EXPECT_NE(text.find("\n  \"seeds\": [5,6,7],\n"), std::string::npos) << text;
}

TEST(EvaluationFile, WritesTheExampleOfItsPage) {
  const MappedFile page(DARP_SOURCE_DIR "/docs/formats/evaluation.md");
  const std::string_view text = as_text(page.bytes());
  const size_t begin = text.find("```json\n") + 8, end = text.find("```", begin);
  ASSERT_LT(end, text.size());
  const std::string_view example = text.substr(begin, end - begin);
  EXPECT_EQ(evaluations_json(parse_evaluations(example, "evaluation.md")), example);
}

TEST(EvaluationFile, IsWrittenAndRead) {
  const std::string path = ::testing::TempDir() + "darp_evaluation_file_test.json";
  const std::vector<Evaluation> written = {sample_evaluation()};
  write_evaluations(path, written);
  expect_same(read_evaluations(path)[0], written[0]);
  EXPECT_THROW(read_evaluations(path + ".missing"), Error);
  std::ofstream(path, std::ios::trunc).close();
  EXPECT_THROW(read_evaluations(path), Error);
  std::filesystem::resize_file(path, kMostEvaluationBytes + 1);
  EXPECT_THROW(read_evaluations(path), Error);
  std::filesystem::remove(path);
}

TEST(EvaluationFile, RefusesToWriteWhatItWouldNotRead) {
  Evaluation evaluation = sample_evaluation();
  evaluation.records[1].episode_return = std::numeric_limits<double>::infinity();
  EXPECT_THROW(evaluations_json(std::array{evaluation}), Error);
  evaluation = sample_evaluation();
  evaluation.subject.seeds.last += 1;
  EXPECT_THROW(evaluations_json(std::array{evaluation}), Error);
  Evaluation other = sample_evaluation();
  other.subject.environment = "ant";
  EXPECT_THROW(evaluations_json(std::array{sample_evaluation(), other}), Error);
}

TEST(EvaluationFile, WritesNamesThatAreNotUtf8AsWellAsItCan) {
  Evaluation evaluation = sample_evaluation();
  evaluation.subject.policy = "a\xff.darp";
  const auto read = parse_evaluations(evaluations_json(std::array{evaluation}), "x.json");
  EXPECT_EQ(read[0].subject.policy, "a\xEF\xBF\xBD.darp");
}

TEST(EvaluationFile, DoesWithoutSummariesButNotWithoutAnythingElse) {
  const ordered_json object = sample_json();
  ASSERT_EQ(complaint(object), "");
  for (const auto& [key, value] : object.items()) {
    ordered_json without = object;
    without.erase(key);
    const bool summary = key.starts_with("return_") || key == "normalized_score" ||
                         key.starts_with("success_") || key == "mishaps" ||
                         key == "steps_per_second";
    if (summary)
      EXPECT_EQ(complaint(without), "") << key;
    else
      EXPECT_NE(complaint(without).find("x.json: has no '" + key + "'"), std::string::npos) << key;
  }
}

TEST(EvaluationFile, RefusesEveryOtherTypeForEveryKeyThatItReads) {
  const ordered_json object = sample_json();
  const auto values = std::to_array<ordered_json>(
      {nullptr, true, "text", -1, 2.5, 1e300, 18446744073709551615u, ordered_json::array(),
       ordered_json::object(), ordered_json::array({"x"}), ordered_json::array({nullptr})});
  for (const char* key : {"kind", "version", "purpose", "seeds", "returns", "lengths", "ends"})
    for (const ordered_json& value : values) {
      ordered_json changed = object;
      changed[key] = value;
      EXPECT_NE(complaint(changed).find(std::string("x.json: ") + key), std::string::npos)
          << key << value << complaint(changed);
    }
  // Others take some of these; none may get anything but an Error or an evaluation.
  for (const auto& [key, unused] : object.items())
    for (const ordered_json& value : values) {
      ordered_json changed = object;
      changed[key] = value;
      complaint(changed);
      if (!changed[key].is_array() && object[key].is_array() && object[key].size() == 3) {
        changed = object;
        changed[key][1] = value;
        complaint(changed);
      }
    }
}

TEST(EvaluationFile, SaysWhereAndWhat) {
  const auto expect_complaint = [](std::string_view words, auto change) {
    ordered_json object = sample_json();
    change(object);
    EXPECT_NE(complaint(object).find(words), std::string::npos) << complaint(object);
  };
  expect_complaint("x.json: returns[1]: is text", [](auto& o) { o["returns"][1] = "x"; });
  expect_complaint("x.json: returns[1]: is null", [](auto& o) { o["returns"][1] = nullptr; });
  expect_complaint("seed 6 has a return", [](auto& o) { o["returns"][1] = 1e200; });
  expect_complaint("x.json: returns: has 2 entries where seeds has 3",
                   [](auto& o) { o["returns"].erase(0); });
  expect_complaint("success: has 4 entries", [](auto& o) { o["success"].push_back(true); });
  expect_complaint("has seed 5 where 6 is next", [](auto& o) { o["seeds"][1] = 5; });
  expect_complaint("has seeds 7..5", [](auto& o) { o["seeds"] = {7, 6, 5}; });
  expect_complaint("3 episodes for seeds 5..9", [](auto& o) { o["seeds"] = {5, 6, 9}; });
  expect_complaint("x.json: ends[2]: ", [](auto& o) { o["ends"][2] = "exploded"; });
  expect_complaint("still running", [](auto& o) { o["ends"][2] = "running"; });
  expect_complaint("episode_seconds[0]: is -1", [](auto& o) { o["episode_seconds"][0] = -1; });
  expect_complaint("worst_novelty[0]", [](auto& o) { o["worst_novelty"][0] = 1e39; });
  expect_complaint("lengths[0]", [](auto& o) { o["lengths"][0] = 1ull << 63; });
  expect_complaint("threads", [](auto& o) { o["threads"] = 1ull << 31; });
  expect_complaint("score_scale", [](auto& o) { o["score_scale"] = {1}; });
  expect_complaint("(expert)", [](auto& o) { o["score_scale"] = {1, 1}; });
  expect_complaint("version: is not 1", [](auto& o) { o["version"] = 2; });
  expect_complaint("kind: is not 'darp evaluation'", [](auto& o) { o["kind"] = "darp"; });
  expect_complaint("did you mean 'executor'", [](auto& o) { o["executer"] = "x"; });
}

TEST(EvaluationFile, SaysWhichOfSeveralIsWrong) {
  auto object =
      ordered_json::parse(evaluations_json(std::array{sample_evaluation(), sample_evaluation()}));
  ASSERT_EQ(complaint(object), "");
  object["evaluations"][1]["lengths"][0] = "x";
  EXPECT_NE(complaint(object).find("x.json: evaluations[1].lengths[0]: is text"),
            std::string::npos);
  object["evaluations"] = ordered_json::array();
  EXPECT_NE(complaint(object), "");
  object["evaluations"] = 5;
  EXPECT_NE(complaint(object), "");
}

TEST(EvaluationFile, RefusesPoliciesThatWereNotEvaluatedAlike) {
  const std::vector<Evaluation> alike = {sample_evaluation(), sample_evaluation()};
  auto json = nlohmann::json::parse(evaluations_json(alike));
  json["evaluations"][1]["env_settings"] = "";
  EXPECT_SAYS(error_of([&] { parse_evaluations(json.dump(), "a.json"); }),
              "a.json: evaluations[1]: runs/a/policy.darp: was evaluated with other settings");
}

TEST(EvaluationFile, AnyDamageIsAnErrorOrAnotherEvaluation) {
  const std::string text =
      evaluations_json(std::array{sample_evaluation(), sample_evaluation(3, 2)});
  const auto survive = [](const std::string& damaged) {
    try {
      for (const Evaluation& evaluation : parse_evaluations(damaged, "x.json"))
        EXPECT_NO_THROW(check_evaluation(evaluation, ""));
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  ASSERT_TRUE(survive(text));
  for (size_t length = 0; length + 2 < text.size(); ++length)
    EXPECT_FALSE(survive(text.substr(0, length))) << length;
  int errors = 0;
  for (size_t i = 0; i < text.size(); ++i)
    for (const char byte : {'\0', '"', '9', '-', '[', ','}) {
      std::string damaged = text;
      damaged[i] = byte;
      errors += survive(damaged) ? 0 : 1;
    }
  EXPECT_GT(errors, 1000);
}

}  // namespace
}  // namespace darp
