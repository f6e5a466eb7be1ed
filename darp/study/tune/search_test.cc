// Searches with made-up trainings: the journal, halving and workers, threads and processes.

#include "darp/study/tune/search.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <thread>

#include "tests/error_of.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

SearchSubject line_subject() {
  return {"dummy", "hash", {"train.epochs=9"}, {}, parse_search_space("x: uniform 0 1", "")};
}

std::string file_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Best at 0.7; longer trainings are a little better.
std::optional<double> line_score(const TrialRun& run) {
  return static_cast<double>(run.rung) - std::abs(run.point[0] - 0.7);
}

std::optional<std::vector<TrialRun>> line_search(const fs::path& folder, const TuneSettings& how,
                                                 const TrialWork& work = line_score, int jobs = 1) {
  const SearchSubject subject = line_subject();
  TrialJournal journal(folder, subject);
  return search(journal, subject.space, how, work, {.jobs = jobs});
}

std::map<int64_t, int> trials_by_rung(const std::vector<TrialRun>& runs) {
  std::map<int64_t, int> counts;
  for (const TrialRun& run : runs) ++counts[run.rung];
  return counts;
}

TrialRun ended(int64_t trial, int64_t rung, double score) {
  return {trial, rung, {0.5}, true, score};
}

TEST(Halving, PromotesTheBestThirdAndPrefersHigherRungs) {
  TuneSettings settings;
  settings.trials = 100;
  std::vector<TrialRun> runs;
  const auto next = [&] {
    const auto due = next_trial(runs, settings);
    return due ? std::pair(due->trial, due->rung) : std::pair(int64_t{-1}, int64_t{-1});
  };
  EXPECT_EQ(next(), std::pair(int64_t{0}, int64_t{0}));
  runs = {ended(0, 0, 1), ended(1, 0, 3)};
  EXPECT_EQ(next(), std::pair(int64_t{2}, int64_t{0}));
  runs.push_back(ended(2, 0, 2));
  EXPECT_EQ(next(), std::pair(int64_t{1}, int64_t{1}));
  // Promoted but still running: not again, and nothing is due from rung 1.
  runs.push_back({1, 1, {0.5}});
  EXPECT_EQ(next(), std::pair(int64_t{3}, int64_t{0}));
  runs.back() = ended(1, 1, 5);
  runs.insert(runs.end(), {ended(3, 0, 9), ended(4, 0, 8), ended(3, 1, 4), ended(4, 1, 6)});
  // Rung 1 has three, of which 4 is best; rung 0 has no third that has not gone on.
  EXPECT_EQ(next(), std::pair(int64_t{4}, int64_t{2}));
}

TEST(Halving, TakesWhatTheSearchStartsFromToTheEnd) {
  TuneSettings settings;
  settings.trials = 100;
  std::vector<TrialRun> runs = {ended(0, 0, 1), ended(1, 0, 3)};
  ASSERT_TRUE(next_trial(runs, settings, true));
  EXPECT_EQ(next_trial(runs, settings, true)->trial, 0) << "though it is the worst";
  EXPECT_EQ(next_trial(runs, settings, true)->rung, 1);
  runs.push_back({0, 1, {0.5}});
  EXPECT_EQ(next_trial(runs, settings, true)->trial, 2) << "it runs already";
  runs.back() = ended(0, 1, 0);
  EXPECT_EQ(next_trial(runs, settings, true)->rung, 2);
  runs.push_back(ended(0, 2, 0));
  EXPECT_EQ(next_trial(runs, settings, true)->trial, 2) << "it is there";
  runs.back().problem = "diverged";
  EXPECT_EQ(next_trial(runs, settings, true)->trial, 2) << "it failed";
}

TEST(Halving, BringsTheBestOfFewToTheEnd) {
  TuneSettings settings;
  settings.trials = 2;
  std::vector<TrialRun> runs = {ended(0, 0, 1), {1, 0, {0.5}}};
  EXPECT_FALSE(next_trial(runs, settings)) << "one runs";
  runs[1] = ended(1, 0, 2);
  ASSERT_TRUE(next_trial(runs, settings));
  EXPECT_EQ(next_trial(runs, settings)->trial, 1);
  // It fails there, so the other one goes on, to the last rung.
  TrialRun failure = ended(1, 1, -std::numeric_limits<double>::infinity());
  failure.problem = "diverged";
  runs.push_back(failure);
  EXPECT_EQ(next_trial(runs, settings)->trial, 0);
  runs.push_back(ended(0, 1, 1));
  EXPECT_EQ(next_trial(runs, settings)->rung, 2);
  runs.push_back(ended(0, 2, 1));
  EXPECT_FALSE(next_trial(runs, settings));
  EXPECT_EQ(ranked_trials(runs), (std::vector<size_t>{4, 2})) << "the failure comes last";
}

TEST(Search, TriesEverySettingOnceAndTheBestLongest) {
  TuneSettings settings;
  settings.trials = 27;
  const auto runs = line_search(test_folder(), settings);
  ASSERT_TRUE(runs);
  const std::map<int64_t, int> counts = trials_by_rung(*runs);
  EXPECT_EQ(counts.at(0), 27);
  EXPECT_GE(counts.at(1), 9);
  EXPECT_GE(counts.at(2), 3);
  // The best of all was seen to the end.
  const auto best = std::max_element(runs->begin(), runs->end(), [](const auto& a, const auto& b) {
    return line_score(a) < line_score(b);
  });
  EXPECT_EQ(best->rung, 2);
}

TEST(Search, ARunOfTheSameCommandAddsNothing) {
  const fs::path folder = test_folder();
  TuneSettings settings;
  settings.trials = 9;
  ASSERT_TRUE(line_search(folder, settings));
  const std::string journal = file_text(folder / "journal.jsonl");
  const auto again = line_search(folder, settings, [](const TrialRun&) -> std::optional<double> {
    ADD_FAILURE() << "done again";
    return 0;
  });
  ASSERT_TRUE(again);
  EXPECT_EQ(file_text(folder / "journal.jsonl"), journal);
  EXPECT_TRUE(fs::is_empty(folder / "claims"));
}

TEST(Search, InterruptedAnywhereItEndsAsIfItHadNotBeen) {
  const fs::path whole = test_folder() / "whole", torn = test_folder().parent_path() / "torn";
  TuneSettings settings;
  settings.trials = 9;
  ASSERT_TRUE(line_search(whole, settings));
  const std::string journal = file_text(whole / "journal.jsonl");
  // A journal that ends within a line or behind any of them is what a kill leaves.
  for (size_t cut = 0; cut < journal.size(); cut += journal.size() / 12) {
    fs::remove_all(torn);
    fs::create_directories(torn);
    std::ofstream(torn / "journal.jsonl", std::ios::binary) << journal.substr(0, cut);
    ASSERT_TRUE(line_search(torn, settings));
    ASSERT_EQ(file_text(torn / "journal.jsonl"), journal) << "cut at " << cut;
  }
  fs::remove_all(torn);
}

TEST(Search, StopsAndGoesOn) {
  const fs::path folder = test_folder();
  TuneSettings settings;
  settings.trials = 9;
  int left = 4;
  std::atomic<bool> stop = false;
  const auto work = [&](const TrialRun& run) -> std::optional<double> {
    if (left-- > 0) return line_score(run);
    stop = true;
    return std::nullopt;
  };
  const SearchSubject subject = line_subject();
  TrialJournal journal(folder, subject);
  EXPECT_FALSE(search(journal, subject.space, settings, work, {.jobs = 1, .stop = &stop}));
  const auto runs = line_search(folder, settings);
  ASSERT_TRUE(runs);
  EXPECT_EQ(trials_by_rung(*runs).at(0), 9);
}

TEST(Search, AFailureIsATrialWithoutAScore) {
  TuneSettings settings;
  settings.trials = 12;
  const auto runs =
      line_search(test_folder(), settings, [](const TrialRun& run) -> std::optional<double> {
        if (run.trial % 3 == 0) throw Error("train", "the loss is nan", "lower the rate");
        if (run.trial % 3 == 1) return std::numeric_limits<double>::quiet_NaN();
        return line_score(run);
      });
  ASSERT_TRUE(runs);
  int problems = 0;
  for (const TrialRun& run : *runs) {
    EXPECT_EQ(run.succeeded(), run.trial % 3 == 2);
    if (run.trial == 0) {
      EXPECT_SAYS(run.problem, "the loss is nan");
    }
    if (run.trial == 1) {
      EXPECT_SAYS(run.problem, "no finite score");
    }
    if (!run.succeeded()) {
      ++problems;
      EXPECT_EQ(run.rung, 0) << "a failure goes on";
      EXPECT_EQ(run.score, -std::numeric_limits<double>::infinity());
    }
  }
  EXPECT_EQ(problems, 8);
}

/// A full disk or a torn file says nothing about settings: the trial is done again.
TEST(Search, AFilesFailureEndsTheSearchAndCostsNoTrial) {
  const fs::path folder = test_folder();
  TuneSettings settings;
  settings.trials = 6;
  EXPECT_SAYS(error_of([&] {
                line_search(folder, settings, [](const TrialRun& run) -> std::optional<double> {
                  if (run.trial == 2) throw FileError("policy.darp", "cannot be written", "");
                  return line_score(run);
                });
              }),
              "policy.darp: cannot be written");
  const auto runs = line_search(folder, settings);
  ASSERT_TRUE(runs);
  EXPECT_EQ(trials_by_rung(*runs).at(0), 6);
  for (const TrialRun& run : *runs) EXPECT_TRUE(run.succeeded()) << run.problem;
}

/// Older journals may not begin where the same search would begin now.
TEST(Search, IsDoneWhereverItBegan) {
  const fs::path folder = test_folder();
  TuneSettings settings;
  settings.trials = 9;
  settings.rungs = 2;
  const auto first = line_search(folder, settings);
  ASSERT_TRUE(first);
  for (const TrialRun& run : *first) ASSERT_TRUE(run.trial != 0 || run.rung == 0) << "a weak test";
  const std::string before = file_text(folder / "journal.jsonl");
  const SearchSubject subject = line_subject();
  TrialJournal journal(folder, subject);
  const auto runs = search(journal, subject.space, settings, line_score,
                           {.jobs = 1, .first = SearchPoint{0.123}});
  ASSERT_TRUE(runs);
  EXPECT_EQ(file_text(folder / "journal.jsonl"), before);
}

TEST(Search, ManyThreadsDoEverythingOnce) {
  TuneSettings settings;
  settings.trials = 30;
  std::mutex mutex;
  std::set<std::pair<int64_t, int64_t>> done;
  const auto work = [&](const TrialRun& run) {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(done.emplace(run.trial, run.rung).second) << run.trial << " " << run.rung;
    return line_score(run);
  };
  const auto runs = line_search(test_folder(), settings, work, 6);
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->size(), done.size());
  EXPECT_EQ(trials_by_rung(*runs).at(0), 30);
}

TEST(Search, ProcessesShareTheWorkAndTakeOverFromTheDead) {
  const fs::path folder = test_folder();
  TuneSettings settings;
  settings.trials = 20;
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      // The first is killed in the middle of its fourth training.
      int trainings = 0;
      const auto work = [&](const TrialRun& run) -> std::optional<double> {
        if (i == 0 && ++trainings == 4) kill(getpid(), SIGKILL);
        std::ofstream(folder / "done", std::ios::app) << run.trial << "/" << run.rung << std::endl;
        return line_score(run);
      };
      _exit(line_search(folder, settings, work) ? 0 : 1);
    }
    children.push_back(child);
  }
  for (size_t i = 0; i < children.size(); ++i) {
    int status = 0;
    waitpid(children[i], &status, 0);
    if (i > 0) {
      EXPECT_EQ(status, 0);
    }
  }
  const auto runs = line_search(folder, settings);
  ASSERT_TRUE(runs);
  EXPECT_EQ(trials_by_rung(*runs).at(0), 20);
  std::multiset<std::string> done;
  std::ifstream in(folder / "done");
  for (std::string line; std::getline(in, line);) done.insert(line);
  for (const std::string& line : done) EXPECT_EQ(done.count(line), 1u) << line << " was done twice";
  EXPECT_LE(done.size(), runs->size());
}

TEST(Search, RefusesAFolderOfAnotherSearch) {
  const fs::path folder = test_folder();
  { TrialJournal journal(folder, line_subject()); }
  const auto refusal = [&](auto change) {
    SearchSubject subject = line_subject();
    change(subject);
    return error_of([&] { TrialJournal journal(folder, subject); });
  };
  EXPECT_EQ(refusal([](SearchSubject&) {}), "no error");
  EXPECT_SAYS(refusal([](SearchSubject& s) { s.environment = "hopper"; }), "another environment");
  EXPECT_SAYS(refusal([](SearchSubject& s) { s.data = "other"; }), "other demonstrations");
  EXPECT_SAYS(refusal([](SearchSubject& s) { s.config = {}; }), "another config");
  EXPECT_SAYS(refusal([](SearchSubject& s) { s.space.dimensions[0].high = 2; }), "another space");
  EXPECT_SAYS(refusal([](SearchSubject& s) { s.search = {"rungs=2"}; }), "another objective");
  std::ofstream(folder / "journal.jsonl", std::ios::app) << "{\"event\":\"end\",\"trial\":7}\n";
  EXPECT_SAYS(refusal([](SearchSubject&) {}), "journal.jsonl: line 2");
  std::ofstream(folder / "journal.jsonl") << "{\"kind\": 3}\n";
  EXPECT_SAYS(refusal([](SearchSubject&) {}), "no search");
}

}  // namespace
}  // namespace darp
