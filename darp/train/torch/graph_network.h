#pragma once
// A perceptron as plain LibTorch operations.

#include "darp/train/torch/named_tensors.h"

namespace darp {

/// [..., inputs] to [..., outputs]; its parameters are named `prefix`layers.0.linear.weight, ...
/// Dropout happens if `dropout` is given, and draws from it.
at::Tensor graph_network(const MlpSettings& settings, const NamedTensors& parameters,
                         const std::string& prefix, const at::Tensor& input,
                         at::Generator* dropout = nullptr);

}  // namespace darp
