#pragma once
// The network of experts as its definition has it, in double.

#include <cmath>
#include <span>
#include <vector>

#include "darp/expert/ppo/tanh_network.h"

namespace darp {

inline std::vector<double> plain_network(const NetworkShape& shape,
                                         std::span<const double> parameters,
                                         std::span<const float> input) {
  std::vector<double> values(input.begin(), input.end());
  for (int64_t layer = 0; layer < shape.layers(); ++layer) {
    const auto weight = shape.weight(layer, parameters);
    const auto bias = shape.bias(layer, parameters);
    std::vector<double> next(bias.begin(), bias.end());
    for (int64_t i = 0; i < weight.rows(); ++i) {
      for (int64_t j = 0; j < weight.cols(); ++j) next[i] += weight(i, j) * values[j];
      if (layer + 1 < shape.layers()) next[i] = std::tanh(next[i]);
    }
    values = next;
  }
  return values;
}

}  // namespace darp
