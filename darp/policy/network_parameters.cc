#include "darp/policy/network_parameters.h"

#include <algorithm>
#include <cmath>

namespace darp {
namespace {

void append(std::vector<Parameter>& parameters, std::string name, std::vector<int64_t> shape) {
  const int64_t offset = parameter_count(parameters);
  int64_t size = 1;
  for (const int64_t extent : shape) size *= extent;
  parameters.push_back({std::move(name), std::move(shape), offset, size});
}

}  // namespace

std::vector<Parameter> network_parameters(const MlpSettings& network, int64_t inputs,
                                          int64_t outputs) {
  std::vector<Parameter> parameters;
  for (size_t i = 0; i <= network.hidden.size(); ++i) {
    const bool last = i == network.hidden.size();
    const int64_t units = last ? outputs : network.hidden[i];
    append(parameters, fmt::format("layers.{}.linear.weight", i), {units, inputs});
    append(parameters, fmt::format("layers.{}.linear.bias", i), {units});
    if (!last && network.norm == MlpSettings::Norm::kLayer) {
      append(parameters, fmt::format("layers.{}.norm.weight", i), {units});
      append(parameters, fmt::format("layers.{}.norm.bias", i), {units});
    }
    inputs = units;
  }
  return parameters;
}

int64_t parameter_count(const std::vector<Parameter>& parameters) {
  return parameters.empty() ? 0 : parameters.back().offset + parameters.back().size;
}

std::vector<LayerParameters> layer_parameters(const std::vector<Parameter>& parameters) {
  std::vector<LayerParameters> layers;
  for (const Parameter& p : parameters) {
    if (p.name.ends_with("linear.weight")) layers.emplace_back().weight = p;
    if (p.name.ends_with("linear.bias")) layers.back().bias = p;
    if (p.name.ends_with("norm.weight")) layers.back().scale = p;
    if (p.name.ends_with("norm.bias")) layers.back().shift = p;
  }
  return layers;
}

void initialize_parameters(const std::vector<Parameter>& parameters, Rng rng,
                           std::span<float> out) {
  DARP_CHECK(std::ssize(out) == parameter_count(parameters), "{} floats for {} parameters",
             out.size(), parameter_count(parameters));
  double bound = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    const std::span<float> values = out.subspan(parameter.offset, parameter.size);
    if (parameter.name.ends_with(".norm.weight") || parameter.name.ends_with(".norm.bias")) {
      std::ranges::fill(values, parameter.name.ends_with(".weight") ? 1.0f : 0.0f);
      continue;
    }
    // A bias comes right after the weight of its layer and has the same bound.
    if (parameter.shape.size() == 2) bound = 1 / std::sqrt(static_cast<double>(parameter.shape[1]));
    // A stream for each parameter: a wider layer leaves the others as they were.
    Rng stream = rng.split(i);
    for (float& value : values) value = static_cast<float>(stream.uniform(-bound, bound));
  }
}

}  // namespace darp
