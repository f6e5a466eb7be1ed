#pragma once
// Spectral normalisation (Miyato et al., 2018): every layer's weight W is used as
//   W / max(sigma / constant, 1)
// where sigma, its largest singular value, is found by power iteration, which goes on from call to
// call while the weights move little.

#include <span>
#include <vector>

#include "darp/core/rng.h"
#include "darp/policy/network_parameters.h"

namespace darp {

class SpectralNorm {
 public:
  SpectralNorm(const std::vector<LayerParameters>& layers, double constant, Rng rng);

  /// `used` becomes `parameters` with normalised weights, after so many iterations more.
  void apply(std::span<const float> parameters, std::span<float> used, int iterations = 1);

  /// From the gradient by what was used to the gradient by the parameters, those of the last
  /// apply(). As usual, the singular vectors count as constants.
  void backward(std::span<const float> parameters, std::span<float> gradient) const;

 private:
  struct Layer {
    LayerParameters parameters;
    std::vector<double> left, right;  // unit vectors
    double sigma = 0;
  };
  std::vector<Layer> layers_;
  double constant_;
};

}  // namespace darp
