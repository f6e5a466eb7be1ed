#include "darp/study/analysis/smoothness_curve.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "darp/core/rng.h"

namespace darp {

double curve_truth(const CurveSettings& settings, double x) {
  return std::sin(2 * std::numbers::pi * settings.periods * x);
}

std::vector<double> curve_places(const CurveSettings& settings) {
  Rng rng(0, 1);
  std::vector<double> places;
  while (std::ssize(places) < settings.samples) {
    const double x = places.size() % 2 == 0 ? rng.uniform() : 0.3 + 0.06 * rng.normal();
    if (x >= 0 && x <= 1) places.push_back(x);
  }
  std::sort(places.begin(), places.end());
  return places;
}

Dataset curve_samples(const CurveSettings& settings, uint64_t seed) {
  const std::vector<double> places = curve_places(settings);
  Rng rng(seed, 2);
  DatasetContents contents;
  contents.observations = Matrix::zeros(settings.samples, 1);
  contents.actions = Matrix::zeros(settings.samples, 1);
  for (int64_t i = 0; i < settings.samples; ++i) {
    const double x = places[static_cast<size_t>(i)];
    contents.observations(i, 0) = static_cast<float>(x);
    contents.actions(i, 0) =
        static_cast<float>(curve_truth(settings, x) + settings.noise * rng.normal());
  }
  contents.episode_ends = {settings.samples};
  contents.source = "noisy samples of a sine";
  return Dataset(std::move(contents));
}

std::vector<double> curve_fit(const PolicyFunction& function, std::span<const double> places) {
  std::vector<double> values;
  for (const double x : places) {
    const float observation = static_cast<float>(x);
    float action = 0;
    function.policy->reset(0);
    function.policy->act({&observation, 1}, {&action, 1});
    values.push_back(action);
  }
  return values;
}

double total_variation(std::span<const double> values) {
  double sum = 0;
  for (size_t i = 1; i < values.size(); ++i) sum += std::abs(values[i] - values[i - 1]);
  return sum;
}

double steepest_slope(std::span<const double> values, double spacing, size_t apart) {
  double steepest = 0;
  for (size_t i = apart; i < values.size(); ++i)
    steepest = std::max(steepest, std::abs(values[i] - values[i - apart]));
  return steepest / (spacing * static_cast<double>(apart));
}

CurveErrors curve_errors(const std::vector<std::vector<double>>& fits,
                         std::span<const double> truth) {
  const auto count = static_cast<double>(fits.size());
  CurveErrors errors;
  for (size_t i = 0; i < truth.size(); ++i) {
    double sum = 0, squares = 0, error = 0;
    for (const auto& fit : fits) sum += fit[i];
    const double mean = sum / count;
    for (const auto& fit : fits) {
      squares += (fit[i] - mean) * (fit[i] - mean);
      error += (fit[i] - truth[i]) * (fit[i] - truth[i]);
    }
    errors.squared_error += error / count;
    errors.squared_bias += (mean - truth[i]) * (mean - truth[i]);
    errors.variance += squares / count;
  }
  for (double* sum : {&errors.squared_error, &errors.squared_bias, &errors.variance})
    *sum /= static_cast<double>(truth.size());
  return errors;
}

}  // namespace darp
