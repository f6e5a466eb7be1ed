#include "darp/study/study_run.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "darp/core/file.h"
#include "darp/core/file_lock.h"
#include "darp/core/silent_progress.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/runtime/realtime_model.h"
#include "darp/study/policy_evaluation.h"
#include "tests/error_of.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

std::string text_of_file(const fs::path& file) {
  return std::string(as_text(MappedFile(file).bytes()));
}

/// Demonstrations with the dummy environment's dimensions.
Dataset puck_demonstrations(uint64_t seed) {
  Rng rng(seed);
  DatasetContents contents;
  contents.observations = Matrix::zeros(60, 4);
  contents.actions = Matrix::zeros(60, 2);
  for (int64_t i = 0; i < 60; ++i) {
    for (float& x : contents.observations.row(i)) x = static_cast<float>(rng.normal());
    for (float& x : contents.actions.row(i)) x = static_cast<float>(rng.normal());
  }
  contents.episode_ends = {20, 40, 60};
  contents.source = "puck";
  return Dataset(std::move(contents));
}

class StudyRuns : public ::testing::Test {
 protected:
  StudyRuns() {
    write_dataset(puck_demonstrations(1), folder_ / "demos.npz");
    options_.out = folder_ / "study";
    options_.jobs = 2;
    options_.version = "test";
    options_.progress = silent_progress();
  }

  StudyRun run(const std::string& id, int64_t seed, int64_t epochs = 3) const {
    StudyRun one;
    one.id = id;
    one.config.data = (folder_ / "demos.npz").string();
    one.config.policy.kind = BcSpec{{{8}}};
    one.config.train.epochs = epochs;
    one.config.train.seed = seed;
    one.config.train.validation.fraction = 0.3;
    one.evaluations.resize(1);
    one.evaluations[0].environment = "dummy";
    one.evaluations[0].seeds = {0, 4};
    return one;
  }
  std::vector<StudyRun> some_runs() const {
    return {run("puck/bc/seed-0", 0), run("puck/bc/seed-1", 1), run("puck/bc/seed-2", 2)};
  }
  fs::path runs() const { return options_.out / "runs"; }

  const fs::path folder_ = test_folder();
  StudyOptions options_;
};

TEST_F(StudyRuns, AreDoneOnceAndReadFromThenOn) {
  const auto first = do_runs(some_runs(), options_);
  ASSERT_TRUE(first);
  ASSERT_EQ(first->size(), 3u);
  const StudyRunResult& one = (*first)[1];
  EXPECT_EQ(one.id, "puck/bc/seed-1");
  EXPECT_TRUE(fs::exists(one.policy));
  EXPECT_TRUE(one.validation_loss);
  EXPECT_EQ(one.evaluations.at("report").records.size(), 5u);
  EXPECT_GT(one.train_seconds, 0);
  EXPECT_FALSE(fs::exists(one.folder / "checkpoints"));
  EXPECT_NE(mean_returns_of({{one.evaluations.at("report")}}),
            mean_returns_of({{(*first)[2].evaluations.at("report")}}));

  const std::string record = text_of_file(one.folder / "record.json");
  const auto written = fs::last_write_time(one.folder / "record.json");
  const auto again = do_runs(some_runs(), options_);
  ASSERT_TRUE(again);
  EXPECT_EQ(fs::last_write_time(one.folder / "record.json"), written);
  EXPECT_EQ(text_of_file(one.folder / "record.json"), record);
  EXPECT_EQ((*again)[1].validation_loss, one.validation_loss);
  EXPECT_EQ((*again)[1].train_seconds, one.train_seconds);
  EXPECT_EQ(returns_of((*again)[1].evaluations.at("report")),
            returns_of(one.evaluations.at("report")));
}

/// A network wide enough for bfloat16 to matter.
TEST_F(StudyRuns, RoundOnlyWhatChoosesAmongTrainings) {
  StudyRun one = run("rounded", 0);
  one.config.policy.kind = BcSpec{{{64, 64}}};
  one.evaluations.push_back(one.evaluations[0]);
  one.evaluations[1].name = "search";
  one.evaluations[1].purpose = SeedPurpose::kSearch;
  const auto results = do_runs({one}, options_);
  ASSERT_TRUE(results);
  const auto executor_of = [&](const std::string& name) {
    return results->front().evaluations.at(name).subject.executor;
  };
  const RealtimeModel rounded(PolicyArchive::read(results->front().policy), Precision::kBfloat16);
  EXPECT_EQ(executor_of("report"), "runtime fp32");
  EXPECT_EQ(executor_of("search"), fmt::format("runtime {}", to_string(rounded.precision())));
}

/// Which executor runs a policy depends on the program and the CPU; what is whole counts, what is
/// not is begun again.
TEST_F(StudyRuns, TakeOverEvaluationsOfAnotherExecutor) {
  const auto results = do_runs({run("one", 0)}, options_);
  ASSERT_TRUE(results);
  const fs::path policy = results->front().policy, other = folder_ / "other";
  fs::create_directories(other);
  const StudyEvaluation wanted = run("one", 0).evaluations[0];
  const auto whole = evaluate_policy(policy, "one", wanted, other, 1, options_);
  ASSERT_TRUE(whole);
  const auto rename_executor = [&](const fs::path& file) {
    std::string text = text_of_file(file);
    const size_t place = text.find("runtime fp32");
    ASSERT_NE(place, std::string::npos) << file;
    std::ofstream(file) << text.replace(place, 12, "torch");
  };
  rename_executor(other / "report.json");
  const auto read = evaluate_policy(policy, "one", wanted, other, 1, options_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->subject.executor, "torch");
  EXPECT_EQ(returns_of(*read), returns_of(*whole));
  fs::remove(other / "report.json");
  rename_executor(other / "report.records.jsonl");
  const auto anew = evaluate_policy(policy, "one", wanted, other, 1, options_);
  ASSERT_TRUE(anew);
  EXPECT_EQ(anew->subject.executor, "runtime fp32");
  EXPECT_EQ(returns_of(*anew), returns_of(*whole));
}

TEST_F(StudyRuns, ReadEvaluationsWhoseNetworksWereNotKept) {
  const auto results = do_runs({run("one", 0)}, options_);
  ASSERT_TRUE(results);
  const fs::path policy = results->front().policy, kept = folder_ / "kept";
  fs::create_directories(kept);
  StudyEvaluation wanted = run("one", 0).evaluations[0];
  const auto first = evaluate_policy(policy, "one", wanted, kept, 1, options_);
  ASSERT_TRUE(first);
  fs::remove(policy);
  const auto again = evaluate_policy(policy, "one", wanted, kept, 1, options_);
  ASSERT_TRUE(again);
  EXPECT_EQ(returns_of(*again), returns_of(*first));
  EXPECT_SAYS(error_of([&] { evaluate_policy(policy, "two", wanted, kept, 1, options_); }),
              "another policy");
  wanted.seeds = {0, 5};
  EXPECT_SAYS(error_of([&] { evaluate_policy(policy, "one", wanted, kept, 1, options_); }),
              "other seeds");
}

TEST_F(StudyRuns, GoOnAfterAStopToTheSamePolicies) {
  auto whole = do_runs({run("long", 5, 40)}, options_);
  ASSERT_TRUE(whole);
  StudyOptions broken = options_;
  broken.out = folder_ / "broken";
  std::atomic<bool> stop = false;
  broken.stop = &stop;
  std::optional<std::vector<StudyRunResult>> results;
  for (int attempts = 0; !results && attempts < 200; ++attempts) {
    stop = false;
    std::jthread breaker([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(3 + attempts));
      stop = true;
    });
    results = do_runs({run("long", 5, 40)}, broken);
  }
  ASSERT_TRUE(results);
  EXPECT_EQ(text_of_file(results->front().policy), text_of_file(whole->front().policy));
  EXPECT_EQ(results->front().validation_loss, whole->front().validation_loss);
  EXPECT_EQ(text_of_file(results->front().folder / "report.records.jsonl"),
            text_of_file(whole->front().folder / "report.records.jsonl"));
}

/// What a process leaves that was killed at the worst moments.
TEST_F(StudyRuns, GoOnFromTornStates) {
  const auto whole = do_runs({run("a", 0)}, options_);
  ASSERT_TRUE(whole);
  const std::string policy = text_of_file(whole->front().policy);
  const std::string records = text_of_file(runs() / "a" / "report.records.jsonl");
  const auto expect_whole = [&](const char* state) {
    SCOPED_TRACE(state);
    const auto results = do_runs({run("a", 0)}, options_);
    ASSERT_TRUE(results);
    EXPECT_EQ(text_of_file(results->front().policy), policy);
    EXPECT_EQ(text_of_file(runs() / "a" / "report.records.jsonl"), records);
    EXPECT_TRUE(fs::exists(runs() / "a" / "record.json"));
    EXPECT_EQ(results->front().validation_loss, whole->front().validation_loss);
  };
  fs::remove(runs() / "a" / "record.json");
  write_file(runs() / "a" / ".record.json.tmp", std::string_view("{\"kind\": \"da"));
  expect_whole("before its record");
  fs::remove(runs() / "a" / "record.json");
  fs::remove(runs() / "a" / "report.json");
  write_file(runs() / "a" / "report.records.jsonl", records.substr(0, records.size() / 2));
  expect_whole("in the middle of episodes");
  fs::remove_all(runs() / "a");
  fs::create_directories(runs() / "a");
  expect_whole("before its config");
}

TEST_F(StudyRuns, GoOnWhereTheDemonstrationsDecideHowLong) {
  const auto whole = do_runs({run("a", 0, 0)}, options_);
  ASSERT_TRUE(whole);
  const std::string policy = text_of_file(whole->front().policy);
  fs::remove(runs() / "a" / "record.json");
  const auto again = do_runs({run("a", 0, 0)}, options_);
  ASSERT_TRUE(again);
  EXPECT_EQ(text_of_file(again->front().policy), policy);
}

TEST_F(StudyRuns, TakeMoreEvaluationsWithoutTrainingAgain) {
  ASSERT_TRUE(do_runs({run("a", 0)}, options_));
  const auto trained = fs::last_write_time(runs() / "a" / "policy.darp");
  StudyRun more = run("a", 0);
  more.evaluations.push_back(more.evaluations[0]);
  more.evaluations[1].name = "short";
  more.evaluations[1].settings.time_limit = 3;
  const auto results = do_runs({more}, options_);
  ASSERT_TRUE(results);
  EXPECT_EQ(fs::last_write_time(runs() / "a" / "policy.darp"), trained);
  EXPECT_EQ(results->front().evaluations.at("short").records.front().length, 3);
  EXPECT_GT(results->front().evaluations.at("report").records.front().length, 3);
}

TEST_F(StudyRuns, RefuseAnotherRunUnderTheirName) {
  ASSERT_TRUE(do_runs({run("a", 0)}, options_));
  EXPECT_SAYS(error_of([&] { do_runs({run("a", 0, 4)}, options_); }), "train.epochs=3");
  StudyRun other = run("a", 0);
  other.evaluations[0].seeds = {0, 5};
  EXPECT_SAYS(error_of([&] { do_runs({other}, options_); }), "has an evaluation 'report'");
  write_dataset(puck_demonstrations(2), folder_ / "demos.npz");
  EXPECT_SAYS(error_of([&] { do_runs({run("a", 0)}, options_); }), "other demonstrations");
  // Begun, never finished, and then asked for with other settings.
  fs::remove(runs() / "a" / "record.json");
  EXPECT_SAYS(error_of([&] { do_runs({run("a", 0, 4)}, options_); }), "train.epochs was 3, is 4");
}

TEST_F(StudyRuns, WaitForARunThatAnotherHas) {
  fs::create_directories(runs());
  auto held = std::make_unique<FileLock>(FileLock::take(runs() / ".a.lock"));
  std::jthread other([&] {
    while (!fs::exists(runs() / "b" / "record.json"))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_FALSE(fs::exists(runs() / "a"));
    held.reset();
  });
  EXPECT_TRUE(do_runs({run("a", 0), run("b", 1, 1)}, options_));
}

TEST_F(StudyRuns, SayWhatFailedAndKeepTheOthers) {
  StudyRun bad = run("bad", 0);
  bad.evaluations[0].environment = "hoper";
  EXPECT_SAYS(error_of([&] { do_runs({bad, run("good", 1)}, options_); }), "hopper");
  const auto results = do_runs({run("good", 1)}, options_);
  ASSERT_TRUE(results);
  EXPECT_TRUE(fs::exists(results->front().policy));
}

}  // namespace
}  // namespace darp
