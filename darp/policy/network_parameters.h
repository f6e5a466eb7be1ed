#pragma once
// A network's numbers as one flat vector, in the order of a forward pass, and their names as
// PyTorch users know them: layers.0.linear.weight [units, inputs], layers.0.linear.bias,
// layers.0.norm.weight, layers.0.norm.bias, layers.1.linear.weight, ...

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "darp/core/matrix.h"
#include "darp/core/rng.h"
#include "darp/policy/policy_spec.h"

namespace darp {

struct Parameter {
  std::string name;
  std::vector<int64_t> shape;
  int64_t offset = 0, size = 0;  // floats
};

/// One network's parameters; each starts where the one before ends.
std::vector<Parameter> network_parameters(const MlpSettings& network, int64_t inputs,
                                          int64_t outputs);
/// All of them together.
int64_t parameter_count(const std::vector<Parameter>& parameters);

/// Where one layer's numbers are in the flat vector.
struct LayerParameters {
  Parameter weight, bias;
  Parameter scale, shift;  // of LayerNorm; empty without

  /// The weight's numbers in a vector that is laid out as the parameters are.
  template <class T>
  BasicMatrixView<T> weight_in(T* numbers) const {
    return {numbers + weight.offset, weight.shape[0], weight.shape[1], weight.shape[1]};
  }
};
/// Hidden layers, then the output layer.
std::vector<LayerParameters> layer_parameters(const std::vector<Parameter>& parameters);

/// PyTorch's default start: weights and biases of linear layers uniform within
/// +-1/sqrt(inputs), LayerNorm 1 and 0. `out` has parameter_count floats.
void initialize_parameters(const std::vector<Parameter>& parameters, Rng rng, std::span<float> out);

}  // namespace darp
