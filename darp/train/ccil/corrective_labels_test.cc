#include "darp/train/ccil/corrective_labels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "darp/policy/policy_archive.h"
#include "darp/train/ccil/labeled_dataset.h"
#include "darp/train/trainer.h"
#include "tests/error_of.h"
#include "tests/linear_system.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

using LabelKind = CcilSettings::Labels;
using ControlKind = LipschitzSettings::Kind;

Progress::Output quiet() {
  return {[](std::string_view) {}, false, {}};
}

CcilSettings quick_ccil(LabelKind labels = LabelKind::kBackwardEuler) {
  CcilSettings settings;
  settings.labels = labels;
  settings.draws = 3;
  settings.dynamics.hidden = {48, 48};
  settings.dynamics.batch = 64;
  settings.dynamics.epochs = 150;
  return settings;
}

DynamicsModel learned(const Transitions& transitions, const CcilSettings& settings,
                      uint64_t seed = 0, int threads = 1) {
  ThreadPool pool(threads);
  return *learn_dynamics(transitions, settings, pool,
                         {.seed = seed, .progress = quiet(), .stop = {}});
}

double apart(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t j = 0; j < a.size(); ++j) sum += std::pow(a[j] - b[j], 2);
  return std::sqrt(sum);
}

/// Quick to learn and the same for all tests of labels.
struct LearnedSystem {
  Transitions transitions{system_episodes(1)};
  DynamicsModel model = learned(transitions, quick_ccil());
  ThreadPool pool{1};

  CorrectiveLabels labels(const CcilSettings& settings, uint64_t seed = 0) {
    return corrective_labels(model, transitions, settings, seed, pool);
  }
};

TEST(DynamicsModel, LearnsALinearSystemWithEveryControl) {
  const Transitions transitions(system_episodes(1));
  const Matrix expected = transitions.residuals();
  for (const ControlKind kind : {ControlKind::kNone, ControlKind::kSoftSampling,
                                 ControlKind::kSpectral, ControlKind::kSlack}) {
    CcilSettings settings = quick_ccil();
    settings.lipschitz.kind = kind;
    const DynamicsModel model = learned(transitions, settings);
    ThreadPool pool(1);
    const Matrix got = model.residuals(transitions.states, transitions.actions, pool);
    double error = 0, size = 0;
    for (int64_t i = 0; i < got.rows(); ++i) {
      error += std::pow(apart(got.row(i), expected.row(i)), 2);
      for (const float x : expected.row(i)) size += x * x;
      EXPECT_EQ(got(i, 2), 0);  // it never changes
    }
    EXPECT_LT(std::sqrt(error / size), 0.1) << "control " << static_cast<int>(kind);
  }
}

TEST(DynamicsModel, KeepsEveryLayerAtTheConstantWithSpectralNormalization) {
  CcilSettings settings = quick_ccil();
  settings.lipschitz.kind = ControlKind::kSpectral;
  settings.lipschitz.constant = 0.9;
  const Transitions transitions(system_episodes(1));
  const DynamicsModel model = learned(transitions, settings);
  // Power iteration of our own.
  Rng rng(9);
  double largest = 0;
  for (const LayerParameters& layer : layer_parameters(model.parameters(), "dynamics.")) {
    const MatrixView w = layer.weight_in(model.weights().data());
    std::vector<double> v(w.cols());
    for (double& x : v) x = rng.normal();
    double sigma = 0;
    for (int step = 0; step < 2000; ++step) {
      std::vector<double> u(w.rows()), next(v.size());
      double norm = 0;
      for (int64_t i = 0; i < w.rows(); ++i)
        for (int64_t j = 0; j < w.cols(); ++j) u[i] += w(i, j) * v[j];
      for (int64_t i = 0; i < w.rows(); ++i)
        for (int64_t j = 0; j < w.cols(); ++j) next[j] += w(i, j) * u[i];
      for (const double x : next) norm += x * x;
      norm = std::sqrt(norm);
      for (size_t j = 0; j < v.size(); ++j) v[j] = next[j] / norm;
      sigma = std::sqrt(norm);
    }
    EXPECT_LT(sigma, 0.9 * 1.01);
    largest = std::max(largest, sigma);
  }
  EXPECT_GT(largest, 0.85);  // it was needed
}

TEST(DynamicsModel, HasTheSameBitsForTheSameSeedAndAnyThreads) {
  const Transitions transitions(system_episodes(1));
  for (const ControlKind kind :
       {ControlKind::kSoftSampling, ControlKind::kSpectral, ControlKind::kSlack}) {
    CcilSettings settings = quick_ccil();
    settings.dynamics.epochs = 3;
    settings.lipschitz.kind = kind;
    const auto first = learned(transitions, settings, 4).weights();
    EXPECT_EQ(learned(transitions, settings, 4, 3).weights(), first);
    EXPECT_NE(learned(transitions, settings, 5).weights(), first);
  }
}

TEST(DynamicsModel, DiffersBetweenFaithfulAndCorrected) {
  const Transitions transitions(system_episodes(1));
  CcilSettings settings = quick_ccil();
  settings.dynamics.epochs = 3;
  settings.lipschitz.kind = ControlKind::kSoftSampling;
  settings.lipschitz.constant = 0.1;
  const auto faithful = learned(transitions, settings).weights();
  settings.lipschitz.mode = LipschitzSettings::Mode::kCorrected;
  EXPECT_NE(learned(transitions, settings).weights(), faithful);
}

TEST(DynamicsModel, SaysThatItDiverged) {
  CcilSettings settings = quick_ccil();
  settings.dynamics.learning_rate = 1e30;
  EXPECT_SAYS(error_of([&] { learned(Transitions(system_episodes(1)), settings); }),
              "lower train.ccil.dynamics.learning_rate");
}

TEST(CorrectiveLabels, OfBackwardEulerGoBackFromTheState) {
  LearnedSystem system;
  const CorrectiveLabels labels = system.labels(quick_ccil());
  ASSERT_EQ(labels.rows(), system.transitions.rows());
  const Matrix f =
      system.model.residuals(system.transitions.states, system.transitions.actions, system.pool);
  for (int64_t i = 0; i < labels.rows(); ++i)
    for (int64_t j = 0; j < kSystemStates; ++j)
      EXPECT_EQ(labels.states(i, j), system.transitions.states(i, j) - f(i, j));
  EXPECT_TRUE(same_bits(labels.actions, system.transitions.actions));
}

TEST(CorrectiveLabels, OfForwardEulerLeadToTheState) {
  LearnedSystem system;
  const CorrectiveLabels labels = system.labels(quick_ccil(LabelKind::kForwardEuler));
  ASSERT_EQ(labels.rows(), system.transitions.rows());
  const Matrix f = system.model.residuals(labels.states, labels.actions, system.pool);
  for (int64_t i = 0; i < labels.rows(); ++i) {
    std::vector<float> reached;
    for (int64_t j = 0; j < kSystemStates; ++j) reached.push_back(labels.states(i, j) + f(i, j));
    EXPECT_LT(apart(reached, system.transitions.states.row(i)), 1.1e-4);
  }
}

TEST(CorrectiveLabels, OfNoisyActionsLeadToTheNextState) {
  LearnedSystem system;
  CcilSettings settings = quick_ccil(LabelKind::kNoisyAction);
  settings.action_noise = 0.1;
  const CorrectiveLabels labels = system.labels(settings, 3);
  ASSERT_EQ(labels.rows(), 3 * system.transitions.rows());
  double squares = 0;
  for (int64_t i = 0; i < labels.rows(); ++i) {
    const int64_t from = i / 3;
    const Matrix f =
        system.model.residuals(system.transitions.next.view().rows_between(from, from + 1),
                               labels.actions.view().rows_between(i, i + 1), system.pool);
    for (int64_t j = 0; j < kSystemStates; ++j)
      EXPECT_NEAR(labels.states(i, j), system.transitions.next(from, j) - f(0, j), 1e-6);
    squares += std::pow(apart(labels.actions.row(i), system.transitions.actions.row(from)), 2);
  }
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(labels.rows() * kSystemActions)), 0.1, 0.01);
  EXPECT_TRUE(same_bits(system.labels(settings, 3).states, labels.states));
  EXPECT_FALSE(same_bits(system.labels(settings, 4).states, labels.states));
}

TEST(CorrectiveLabels, AreDroppedWhereTheyAreFar) {
  LearnedSystem system;
  CcilSettings settings = quick_ccil();
  const CorrectiveLabels all = system.labels(settings);
  std::vector<double> distances;
  for (int64_t i = 0; i < all.rows(); ++i)
    distances.push_back(apart(all.states.row(i), system.transitions.states.row(i)));
  std::ranges::sort(distances);
  settings.max_distance = (distances[50] + distances[51]) / 2;
  const CorrectiveLabels near = system.labels(settings);
  EXPECT_EQ(near.rows(), 51);
}

TEST(CorrectiveLabels, JoinTheDemonstrationsAsEpisodesOfOneStep) {
  const Dataset demonstrations = system_episodes(1, 2, 4);
  CorrectiveLabels labels{Matrix::zeros(3, kSystemStates), Matrix::zeros(3, kSystemActions)};
  labels.states(2, 1) = 7;
  const Dataset once = with_labels(demonstrations, labels, 1);
  EXPECT_EQ(once.episode_ends(), (std::vector<int64_t>{4, 8, 9, 10, 11}));
  EXPECT_EQ(once.observations()(10, 1), 7);
  EXPECT_TRUE(same_bits(once.actions().rows_between(0, 8), demonstrations.actions()));
  const Dataset twice = with_labels(demonstrations, labels, 2);
  EXPECT_EQ(twice.episode_ends(), (std::vector<int64_t>{4, 8, 12, 16, 17, 18, 19}));
  EXPECT_TRUE(same_bits(twice.observations().rows_between(8, 16), demonstrations.observations()));
}

TEST(CorrectiveLabels, ComeBackFromTheirFileAndAreMadeAgainIfItIsDamaged) {
  const Dataset demonstrations = system_episodes(1, 3, 20);
  CcilSettings settings = quick_ccil();
  settings.dynamics.epochs = 3;
  const LabelFile file{test_folder() / "labels.safetensors", "key"};
  ThreadPool pool(1);
  const auto made = labeled_dataset(demonstrations, settings, file, pool, {.progress = quiet()});
  const auto written = std::filesystem::last_write_time(file.path);
  std::atomic<bool> stop = true;
  const auto again =
      labeled_dataset(demonstrations, settings, file, pool, {.progress = quiet(), .stop = &stop});
  ASSERT_TRUE(again.has_value());  // nothing was left to do
  EXPECT_TRUE(identical(*again, *made));
  EXPECT_EQ(std::filesystem::last_write_time(file.path), written);
  EXPECT_THROW(read_labels(file.path, "another key", kSystemStates, kSystemActions), Error);
  EXPECT_THROW(read_labels(file.path, "key", kSystemStates + 1, kSystemActions), Error);

  std::filesystem::resize_file(file.path, std::filesystem::file_size(file.path) - 4);
  EXPECT_FALSE(
      labeled_dataset(demonstrations, settings, file, pool, {.progress = quiet(), .stop = &stop})
          .has_value());
  const auto anew = labeled_dataset(demonstrations, settings, file, pool, {.progress = quiet()});
  EXPECT_TRUE(identical(*anew, *made));

  settings.max_distance = 1e-9;
  std::filesystem::remove(file.path);
  EXPECT_SAYS(error_of([&] {
                labeled_dataset(demonstrations, settings, file, pool, {.progress = quiet()});
              }),
              "raise train.ccil.max_distance");
}

TrainConfig ccil_config() {
  TrainConfig config;
  BcSpec cloning;
  cloning.network.hidden = {8};
  config.policy.kind = cloning;
  config.train.epochs = 3;
  config.train.ccil = quick_ccil();
  config.train.ccil.dynamics.epochs = 5;
  return config;
}

TrainOutcome train_in(const std::filesystem::path& out, const TrainConfig& config,
                      const std::atomic<bool>* stop = nullptr) {
  TrainerOptions options;
  options.out = out;
  options.resume = true;
  options.threads = 1;
  options.stop = stop;
  options.progress = quiet();
  return train(config, system_episodes(1, 5, 12), options);
}

std::vector<std::vector<float>> weights_of(const TrainOutcome& outcome) {
  return PolicyArchive::read(outcome.policy).members();
}

TEST(Ccil, TrainsResumablyAndDiffersFromBehaviorCloning) {
  const auto folder = test_folder();
  const TrainConfig config = ccil_config();
  const auto whole = weights_of(train_in(folder / "whole", config));
  const std::atomic<bool> stop = true;
  EXPECT_FALSE(train_in(folder / "stopped", config, &stop).finished);  // in the dynamics
  EXPECT_EQ(weights_of(train_in(folder / "stopped", config)), whole);
  TrainConfig cloning = config;
  cloning.train.ccil.labels = LabelKind::kNone;
  EXPECT_NE(weights_of(train_in(folder / "cloning", cloning)), whole);
}

TEST(Ccil, MakesNoLabelsFromValidationEpisodes) {
  TrainConfig config = ccil_config();
  config.train.validation.fraction = 0.4;
  const auto folder = test_folder();
  const TrainOutcome outcome = train_in(folder / "run", config);
  EXPECT_TRUE(outcome.finished);
  EXPECT_TRUE(outcome.validation_loss.has_value());
  // Three of five episodes of twelve steps, less the last of each.
  for (const auto& entry : std::filesystem::directory_iterator(folder / "run" / "checkpoints")) {
    if (!entry.path().filename().string().starts_with("labels-")) continue;
    const std::string key = entry.path().stem().string().substr(7);
    EXPECT_EQ(read_labels(entry.path(), key, kSystemStates, kSystemActions).rows(), 33);
    return;
  }
  FAIL() << "no file of labels";
}

TEST(Ccil, IsForBehaviorCloningWithOneAction) {
  TrainConfig config = ccil_config();
  EXPECT_EQ(error_of([&] { config.train.check(config.policy); }), "no error");
  config.policy.chunk.length = 2;
  EXPECT_SAYS(error_of([&] { config.train.check(config.policy); }), "set policy.chunk.length to 1");
  config.policy.kind.emplace<DarpSpec>();
  EXPECT_SAYS(error_of([&] { config.train.check(config.policy); }), "set policy.kind to bc");
}

}  // namespace
}  // namespace darp
