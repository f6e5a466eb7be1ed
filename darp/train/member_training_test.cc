#include "darp/train/member_training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "darp/train/fused_objective.h"
#include "tests/error_of.h"
#include "tests/random_training.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

/// Nine queries to learn from and to validate on, and everything that training needs.
struct SmallTraining {
  TrainSettings settings;
  PolicySpec spec;
  Rng rng{7};
  RandomTraining data{rng, 4, 2, 3, 8}, held_out{rng, 4, 2, 3, 8};
  ThreadPool pool{1};
  std::unique_ptr<Objective> objective, validation;
  std::vector<Parameter> parameters;

  SmallTraining() {
    DarpSpec darp;
    darp.network.hidden = {8, 6};
    spec.kind = darp;
    spec.members = 2;
    settings.epochs = 3;
    settings.batch = 4;
    settings.ema = 0.9;
    settings.query_noise = 0.1;
    objective = make_fused_objective(spec, data.memory(), data.examples(spec), pool);
    validation = make_fused_objective(spec, held_out.memory(), held_out.examples(spec), pool);
    parameters = policy_parameters(spec, 4, 2);
  }
  MemberTraining training(bool validated = true) {
    return MemberTraining({.settings = settings,
                           .parameters = parameters,
                           .members = spec.members,
                           .training = *objective,
                           .training_rows = 9,
                           .observation_dim = 4,
                           .validation = validated ? validation.get() : nullptr,
                           .validation_rows = 9,
                           .pool = pool});
  }
};

/// Steps and epochs until nothing is left.
void finish(MemberTraining& training, TrainState& state) {
  while (!training.finished(state)) {
    training.step(state);
    if (training.epoch_is_over(state)) training.end_epoch(state);
  }
}

TEST(MemberTraining, GoesOnFromAnyCheckpointToTheSameBits) {
  SmallTraining small;
  MemberTraining training = small.training();
  TrainState whole = training.start();
  finish(training, whole);
  ASSERT_EQ(whole.finished.size(), 2u);
  EXPECT_NE(whole.finished[0], whole.finished[1]);

  const auto path = test_folder() / "checkpoint.safetensors";
  TrainState state = training.start();
  for (int steps = 0; !training.finished(state); ++steps) {
    write_checkpoint(path, state);
    MemberTraining anew = small.training();
    TrainState resumed = read_checkpoint(path, anew.limits(), "");
    ASSERT_EQ(resumed, state);
    finish(anew, resumed);
    ASSERT_EQ(resumed.finished, whole.finished) << "after " << steps << " steps";
    training.step(state);
    if (training.epoch_is_over(state)) training.end_epoch(state);
  }
}

TEST(MemberTraining, AveragesWithADecayThatGrows) {
  SmallTraining small;
  small.settings.epochs = 20;
  const auto expect_decays = [&](auto decay) {
    MemberTraining training = small.training(false);
    TrainState state = training.start();
    for (int64_t step = 0; step < 50; ++step) {
      const std::vector<float> before = state.averaged;
      training.step(state);
      const double kept = decay(static_cast<double>(step));
      for (size_t i = 0; i < before.size(); ++i)
        ASSERT_NEAR(state.averaged[i], kept * before[i] + (1 - kept) * state.parameters[i], 1e-6)
            << "step " << step;
      if (training.epoch_is_over(state)) training.end_epoch(state);
    }
  };
  expect_decays([](double step) { return std::min(0.9, (1 + step) / (10 + step)); });
  // From the 22nd step on the limit is 0.9.
  small.settings.ema_power = 0.75;
  expect_decays([](double step) { return std::min(0.9, 1 - 1 / std::pow(1 + step, 0.75)); });
}

TEST(MemberTraining, KeepsTheBestEpochByValidation) {
  SmallTraining small;
  small.spec.members = 1;
  small.settings.epochs = 12;
  small.settings.optimizer.learning_rate = 0.3;  // so that the last epoch is not the best
  MemberTraining training = small.training();
  TrainState state = training.start();
  double best = std::numeric_limits<double>::infinity();
  std::vector<float> best_weights;
  while (!training.finished(state)) {
    training.step(state);
    if (!training.epoch_is_over(state)) continue;
    const std::vector<float> weights = MemberTraining::answering(state);
    const EpochReport report = training.end_epoch(state);
    EXPECT_EQ(report.best, report.validation_loss < best);
    if (report.best) {
      best = report.validation_loss;
      best_weights = weights;
    }
  }
  EXPECT_EQ(state.finished[0], best_weights);
}

TEST(MemberTraining, StopsEarlyWhenValidationStopsFalling) {
  SmallTraining small;
  small.spec.members = 1;
  small.settings.epochs = 1000;
  small.settings.validation.fraction = 0.5;
  small.settings.validation.patience = 2;
  small.settings.optimizer.learning_rate = 0.1;
  MemberTraining training = small.training();
  TrainState state = training.start();
  int64_t epochs = 0, since_best = 0;
  while (!training.finished(state)) {
    training.step(state);
    if (!training.epoch_is_over(state)) continue;
    const EpochReport report = training.end_epoch(state);
    since_best = report.best ? 0 : since_best + 1;
    ++epochs;
  }
  EXPECT_EQ(since_best, 2);
  EXPECT_LT(epochs, 1000);
}

TEST(MemberTraining, LeavesTheStateAloneWhenItDiverges) {
  SmallTraining small;
  small.settings.stop_above = 1e-6;
  MemberTraining training = small.training(false);
  TrainState state = training.start();
  const TrainState before = state;
  EXPECT_SAYS(error_of([&] { training.step(state); }), "diverged");
  EXPECT_EQ(state, before);

  small.settings.stop_above = 1000;
  state.parameters[0] = NAN;
  EXPECT_SAYS(error_of([&] { training.step(state); }), "diverged");
}

TEST(MemberTraining, LearnsWhatCanBeLearned) {
  SmallTraining small;
  small.spec.members = 1;
  small.settings.epochs = 300;
  small.settings.query_noise = 0;
  MemberTraining training = small.training(false);
  TrainState state = training.start();
  double first = 0, last = 0;
  while (!training.finished(state)) {
    training.step(state);
    if (!training.epoch_is_over(state)) continue;
    last = training.end_epoch(state).training_loss;
    if (first == 0) first = last;
  }
  EXPECT_LT(last, first / 4);
}

}  // namespace
}  // namespace darp
