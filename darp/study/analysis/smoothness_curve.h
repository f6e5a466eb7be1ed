#pragma once
// The paper's one-dimensional illustration: noisy samples of a smooth function, denser at some
// places than at others, as demonstrations; and what a fit to them is like.

#include <span>
#include <vector>

#include "darp/data/dataset.h"
#include "darp/study/analysis/smoothness_probe.h"
#include "darp/study/study_spec.h"

namespace darp {

/// sin(2 pi periods x): the truth, for x from 0 to 1.
double curve_truth(const CurveSettings& settings, double x);

/// Where samples are, ascending: half of them anywhere in [0, 1], half of them around 0.3 (normal,
/// standard deviation 0.06, within [0, 1]). Always the same for the same number.
std::vector<double> curve_places(const CurveSettings& settings);

/// x as observation, the truth with normal noise as action; the noise is that of the seed. One
/// episode.
Dataset curve_samples(const CurveSettings& settings, uint64_t seed);

/// A policy's answers to each place, as the first step of an episode.
std::vector<double> curve_fit(const PolicyFunction& function, std::span<const double> places);

/// The sum of all ways up and down.
double total_variation(std::span<const double> values);

/// The largest |f(x + d) - f(x)| / d on places `spacing` apart, with d = `apart` steps.
double steepest_slope(std::span<const double> values, double spacing, size_t apart);

/// Several fits to samples with different noise, against the truth: means over all places.
struct CurveErrors {
  double squared_error = 0;  // of a fit: the other two together
  double squared_bias = 0;   // of the mean of the fits
  double variance = 0;       // of the fits around their mean (divided by their number)
};
CurveErrors curve_errors(const std::vector<std::vector<double>>& fits,
                         std::span<const double> truth);

}  // namespace darp
