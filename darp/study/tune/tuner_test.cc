// Searches with real trainings, small ones.

#include "darp/study/tune/tuner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>

#include "darp/core/file.h"
#include "darp/core/hash.h"
#include "darp/core/silent_progress.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/study/tune/tune_exhibits.h"
#include "tests/error_of.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

class Tuner : public ::testing::Test {
 protected:
  /// A puck that is steered to the origin, roughly.
  void SetUp() override {
    DatasetContents c;
    c.source = "made up";
    c.parts = {{"observation", 0, 4}};
    c.observations = Matrix::zeros(80, 4);
    c.actions = Matrix::zeros(80, 2);
    Rng rng(3);
    for (int64_t row = 0; row < 80; ++row) {
      for (float& x : c.observations.row(row)) x = static_cast<float>(rng.normal());
      for (int64_t j = 0; j < 2; ++j)
        c.actions.row(row)[j] = -0.5f * c.observations.row(row)[j] - c.observations.row(row)[j + 2];
      if (row % 20 == 19) c.episode_ends.push_back(row + 1);
    }
    write_dataset(Dataset(std::move(c)), folder_ / "puck.npz");
    config_.data = (folder_ / "puck.npz").string();
    set_config({"policy.kind=lwr", "policy.retrieval.exclude=nothing"});
    settings_.trials = 6;
    settings_.episodes = 3;
    settings_.rungs = 2;
  }

  void set_config(const std::vector<std::string>& settings) {
    for (const std::string& setting : settings) apply_override(setting, config_);
  }
  std::optional<TuneResult> search_in(const std::string& name, const std::string& space,
                                      int jobs = 1) const {
    StudyOptions options;
    options.out = folder_ / name;
    options.jobs = jobs;
    options.stop = &stop_;
    options.progress = silent_progress();
    return tune(config_, "dummy", parse_search_space(space, "space.yaml"), settings_, options);
  }
  std::string journal(const std::string& name) const {
    std::ifstream in(folder_ / name / "journal.jsonl");
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const fs::path folder_ = test_folder();
  const std::string neighbors_ =
      "policy.retrieval.k: log integer 1 60\npolicy.kernel: choice exponential | uniform\n";
  TrainConfig config_;
  TuneSettings settings_;
  std::atomic<bool> stop_ = false;
};

TEST_F(Tuner, ScoresTrialsOnSearchSeedsAndGoesOnFromItsJournal) {
  const auto result = search_in("a", neighbors_);
  ASSERT_TRUE(result);
  const TrialResult& best = result->best();
  EXPECT_EQ(best.rung, 1);
  EXPECT_TRUE(fs::exists(best.policy)) << best.policy;
  EXPECT_TRUE(fs::exists(best.policy.parent_path() / "search.json"));
  EXPECT_FALSE(fs::exists(best.policy.parent_path() / "checkpoints"));
  for (const TrialResult& trial : result->trials) {
    EXPECT_FALSE(trial.failed()) << trial.problem;
    if (trial.rung == best.rung) {
      EXPECT_LE(trial.score, best.score);
    }
  }
  // What a kill leaves: some lines, and the beginning of one. The search ends the same.
  const std::string whole = journal("a");
  fs::copy(folder_ / "a", folder_ / "b", fs::copy_options::recursive);
  std::ofstream(folder_ / "b" / "journal.jsonl") << whole.substr(0, whole.size() * 2 / 3);
  ASSERT_TRUE(search_in("b", neighbors_));
  EXPECT_EQ(journal("b"), whole);
  // More trials go on, fewer are refused.
  settings_.trials = 5;
  EXPECT_SAYS(error_of([&] { search_in("a", neighbors_); }), "has 6 trials already");
  settings_.trials = 8;
  ASSERT_TRUE(search_in("a", neighbors_, 2));
  EXPECT_TRUE(journal("a").starts_with(whole));
}

TEST_F(Tuner, GoesOnWhereverTheSameDemonstrationsAre) {
  ASSERT_TRUE(search_in("a", neighbors_));
  const std::string whole = journal("a");
  const fs::path moved = folder_ / "elsewhere.npz";
  fs::rename(config_.data, moved);
  config_.data = moved.string();
  ASSERT_TRUE(search_in("a", neighbors_));
  EXPECT_EQ(journal("a"), whole);
  // The same file name with other demonstrations in it.
  const Dataset dataset = read_dataset(config_.data, {}).dataset;
  write_dataset(dataset.select({0, 1, 2}), moved);
  EXPECT_SAYS(error_of([&] { search_in("a", neighbors_); }), "other demonstrations");
}

TEST_F(Tuner, TrainsAgainWhatWasNotKept) {
  config_.policy.kind = BcSpec{{{8}}};
  config_.train.epochs = 4;
  const auto result = search_in("a", "train.optimizer.learning_rate: log 1e-4 1e-2\n");
  ASSERT_TRUE(result);
  const TrialResult& best = result->best();
  const std::string before = Hasher().add(MappedFile(best.policy).bytes()).hex();
  fs::remove(best.policy);
  StudyOptions options;
  options.out = folder_ / "a";
  options.progress = silent_progress();
  ASSERT_TRUE(train_again(config_, settings_, best, options));
  EXPECT_EQ(Hasher().add(MappedFile(best.policy).bytes()).hex(), before);
}

TEST_F(Tuner, TrainsLongerAndRollsOutMoreAtHigherRungs) {
  settings_.rungs = 3;
  settings_.episodes = 10;
  config_.train.epochs = 100;
  std::vector<int64_t> epochs, episodes;
  for (int64_t rung = 0; rung < 3; ++rung) {
    const TrainConfig config = trial_config(config_, {"policy.retrieval.k=7"}, settings_, rung);
    EXPECT_EQ(config.policy.retrieval()->k, 7);
    epochs.push_back(config.train.epochs);
    episodes.push_back(trial_seeds(settings_, rung).count());
    EXPECT_EQ(trial_seeds(settings_, rung).first, kFirstSearchSeed);
  }
  EXPECT_EQ(epochs, (std::vector<int64_t>{12, 34, 100}));
  EXPECT_EQ(episodes, (std::vector<int64_t>{2, 4, 10}));
}

TEST_F(Tuner, BeginsWithTheConfigItselfWhereTheSpaceHasIt) {
  set_config({"policy.retrieval.k=7", "policy.kernel=uniform"});
  const SearchSpace space = parse_search_space(neighbors_, "space.yaml");
  EXPECT_EQ(starting_point(config_, space), (SearchPoint{7, 1}));
  const auto result = search_in("a", neighbors_);
  ASSERT_TRUE(result);
  for (const TrialResult& trial : result->trials)
    if (trial.trial == 0) {
      EXPECT_EQ(trial.set,
                (std::vector<std::string>{"policy.retrieval.k=7", "policy.kernel=uniform"}));
    }
  set_config({"policy.retrieval.k=61", "policy.kernel=uniform"});
  EXPECT_EQ(starting_point(config_, space), (SearchPoint{space.dimensions[0].high, 1}));
  set_config({"policy.retrieval.k=7", "policy.kernel=gaussian"});
  EXPECT_FALSE(starting_point(config_, space));
}

TEST_F(Tuner, CountsEpochsByTheDemonstrationsWhereTheConfigLeavesItToThem) {
  config_.train.epochs = 0;
  EXPECT_EQ(search_base(config_).train.epochs, 100'000 / 80);
  config_.train.epochs = 3;
  EXPECT_EQ(search_base(config_).train.epochs, 3);
}

TEST_F(Tuner, SearchesByValidationLossAlone) {
  settings_.objective = TuneSettings::Objective::kValidation;
  config_.policy.kind = BcSpec{{{8}}};
  config_.train.epochs = 4;
  const std::string rate = "train.optimizer.learning_rate: log 1e-5 0.1\n";
  EXPECT_SAYS(error_of([&] { search_in("a", rate); }), "set train.validation.fraction");
  set_config({"train.validation.fraction=0.25"});
  const auto result = search_in("a", rate);
  ASSERT_TRUE(result);
  EXPECT_LT(result->best().score, 0);
  EXPECT_FALSE(fs::exists(result->best().policy.parent_path() / "search.json"));
}

TEST_F(Tuner, AFailingTrialIsNotTheEndButAllAre) {
  // Of 80 rows only so many can be neighbours.
  const auto result = search_in("a", "policy.retrieval.k: integer 1 160");
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->best().failed());
  EXPECT_TRUE(std::any_of(result->trials.begin(), result->trials.end(),
                          [](const TrialResult& trial) { return trial.failed(); }));
  EXPECT_SAYS(error_of([&] { search_in("b", "policy.retrieval.k: integer 81 160"); }),
              "every trial failed, the first so: ");
}

TEST_F(Tuner, SaysBeforehandWhatNoTrialCanDo) {
  EXPECT_SAYS(error_of([&] { search_in("a", "policy.retrieval.kk: integer 1 9"); }),
              "did you mean 'k'");
  EXPECT_SAYS(error_of([&] { search_in("a", "policy.retrieval.ratio: uniform 0.5 2"); }),
              "search space");
  EXPECT_SAYS(error_of([&] { search_in("a", "policy.kernel: choice uniform | flat"); }), "'flat'");
  settings_.rungs = 0;
  EXPECT_SAYS(error_of([&] { search_in("a", neighbors_); }), "rungs");
  settings_.rungs = 1;
  config_.data = "no-such-file.npz";
  EXPECT_SAYS(error_of([&] { search_in("a", neighbors_); }), "no-such-file.npz");
  EXPECT_FALSE(fs::exists(folder_ / "a"));
}

TEST_F(Tuner, StopsWhenAsked) {
  stop_ = true;
  EXPECT_FALSE(search_in("a", neighbors_));
}

TEST(SearchSpaces, FitTheConfigsThatTheyAreFor) {
  int spaces = 0;
  for (const char* folder : {"spaces", "spaces-wide"})
    for (const auto& file :
         fs::directory_iterator(fs::path(DARP_SOURCE_DIR) / "studies" / folder)) {
      const SearchSpace space = read_search_space(file.path());
      for (const char* task : {"hopper", "walker", "halfcheetah", "ant", "maze", "push_t"})
        check_search_space(read_train_config(fs::path(DARP_SOURCE_DIR) / "configs" / task /
                                             file.path().filename()),
                           space);
      const fs::path recipe = fs::path(DARP_SOURCE_DIR) / "configs/recipe" / file.path().filename();
      if (fs::exists(recipe)) {
        TrainConfig config = read_train_config(recipe);
        check_search_space(config, space);
        config.train.epochs = 50;
        EXPECT_TRUE(starting_point(config, space)) << recipe;
      }
      ++spaces;
    }
  EXPECT_GE(spaces, 10);
}

TEST(SearchSpaces, LeaveOutWhatAValidationLossDoesNotSee) {
  const auto paths = [](TuneSettings::Objective objective) {
    std::vector<std::string> left;
    for (const SearchDimension& dimension :
         seen_by(objective, parse_search_space("policy.gain: choice 0.9 | 1\n"
                                               "policy.retrieval.k: integer 1 9\n"
                                               "policy.limits.low: choice [-1] | [0]\n"
                                               "policy.head.huber: choice 0 | 0.3\n"
                                               "policy.acting: choice mode | sample",
                                               ""))
             .dimensions)
      left.push_back(dimension.path);
    return left;
  };
  EXPECT_EQ(paths(TuneSettings::Objective::kReturn).size(), 5u);
  EXPECT_EQ(paths(TuneSettings::Objective::kValidation),
            std::vector<std::string>{"policy.retrieval.k"});
  EXPECT_SAYS(error_of([] {
                seen_by(TuneSettings::Objective::kValidation,
                        parse_search_space("policy.gain: uniform 0.8 1.2", ""));
              }),
              "has nothing that a validation loss can choose; search by return");
}

/// A search of three trials, by hand: one fails, one goes on.
TuneResult small_search() {
  TuneResult result;
  result.trials = {{0, 0, {"k=10", "kind=a"}, {10, 0}, 1.5, "t0/policy.darp"},
                   {1, 0, {"k=90", "kind=b"}, {90, 1}, 2.5, "t1/policy.darp"},
                   {2, 0, {"k=50", "kind=b"}, {50, 1}, -HUGE_VAL, "t2/policy.darp", "diverged"},
                   {1, 1, {"k=90", "kind=b"}, {90, 1}, 2.0, "t1b/policy.darp"}};
  return result;
}

TEST(TuneExhibits, ShowBestHistoryImportancesAndTrials) {
  const SearchSpace space = parse_search_space("k: log integer 1 100\nkind: choice a | b", "");
  TuneSettings settings;
  settings.rungs = 2;
  const TuneResult result = small_search();
  EXPECT_EQ(result.best().policy, "t1b/policy.darp");
  const ExhibitSet set = tune_exhibits(space, settings, result, "lwr", "dummy");
  EXPECT_EQ(set.title, "Settings for lwr on dummy");
  EXPECT_SAYS(set.summary, "3 trials and 4 trainings ended, 1 of the trials failed");
  EXPECT_SAYS(set.summary, "on search seeds 100000..100009");
  ASSERT_EQ(set.exhibits.size(), 5u);
  const auto& best = std::get<ExhibitTable>(set.exhibits[0]);
  ASSERT_EQ(best.rows.size(), 2u);
  EXPECT_EQ(best.rows[0][1].text, "90");
  EXPECT_EQ(best.rows[1][1].text, "b");
  EXPECT_EQ(best.rows[1][2].text, "choice a | b");
  const auto& curves = std::get<ExhibitCurves>(set.exhibits[1]);
  ASSERT_EQ(curves.series.size(), 3u);  // two rungs and the best
  EXPECT_EQ(curves.series[0].x, (std::vector<double>{1, 2}));
  EXPECT_EQ(curves.series[2].y.back(), 2.0);
  const auto& shares = std::get<ExhibitTable>(set.exhibits[2]);
  ASSERT_EQ(shares.rows.size(), 2u);
  EXPECT_EQ(shares.rows[0][2].text, "90 to 90");
  EXPECT_EQ(shares.rows[1][2].text, "1 x b");
  const auto& parallel = std::get<ExhibitParallel>(set.exhibits[3]);
  ASSERT_EQ(parallel.lines.size(), 2u) << "without the failure";
  EXPECT_EQ(parallel.lines[0].values, (std::vector<double>{90, 1}));
  EXPECT_EQ(parallel.lines[0].score, 2.0);
  EXPECT_EQ(std::get<ExhibitTable>(set.exhibits[4]).rows.size(), 2u);
}

}  // namespace
}  // namespace darp
