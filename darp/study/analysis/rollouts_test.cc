#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "darp/core/silent_progress.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/env/registry.h"
#include "darp/study/analysis/demonstration_support.h"
#include "darp/study/analysis/divergence_step.h"
#include "darp/study/analysis/fork_evidence.h"
#include "darp/study/analysis/rollout_choice.h"
#include "darp/study/study.h"
#include "tests/error_of.h"
#include "tests/random_policy.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

/// Brings the dummy's puck to rest by all that it has seen, with a trembling hand.
class NostalgicPolicy : public Policy {
 public:
  explicit NostalgicPolicy(float strength) : strength_(strength) {}

  int64_t observation_dim() const override { return 4; }
  int64_t action_dim() const override { return 2; }
  void reset(uint64_t seed) override {
    rng_ = Rng(seed);
    past_ = {};
  }
  void act(std::span<const float> observation, std::span<float> action) override {
    for (size_t i = 0; i < 4; ++i) past_[i] = 0.7f * past_[i] + 0.3f * observation[i];
    for (size_t i = 0; i < 2; ++i)
      action[i] =
          -strength_ * (past_[i] + 1.5f * past_[i + 2]) + 0.1f * static_cast<float>(rng_.normal());
  }

 private:
  float strength_;
  Rng rng_{0};
  std::array<float, 4> past_{};
};
PolicyFactory nostalgic(float strength) {
  return [strength] { return std::make_unique<NostalgicPolicy>(strength); };
}
EpisodeRecord timeless(EpisodeRecord record) {
  record.seconds = -1;
  return record;
}

TEST(StepOfDivergence, IsWhereRewardsBeginToDifferForGood) {
  const std::vector<double> good(200, 1.0);
  std::vector<double> bad = good;
  std::fill(bad.begin() + 120, bad.end(), 0.2);
  EXPECT_EQ(step_of_divergence(bad, good), 120);
  EXPECT_EQ(step_of_divergence(good, bad), 120);
  // The end of an episode is the end of its rewards.
  bad.resize(150);
  EXPECT_EQ(step_of_divergence(bad, good), 120);
  EXPECT_EQ(step_of_divergence(std::vector<double>(50, 1.0), good), 50);
  EXPECT_EQ(step_of_divergence({}, good), 0);
}

TEST(StepOfDivergence, IsNowhereWithoutALastingDifference) {
  const std::vector<double> good(200, 1.0);
  EXPECT_EQ(step_of_divergence(good, good), std::nullopt);
  EXPECT_EQ(step_of_divergence({}, {}), std::nullopt);
  EXPECT_EQ(step_of_divergence(std::vector<double>(9), std::vector<double>(9)), std::nullopt);
  // Ahead for a while, then caught up with; the little that is left does not count.
  std::vector<double> other = good;
  for (size_t t = 20; t < 60; ++t) other[t] = t < 40 ? 3 : -1;
  other[199] = 1.1;
  EXPECT_EQ(step_of_divergence(good, other), std::nullopt);
  // Too late to fill a window.
  other = good;
  std::fill(other.end() - 5, other.end(), 0.0);
  EXPECT_EQ(step_of_divergence(good, other), std::nullopt);
}

TEST(StepOfDivergence, LooksThroughGaitsOutOfStep) {
  Rng rng(1);
  for (int round = 0; round < 20; ++round) {
    const auto fall = 100 + static_cast<int64_t>(rng.below(300));
    const double phase = rng.uniform(0, 0.5);
    std::vector<double> good, bad;
    for (int64_t t = 0; t < 800; ++t) {
      const auto time = static_cast<double>(t);
      good.push_back(3 + std::sin(time / 8) + 0.1 * rng.normal());
      if (t < fall + 30)
        bad.push_back(t < fall ? 3 + std::sin(time / 8 + phase) + 0.1 * rng.normal() : 0.5);
    }
    const auto step = step_of_divergence(bad, good);
    ASSERT_TRUE(step);
    // Within half a period: gaits that are out of step may part a little early.
    EXPECT_NEAR(static_cast<double>(*step), static_cast<double>(fall), 26);
  }
}

TEST(RolloutTrace, HasEveryStepOfTheEpisode) {
  const auto environment = make_environment("dummy");
  NostalgicPolicy policy(1);
  const EpisodeRecord plain = run_episode(*environment, policy, 5);
  const RolloutTrace trace = trace_episode(*environment, policy, 5, 10);
  EXPECT_EQ(timeless(trace.record), timeless(plain));
  ASSERT_EQ(std::ssize(trace.rewards), plain.length);
  ASSERT_EQ(std::ssize(trace.observations), plain.length);
  EXPECT_EQ(std::accumulate(trace.rewards.begin(), trace.rewards.end(), 0.0), plain.episode_return);
  ASSERT_EQ(std::ssize(trace.forks), (plain.length + 9) / 10);
  for (size_t i = 0; i < trace.forks.size(); ++i)
    EXPECT_EQ(trace.forks[i].step, static_cast<int64_t>(10 * i));
}

TEST(Fork, AtTheStartIsTheOtherPolicysOwnEpisode) {
  const auto environment = make_environment("dummy");
  NostalgicPolicy weak(0.05f), strong(1);
  const RolloutTrace trace = trace_episode(*environment, weak, 7, 10);
  const EpisodeRecord own = run_episode(*environment, strong, 7);
  EXPECT_NE(own.episode_return, trace.record.episode_return);
  for (const ForkMemory memory : {ForkMemory::kReplayed, ForkMemory::kEmpty})
    EXPECT_EQ(timeless(continue_from(trace, trace.forks[0], *environment, strong, memory)),
              timeless(own));
}

TEST(Fork, ContinuedByTheSamePolicyIsTheSameEpisode) {
  // Forks are restored in another environment than they were saved in.
  const auto environment = make_environment("dummy"), another = make_environment("dummy");
  NostalgicPolicy policy(0.4f), same(0.4f);
  for (uint64_t seed = 0; seed < 4; ++seed) {
    const RolloutTrace trace = trace_episode(*environment, policy, seed, 7);
    ASSERT_GT(trace.forks.size(), 2u);
    for (const RolloutFork& fork : trace.forks)
      EXPECT_EQ(timeless(continue_from(trace, fork, *another, same, ForkMemory::kReplayed)),
                timeless(trace.record));
    EXPECT_NE(timeless(continue_from(trace, trace.forks[2], *another, same, ForkMemory::kEmpty)),
              timeless(trace.record));
  }
}

TEST(Forks, AreTheSameForAnyNumberOfThreads) {
  const std::vector<ForkQuestion> questions = {
      {nostalgic(0.05f), 1, {{nostalgic(1)}, {nostalgic(1), ForkMemory::kEmpty}}},
      {nostalgic(0.02f), 2, {{nostalgic(1)}, {nostalgic(0.02f)}}}};
  const EnvironmentFactory dummies = [] { return make_environment("dummy"); };
  ThreadPool one(1), three(3);
  const auto a = find_forks(questions, dummies, 20, one),
             b = find_forks(questions, dummies, 20, three);
  ASSERT_EQ(a.size(), 2u);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].returns, b[i].returns);
    EXPECT_EQ(a[i].steps, b[i].steps);
  }
  EXPECT_EQ(a[1].returns[1], std::vector<double>(a[1].steps.size(), a[1].episode_return));

  // And the next time they are read.
  const fs::path file = test_folder() / "kept" / "forks.json";
  std::vector<ForkQuestion> broken = questions;
  for (ForkQuestion& question : broken)
    question.policy = []() -> std::unique_ptr<Policy> { throw Error("test", "was asked", ""); };
  EXPECT_EQ(kept_forks(file, "a", questions, dummies, 20, one)[0].returns, a[0].returns);
  EXPECT_EQ(kept_forks(file, "a", broken, dummies, 20, one)[1].returns, a[1].returns);
  EXPECT_SAYS(error_of([&] { kept_forks(file, "b", broken, dummies, 20, one); }), "was asked");
  write_file(file, std::string_view("{\"key\": \"a\", \"value\": [{}]}"));
  EXPECT_EQ(kept_forks(file, "a", questions, dummies, 20, one)[0].returns, a[0].returns);
}

TEST(Recovery, IsReadFromTheReturnsOfForks) {
  const ForkEvidence forks{10, 50, {0, 10, 20, 30, 40}, {{100, 90, 20, 85, 10}}};
  const Recovery recovery = recovery_of(forks, 0, 80);
  EXPECT_EQ(recovery.last_step, 30);
  EXPECT_EQ(recovery.first_lost, 20);
  EXPECT_DOUBLE_EQ(recovery.part, 0.6);
  EXPECT_EQ(recovery_of(forks, 0, 5).first_lost, -1);
  EXPECT_EQ(recovery_of(forks, 0, 500).last_step, -1);
  EXPECT_EQ(return_at(forks, 0, 0.0), 100);
  EXPECT_EQ(return_at(forks, 0, 0.39), 90);
  EXPECT_EQ(return_at(forks, 0, 0.4), 20);
  EXPECT_EQ(return_at(forks, 0, 0.99), 10);
}

Evaluation returns_on_scale(const std::vector<double>& returns) {
  Evaluation evaluation;
  evaluation.scale = ScoreScale{0, 100};
  evaluation.subject.seeds = {0, returns.size() - 1};
  for (size_t i = 0; i < returns.size(); ++i)
    evaluation.records.push_back({.seed = i, .episode_return = returns[i]});
  return evaluation;
}

TEST(RolloutChoice, TakesFailuresThatTheOtherDoesNotShare) {
  const std::vector<Evaluation> weak = {returns_on_scale({10, 90, 20, 49, 49}),
                                        returns_on_scale({10, 50, 20, 40, 90})};
  const std::vector<Evaluation> strong = {returns_on_scale({90, 95, 30, 80, 79}),
                                          returns_on_scale({20, 99, 85, 99, 99})};
  RolloutSettings settings;
  RolloutChoice choice = choose_rollouts(weak, strong, settings);
  EXPECT_TRUE(choice.as_wanted);
  EXPECT_EQ(choice.wanted, 4);
  EXPECT_EQ(choice.all, 10);
  const auto places = [](const RolloutChoice& one) {
    std::vector<std::pair<int64_t, uint64_t>> all;
    for (const RolloutPair& pair : one.pairs) all.emplace_back(pair.training, pair.seed);
    return all;
  };
  using Places = std::vector<std::pair<int64_t, uint64_t>>;
  EXPECT_EQ(places(choice), (Places{{0, 0}, {0, 3}, {1, 2}, {1, 3}}));
  settings.count = 2;  // one of each training
  EXPECT_EQ(places(choose_rollouts(weak, strong, settings)), (Places{{0, 0}, {1, 2}}));
  settings.succeeds_from = 1;  // nobody: the largest differences, by place
  choice = choose_rollouts(weak, strong, settings);
  EXPECT_FALSE(choice.as_wanted);
  EXPECT_EQ(places(choice), (Places{{0, 0}, {1, 2}}));
}

TEST(DemonstrationSupport, HasTheDifferencesThatTheNetworkSees) {
  PolicyContents contents = random_policy(4, {.episodes = 3, .longest = 40});
  auto& darp = std::get<DarpSpec>(contents.spec.kind);
  darp.retrieval = {};
  darp.retrieval.k = 3;
  darp.retrieval.history.lookback = 1;
  darp.retrieval.exclude = RetrievalSettings::Exclude::kNothing;
  const double scale = darp.input.difference_scale;
  const PolicyArchive archive(std::move(contents));
  ThreadPool pool(1);
  const DemonstrationSupport support(archive, pool);
  const Matrix rows = archive.observations().apply(archive.demonstrations().observations);
  ASSERT_EQ(std::ssize(support.differences().ends), rows.rows());
  EXPECT_TRUE(same_bits(support.states().vectors, rows));

  // The obvious way: all differences of a row to others, the three shortest.
  for (const int64_t row : {int64_t{0}, rows.rows() / 2, rows.rows() - 1}) {
    std::vector<std::pair<double, int64_t>> others;
    for (int64_t other = 0; other < rows.rows(); ++other) {
      double square = 0;
      for (int64_t j = 0; j < rows.cols(); ++j)
        square += std::pow(double{rows(other, j)} - double{rows(row, j)}, 2);
      if (other != row) others.emplace_back(square, other);
    }
    std::ranges::sort(others);
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < rows.cols(); ++j)
        EXPECT_NEAR(
            support.differences().vectors(3 * row + i, j),
            scale * (double{rows(others[static_cast<size_t>(i)].second, j)} - double{rows(row, j)}),
            1e-5);
  }
  // A rollout through demonstrated states finds the states themselves first.
  std::vector<std::vector<float>> rollout;
  for (const int64_t row : {5, 6})
    rollout.emplace_back(archive.demonstrations().observations.row(row).begin(),
                         archive.demonstrations().observations.row(row).end());
  rollout.push_back(std::vector<float>(4, std::numeric_limits<float>::quiet_NaN()));
  const VectorSets met = support.differences_of(rollout);
  EXPECT_EQ(met.ends, (std::vector<int64_t>{3, 6, 6}));
  for (int64_t j = 0; j < rows.cols(); ++j) EXPECT_EQ(met.vectors(3, j), 0);
}

TEST(Likelihood, OfASetIsTheMeanAndOnePercentIsBelowTheThreshold) {
  Rng rng(9);
  VectorSets sets;
  sets.vectors = Matrix::zeros(2000, 2);
  for (int64_t i = 0; i < 2000; ++i)
    for (float& x : sets.vectors.row(i)) x = static_cast<float>(rng.normal());
  for (int64_t end = 2; end <= 2000; end += 2) sets.ends.push_back(end);
  ThreadPool pool(1);
  const LikelihoodModel model = fit_likelihood(sets, 2, 500, pool);
  const std::vector<double> means = mean_log_likelihoods(model.mixture, sets, pool);
  ASSERT_EQ(means.size(), 1000u);
  EXPECT_DOUBLE_EQ(means[7], (model.mixture.log_likelihood(sets.vectors.row(14)) +
                              model.mixture.log_likelihood(sets.vectors.row(15))) /
                                 2);
  EXPECT_EQ(std::ranges::count_if(means, [&](double x) { return x < model.threshold; }), 10);
  EXPECT_NEAR(held_out_share_below(sets, 1, 2000, pool), 0.01, 0.006);
}

/// A project in a folder: demonstrations of the puck, a task and two methods.
class RolloutStudies : public ::testing::Test {
 protected:
  RolloutStudies() {
    Rng rng(3);
    DatasetContents contents;
    contents.observations = Matrix::zeros(60, 4);
    contents.actions = Matrix::zeros(60, 2);
    for (int64_t i = 0; i < 60; ++i) {
      for (float& x : contents.observations.row(i)) x = static_cast<float>(rng.normal());
      for (int64_t j = 0; j < 2; ++j)
        contents.actions(i, j) = -contents.observations(i, j) - contents.observations(i, j + 2);
    }
    contents.episode_ends = {30, 60};
    write_dataset(Dataset(std::move(contents)), root_ / "puck.npz");
    fs::create_directories(root_ / "studies" / "tasks");
    fs::create_directories(root_ / "configs");
    write_file(root_ / "studies/tasks/puck.yaml",
               std::string_view("environment: dummy\nconfigs: configs\nbundled: puck.npz\n"));
    write_file(
        root_ / "configs/bc.yaml",
        std::string_view("policy: {kind: bc, network: {hidden: [4]}}\ntrain: {epochs: 1}\n"));
    write_file(root_ / "configs/darp.yaml",
               std::string_view("policy: {kind: darp, network: {hidden: [8]}, retrieval: {k: 5, "
                                "history: {lookback: 2}}}\ntrain: {epochs: 60}\n"));
    places_ = {root_ / "studies", root_, {}};
    options_.out = root_ / "out";
    options_.jobs = 2;
    options_.progress = silent_progress();
    spec_.name = "puck";
    spec_.tasks = {"puck"};
    spec_.methods = {"bc", "darp"};
    spec_.seeds = 2;
    spec_.episodes = 6;
    spec_.rollouts.count = 3;
    spec_.rollouts.components = {1, 2};
  }

  const fs::path root_ = test_folder();
  StudyPlaces places_;
  StudyOptions options_;
  StudySpec spec_;
};

const ExhibitTable& table_named(const ExhibitSet& set, const std::string& name) {
  for (const Exhibit& one : set.exhibits)
    if (heading_of(one).name == name) return std::get<ExhibitTable>(one);
  throw Error(name, "is not among the exhibits", "");
}

TEST_F(RolloutStudies, ShowDivergenceAndReadItTheNextTime) {
  spec_.rollouts.fails_below = 0;  // nobody fails so badly: the largest differences are shown
  const auto set = divergence_study(spec_, {places_, options_});
  ASSERT_TRUE(set);
  EXPECT_EQ(table_named(*set, "rollouts").rows.size(), 3u);
  EXPECT_EQ(table_named(*set, "components").rows.size(), 2u);
  EXPECT_EQ(set->exhibits.size(), 3 + 3 * 3u);
  EXPECT_SAYS(set->summary, "The paper says");
  std::vector<fs::file_time_type> times;
  for (const auto& file : fs::directory_iterator(options_.out / "rollouts"))
    times.push_back(file.last_write_time());
  EXPECT_FALSE(times.empty());
  const auto again = divergence_study(spec_, {places_, options_});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->summary, set->summary);
  for (const auto& file : fs::directory_iterator(options_.out / "rollouts"))
    EXPECT_NE(std::ranges::find(times, file.last_write_time()), times.end());
  const auto& before = std::get<ExhibitCurves>(set->exhibits[4]);
  EXPECT_EQ(std::get<ExhibitCurves>(again->exhibits[4]).series[1].y, before.series[1].y);
}

TEST_F(RolloutStudies, ShowForksAndSayWhatTheyLookAt) {
  spec_.rollouts.succeeds_from = 1;
  spec_.rollouts.fails_below = 0;  // nobody fails so badly
  spec_.rollouts.fork_every = 50;
  const auto set = forking_study(spec_, {places_, options_});
  ASSERT_TRUE(set);
  EXPECT_SAYS(set->summary, "shown instead: the 3 with the largest difference");
  EXPECT_EQ(table_named(*set, "recovery").rows.size(), 3u);
  // darp, bc, darp without memory, bc of another training.
  EXPECT_EQ(table_named(*set, "continuations").rows.size(), 4u);
}

TEST_F(RolloutStudies, RefuseOtherThanTwoMethodsAndOneProtocol) {
  const StudyContext context{places_, options_};
  spec_.methods = {"bc"};
  EXPECT_SAYS(error_of([&] { forking_study(spec_, context); }), "name two");
  spec_.methods = {"darp", "bc"};
  EXPECT_SAYS(error_of([&] { divergence_study(spec_, context); }), "no neighbours");
  spec_.protocols = {"searched"};
  EXPECT_SAYS(error_of([&] { forking_study(spec_, context); }), "protocol");
}

}  // namespace
}  // namespace darp
