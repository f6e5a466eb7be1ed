#include "darp/policy/network_parameters.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "darp/core/checked.h"

namespace darp {
namespace {

constexpr uint64_t kMostParameters = uint64_t{1} << 40;

}  // namespace

void append(std::vector<Parameter>& parameters, std::string name, std::vector<int64_t> shape,
            ParameterStart start) {
  // Settings may come from a file: nothing wraps around.
  const int64_t offset = parameter_count(parameters);
  const std::vector<uint64_t> factors(shape.begin(), shape.end());
  const std::optional<uint64_t> size = checked_product(factors);
  if (!size || *size > kMostParameters - static_cast<uint64_t>(offset))
    throw Error(name, "has more numbers than any memory",
                "choose a smaller network or fewer "
                "neighbours");
  parameters.push_back(
      {std::move(name), std::move(shape), offset, static_cast<int64_t>(*size), start});
}

void append_convolution(std::vector<Parameter>& parameters, const std::string& name, int64_t inputs,
                        int64_t units, int64_t kernel) {
  const auto start = ParameterStart::uniform(
      1 / std::sqrt(static_cast<double>(inputs) * static_cast<double>(kernel)));
  append(parameters, name + ".weight", {units, inputs, kernel}, start);
  append(parameters, name + ".bias", {units}, start);
}

void append_linear(std::vector<Parameter>& parameters, const std::string& name, int64_t inputs,
                   int64_t units) {
  const auto start = ParameterStart::uniform(1 / std::sqrt(static_cast<double>(inputs)));
  append(parameters, name + ".weight", {units, inputs}, start);
  append(parameters, name + ".bias", {units}, start);
}

void append_norm(std::vector<Parameter>& parameters, const std::string& name, int64_t units) {
  append(parameters, name + ".weight", {units}, ParameterStart::constant(1));
  append(parameters, name + ".bias", {units}, ParameterStart::constant(0));
}

void append_mlp(std::vector<Parameter>& parameters, const std::string& prefix,
                const MlpSettings& network, int64_t inputs, int64_t outputs) {
  for (size_t i = 0; i <= network.hidden.size(); ++i) {
    const bool last = i == network.hidden.size();
    const int64_t units = last ? outputs : network.hidden[i];
    append_linear(parameters, fmt::format("{}layers.{}.linear", prefix, i), inputs, units);
    if (!last && network.norm == MlpSettings::Norm::kLayer)
      append_norm(parameters, fmt::format("{}layers.{}.norm", prefix, i), units);
    inputs = units;
  }
}

std::vector<Parameter> network_parameters(const MlpSettings& network, int64_t inputs,
                                          int64_t outputs) {
  std::vector<Parameter> parameters;
  append_mlp(parameters, "", network, inputs, outputs);
  return parameters;
}

int64_t parameter_count(const std::vector<Parameter>& parameters) {
  return parameters.empty() ? 0 : parameters.back().offset + parameters.back().size;
}

std::vector<LayerParameters> layer_parameters(const std::vector<Parameter>& parameters,
                                              const std::string& prefix) {
  std::vector<LayerParameters> layers;
  for (const Parameter& p : parameters) {
    if (!p.name.starts_with(prefix + "layers.")) continue;
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
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ParameterStart start = parameters[i].start;
    const std::span<float> values = out.subspan(parameters[i].offset, parameters[i].size);
    Rng stream = rng.split(i);
    for (float& value : values) switch (start.kind) {
        case ParameterStart::Kind::kUniform:
          value = static_cast<float>(stream.uniform(-start.size, start.size));
          break;
        case ParameterStart::Kind::kNormal:
          value = static_cast<float>(start.size * stream.normal());
          break;
        case ParameterStart::Kind::kConstant:
          value = static_cast<float>(start.size);
          break;
      }
  }
}

}  // namespace darp
