#pragma once
// Where along one dimension some trials lie, as a density: the ground of proposals (tpe.h).

#include <span>
#include <vector>

#include "darp/core/rng.h"
#include "darp/study/tune/search_space.h"

namespace darp {

/// Over [0, 1]: a mixture, in equal parts, of a kernel at each of the values and of one wide kernel
/// in the middle (so that no place is impossible), cut off at the ends. A kernel is a Gaussian as
/// wide as the larger gap to its neighbours. Of choices: how often each is among the values, once
/// more than it is.
class ParzenEstimator {
 public:
  /// `units`: places of [0, 1] (SearchDimension::unit_of), any number of them.
  ParzenEstimator(const SearchDimension& dimension, std::span<const double> units);

  /// Above 0.
  double density(double unit) const;
  double sample(Rng& rng) const;

 private:
  struct Kernel {
    double center, width;
    double mass = 1;  // of the Gaussian within [0, 1]
  };
  size_t choice_at(double unit) const;

  std::vector<Kernel> kernels_;
  std::vector<double> shares_;  // of choices; empty: numbers
};

}  // namespace darp
