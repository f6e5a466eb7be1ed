#include "darp/train/torch/graph_network.h"

namespace darp {

GraphNetwork::GraphNetwork(const MlpSettings& settings, int64_t inputs, int64_t outputs)
    : settings_(settings) {
  const std::vector<Parameter> parameters = network_parameters(settings, inputs, outputs);
  parameter_count_ = darp::parameter_count(parameters);
  for (const Parameter& parameter : parameters) {
    shapes_.push_back(parameter.shape);
    sizes_.push_back(parameter.size);
  }
}

at::Tensor GraphNetwork::operator()(const at::Tensor& parameters, const at::Tensor& input,
                                    at::Generator* dropout) const {
  // One split: its gradient is one concatenation, where slices would each fill a vector of zeros.
  std::vector<at::Tensor> parts = parameters.split_with_sizes(sizes_);
  for (size_t i = 0; i < parts.size(); ++i) parts[i] = parts[i].view(shapes_[i]);

  at::Tensor x = input;
  size_t next = 0;
  for (const int64_t units : settings_.hidden) {
    x = at::linear(x, parts[next], parts[next + 1]);
    next += 2;
    if (settings_.norm == MlpSettings::Norm::kLayer) {
      x = at::layer_norm(x, {units}, parts[next], parts[next + 1], MlpSettings::kNormEpsilon);
      next += 2;
    }
    x = at::relu(x);
    if (dropout != nullptr && has_dropout()) x = drop_out(x, *dropout);
  }
  return at::linear(x, parts[next], parts[next + 1]);
}

at::Tensor GraphNetwork::drop_out(const at::Tensor& x, at::Generator& generator) const {
  const double kept = 1 - settings_.dropout;
  return x * at::empty_like(x).bernoulli_(kept, generator).div_(kept);
}

}  // namespace darp
