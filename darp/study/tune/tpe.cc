#include "darp/study/tune/tpe.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "darp/core/rng.h"
#include "darp/study/tune/parzen.h"

namespace darp {
namespace {

constexpr int kCandidates = 24;
// Choices are few: among many draws all would be there, always the same would win, and a choice
// that was unlucky at first would never be tried again.
constexpr int kChoiceCandidates = 2;
constexpr double kGoodShare = 0.15;
constexpr size_t kMostGood = 25;

/// One in each of `startup` equal parts over the first trials, in random order.
double startup_unit(size_t dimension, int64_t trial, const ProposalSettings& settings) {
  Rng rng = Rng(settings.seed).split(dimension);
  std::vector<int64_t> parts(static_cast<size_t>(settings.startup));
  std::iota(parts.begin(), parts.end(), 0);
  rng.shuffle(std::span(parts));
  std::vector<double> places(parts.size());
  for (double& place : places) place = rng.uniform();
  const auto index = static_cast<size_t>(trial);
  return (static_cast<double>(parts[index]) + places[index]) /
         static_cast<double>(settings.startup);
}

double promising_unit(const SearchDimension& dimension, std::span<const double> units, Rng& rng) {
  const size_t good = good_trials(units.size());
  const ParzenEstimator better(dimension, units.first(good));
  const ParzenEstimator worse(dimension, units.subspan(good));
  double best = 0.5, best_ratio = -1;
  const int candidates = dimension.choices.empty() ? kCandidates : kChoiceCandidates;
  for (int i = 0; i < candidates; ++i) {
    const double unit = better.sample(rng);
    if (const double ratio = better.density(unit) / worse.density(unit); ratio > best_ratio) {
      best = unit;
      best_ratio = ratio;
    }
  }
  return best;
}

}  // namespace

size_t good_trials(size_t count) {
  return std::min(kMostGood,
                  static_cast<size_t>(std::ceil(kGoodShare * static_cast<double>(count))));
}

SearchPoint propose(const SearchSpace& space, std::span<const SearchPoint> best_first,
                    int64_t trial, const ProposalSettings& settings) {
  SearchPoint point;
  // Streams of startup and of later trials do not meet.
  const Rng of_trial = Rng(settings.seed, 1).split(static_cast<uint64_t>(trial));
  for (size_t d = 0; d < space.dimensions.size(); ++d) {
    const SearchDimension& dimension = space.dimensions[d];
    Rng rng = of_trial.split(d);
    double unit = 0;
    if (trial < settings.startup) {
      unit = startup_unit(d, trial, settings);
    } else if (best_first.empty()) {
      unit = rng.uniform();
    } else {
      std::vector<double> units;
      for (const SearchPoint& other : best_first) units.push_back(dimension.unit_of(other[d]));
      unit = promising_unit(dimension, units, rng);
    }
    point.push_back(dimension.value_at(unit));
  }
  return point;
}

}  // namespace darp
