#include "darp/train/ccil/dynamics_objective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "darp/train/ccil/spectral_norm.h"
#include "tests/linear_system.h"

namespace darp {
namespace {

using LipschitzKind = LipschitzSettings::Kind;
using LipschitzMode = LipschitzSettings::Mode;

CcilSettings small_model(LipschitzKind kind, LipschitzMode mode = LipschitzMode::kFaithful) {
  CcilSettings settings;
  settings.labels = CcilSettings::Labels::kBackwardEuler;
  settings.dynamics.hidden = {9, 7};
  settings.lipschitz.kind = kind;
  settings.lipschitz.mode = mode;
  // So large that they count.
  settings.lipschitz.noise = 0.2;
  settings.lipschitz.penalty = 0.7;
  settings.lipschitz.constant = 0.05;
  return settings;
}

std::vector<float> random_weights(const std::vector<Parameter>& layout, uint64_t seed) {
  std::vector<float> weights(parameter_count(layout));
  initialize_parameters(layout, Rng(seed), weights);
  return weights;
}

/// Compares the gradient with central differences of `loss`.
template <class Loss>
void expect_slopes(const Loss& loss, std::vector<float> at, const std::vector<float>& gradient) {
  constexpr float kStep = 2e-3f;
  double largest = 0;
  for (const float g : gradient) largest = std::max(largest, std::abs(static_cast<double>(g)));
  ASSERT_GT(largest, 1e-3);
  for (size_t i = 0; i < at.size(); ++i) {
    const float here = at[i], high = here + kStep, low = here - kStep;
    at[i] = high;
    const double above = loss(at);
    at[i] = low;
    const double below = loss(at);
    at[i] = here;
    const double slope = (above - below) / (static_cast<double>(high) - static_cast<double>(low));
    EXPECT_NEAR(gradient[i], slope, 0.01 * largest) << "parameter " << i;
  }
}

TEST(DynamicsObjective, GradientIsThatOfFiniteDifferencesWithEveryControl) {
  const Transitions transitions(system_episodes(1, 2, 9));
  std::vector<int64_t> rows(transitions.rows());
  std::iota(rows.begin(), rows.end(), 0);
  ThreadPool pool(2);
  for (const auto& [kind, mode] : {std::pair{LipschitzKind::kNone, LipschitzMode::kFaithful},
                                   {LipschitzKind::kSoftSampling, LipschitzMode::kFaithful},
                                   {LipschitzKind::kSoftSampling, LipschitzMode::kCorrected},
                                   {LipschitzKind::kSlack, LipschitzMode::kFaithful}}) {
    const CcilSettings settings = small_model(kind, mode);
    const auto layout = dynamics_parameters(settings, kSystemStates, kSystemActions);
    const std::vector<float> weights = random_weights(layout, 3);
    DynamicsObjective objective(transitions, settings, pool);
    std::vector<float> gradient(weights.size(), NAN), ignored(weights.size());
    objective.gradient(weights, rows, Rng(7), gradient);
    expect_slopes(
        [&](const std::vector<float>& at) { return objective.gradient(at, rows, Rng(7), ignored); },
        weights, gradient);
  }
}

TEST(DynamicsObjective, PenaltyIsWhatItsModeSays) {
  const Transitions transitions(system_episodes(2, 2, 9));
  const std::vector<int64_t> rows = {3, 0, 11};
  ThreadPool pool(1);
  const auto layout =
      dynamics_parameters(small_model(LipschitzKind::kNone), kSystemStates, kSystemActions);
  const std::vector<float> weights = random_weights(layout, 4);
  std::vector<float> ignored(weights.size());
  DynamicsObjective plain(transitions, small_model(LipschitzKind::kNone), pool);
  const double imitation = plain.gradient(weights, rows, Rng(5), ignored);
  ReluNetwork network(layout, "dynamics.", pool);
  network.set(weights);
  const auto answers_at = [&](const std::vector<double>& s_a) {
    Matrix input = Matrix::zeros(1, kSystemStates + kSystemActions);
    for (int64_t j = 0; j < input.cols(); ++j)
      input(0, j) = plain.input_scaling().standardized(j, s_a[j]);
    const MatrixView answers = network.forward(input);
    return std::vector<double>(answers.row(0).begin(), answers.row(0).end());
  };
  const Matrix inputs = transitions.inputs();
  for (const LipschitzMode mode : {LipschitzMode::kFaithful, LipschitzMode::kCorrected}) {
    const CcilSettings settings = small_model(LipschitzKind::kSoftSampling, mode);
    const LipschitzSettings& l = settings.lipschitz;
    const bool faithful = mode == LipschitzMode::kFaithful;
    Rng rng(5);
    double sum = 0;
    for (const int64_t row : rows)
      for (int64_t n = 0; n < l.samples; ++n) {
        std::vector<double> here, there;
        double noise = 0, apart = 0;
        for (const float x : inputs.row(row)) {
          const double z = rng.normal();
          noise += z * z;
          here.push_back(static_cast<double>(x));
          there.push_back(static_cast<double>(x) + l.noise * z);
        }
        const auto y = answers_at(here), other = answers_at(there);
        for (int64_t j = 0; j < kSystemStates; ++j) {
          const auto c = static_cast<size_t>(j);
          const double next_there = there[c] + plain.residual_scaling().restored(j, other[c]);
          const double left =
              faithful ? y[c] : here[c] + plain.residual_scaling().restored(j, y[c]);
          apart += (left - next_there) * (left - next_there);
        }
        const double length = std::sqrt(noise) * (faithful ? 1 : l.noise);
        sum += std::max(0.0, std::sqrt(apart) - l.constant * length);
      }
    const double expected = imitation + l.penalty * sum / static_cast<double>(3 * l.samples);
    DynamicsObjective objective(transitions, settings, pool);
    EXPECT_NEAR(objective.gradient(weights, rows, Rng(5), ignored), expected, 1e-5 * expected);
  }
}

TEST(SpectralNorm, KeepsEveryLayerBelowTheConstantAndHasItsGradient) {
  const CcilSettings settings = small_model(LipschitzKind::kSpectral);
  const auto layout = dynamics_parameters(settings, kSystemStates, kSystemActions);
  const auto layers = layer_parameters(layout, "dynamics.");
  std::vector<float> weights = random_weights(layout, 6), used(weights.size());
  // The last layer is small enough as it is.
  for (float& x : weights) x *= 3;
  for (float& x : std::span(weights).subspan(layers.back().weight.offset)) x *= 0.01f;
  constexpr double kConstant = 0.8;
  constexpr int kMany = 3000;
  SpectralNorm norm(layers, kConstant, Rng(1));
  norm.apply(weights, used, kMany);
  EXPECT_EQ(used.back(), weights.back());
  EXPECT_EQ(used[layers.back().weight.offset], weights[layers.back().weight.offset]);

  // Applied to what is normal already it changes nothing.
  std::vector<float> again(used.size());
  SpectralNorm other(layers, kConstant, Rng(2));
  other.apply(used, again, kMany);
  for (size_t i = 0; i < used.size(); ++i) EXPECT_NEAR(again[i], used[i], 1e-5);

  // Any function of the used weights will do.
  const auto value = [](const std::vector<float>& w) {
    double sum = 0;
    for (size_t i = 0; i < w.size(); ++i)
      sum += std::sin(static_cast<double>(i)) * static_cast<double>(w[i]);
    return sum;
  };
  std::vector<float> gradient(weights.size());
  for (size_t i = 0; i < gradient.size(); ++i)
    gradient[i] = static_cast<float>(std::sin(static_cast<double>(i)));
  norm.backward(weights, gradient);
  expect_slopes(
      [&](const std::vector<float>& at) {
        std::vector<float> out(at.size());
        SpectralNorm fresh(layers, kConstant, Rng(1));
        fresh.apply(at, out, kMany);
        return value(out);
      },
      weights, gradient);
}

TEST(Transitions, LeaveOutTheLastStepOfEveryEpisodeAndScaleColumns) {
  const Dataset dataset = system_episodes(3, 3, 5);
  const Transitions transitions(dataset);
  ASSERT_EQ(transitions.rows(), 12);
  for (int64_t j = 0; j < kSystemStates; ++j) {
    EXPECT_EQ(transitions.states(4, j), dataset.observations()(5, j));
    EXPECT_EQ(transitions.next(3, j), dataset.observations()(4, j));
  }
  Matrix rows = Matrix::zeros(4, 2);
  for (int64_t i = 0; i < 4; ++i) {
    rows(i, 0) = static_cast<float>(i);
    rows(i, 1) = 3;
  }
  const ColumnScaling scaling(rows);
  EXPECT_NEAR(scaling.standardized(0, 3.5), 2, 1e-6);  // mean 1.5, mean deviation 1
  EXPECT_NEAR(scaling.restored(0, 2), 3.5, 1e-6);
  EXPECT_EQ(scaling.standardized(1, 7), 0);
  EXPECT_EQ(scaling.restored(1, 7), 0);
}

}  // namespace
}  // namespace darp
