#include "darp/train/torch/graph_network.h"

namespace darp {
namespace {

at::Tensor drop_out(const at::Tensor& x, double probability, at::Generator& generator) {
  const double kept = 1 - probability;
  return x * at::empty_like(x).bernoulli_(kept, generator).div_(kept);
}

}  // namespace

at::Tensor graph_network(const MlpSettings& settings, const NamedTensors& parameters,
                         const std::string& prefix, const at::Tensor& input,
                         at::Generator* dropout) {
  at::Tensor x = input;
  const auto layer = [&](size_t i) { return fmt::format("{}layers.{}", prefix, i); };
  for (size_t i = 0; i < settings.hidden.size(); ++i) {
    x = parameters.linear(x, layer(i) + ".linear");
    if (settings.norm == MlpSettings::Norm::kLayer)
      x = at::layer_norm(x, {settings.hidden[i]}, parameters[layer(i) + ".norm.weight"],
                         parameters[layer(i) + ".norm.bias"], MlpSettings::kNormEpsilon);
    x = at::relu(x);
    if (dropout != nullptr && settings.dropout > 0) x = drop_out(x, settings.dropout, *dropout);
  }
  return parameters.linear(x, layer(settings.hidden.size()) + ".linear");
}

}  // namespace darp
