#include "darp/expert/ppo/expert_network.h"

#include <algorithm>

#include "darp/core/error.h"

namespace darp {
namespace {

constexpr std::string_view kExpertKind = "darp expert network 1";
constexpr std::string_view kExpertRemedy = "train the expert again";

std::string layer_name(int64_t layer, std::string_view part) {
  return fmt::format("layers.{}.{}", layer, part);
}

TensorView tensor_of(std::string name, std::vector<uint64_t> shape, std::span<const float> values) {
  return {std::move(name), Dtype::kF32, std::move(shape), std::as_bytes(values)};
}

TensorView vector_tensor(std::string name, std::span<const float> values) {
  return tensor_of(std::move(name), {values.size()}, values);
}

/// The layers' sizes as the file's tensors have them; each must fit the one before.
NetworkShape read_shape(const SafetensorsFile& file) {
  NetworkShape shape;
  for (int64_t layer = 0; file.find(layer_name(layer, "weight")) != nullptr; ++layer) {
    const std::string name = layer_name(layer, "weight");
    const TensorView& weight = file.get(name);
    if (layer == kMostLayers)
      throw Error(file.where(), fmt::format("has more than {} layers", kMostLayers), kExpertRemedy);
    if (weight.shape.size() != 2 || weight.elements() == 0)
      throw Error(file.where(), fmt::format("'{}' is no table of weights", name), kExpertRemedy);
    if (layer > 0 && weight.shape[1] != static_cast<uint64_t>(shape.widths.back()))
      throw Error(file.where(), fmt::format("'{}' does not fit the layer before it", name),
                  kExpertRemedy);
    if (layer == 0) shape.widths.push_back(static_cast<int64_t>(weight.shape[1]));
    shape.widths.push_back(static_cast<int64_t>(weight.shape[0]));
  }
  if (shape.widths.empty())
    throw Error(file.where(), "has no layers", "give a network of `darp expert train`");
  return shape;
}

/// The numbers of a tensor that must have this many.
std::span<const float> exactly(const SafetensorsFile& file, const std::string& name, size_t count) {
  const auto values = file.floats(name);
  if (values.size() != count)
    throw Error(file.where(),
                fmt::format("'{}' has {} numbers, not {}", name, values.size(), count),
                kExpertRemedy);
  return values;
}

class RlExpert final : public Expert {
 public:
  explicit RlExpert(std::shared_ptr<const ExpertNetwork> network)
      : network_(std::move(network)),
        packed_(network_->shape),
        pass_(network_->shape, 1),
        input_(Matrix::zeros(1, network_->shape.inputs())) {
    packed_.pack(network_->parameters, false);
  }

  void start(const Environment& environment, Rng) override {
    const EnvironmentInfo& info = environment.info();
    if (info.observations.dim() != network_->shape.inputs() ||
        info.actions.dim() != network_->shape.outputs())
      throw Error(fmt::format("expert rl of {}", network_->environment),
                  fmt::format("has {} observations and {} actions, but {} has {} and {}",
                              network_->shape.inputs(), network_->shape.outputs(), info.name,
                              info.observations.dim(), info.actions.dim()),
                  "use the settings that it was trained with, or train one for these");
  }

  void act(const Environment& environment, std::span<const float> observation,
           std::span<float> action) override {
    normalize(observation, network_->shift, network_->scale, input_.row(0));
    const auto mean = pass_.forward(packed_, input_).row(0);
    const Space& actions = environment.info().actions;
    for (size_t i = 0; i < action.size(); ++i)
      action[i] = std::clamp(mean[i], actions.low[i], actions.high[i]);
  }

 private:
  std::shared_ptr<const ExpertNetwork> network_;
  PackedNetwork packed_;
  NetworkPass pass_;
  Matrix input_;
};

}  // namespace

void normalize(std::span<const float> observation, std::span<const float> shift,
               std::span<const float> scale, std::span<float> to) {
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = std::clamp((observation[i] - shift[i]) * scale[i], -kObservationCut, kObservationCut);
}

std::vector<std::byte> expert_network_bytes(const ExpertNetwork& network, std::string_view where) {
  SafetensorsMetadata metadata = network.about;
  metadata["kind"] = kExpertKind;
  metadata["environment"] = network.environment;
  const std::span<const float> parameters = network.parameters;
  std::vector<TensorView> tensors = {vector_tensor("observation_shift", network.shift),
                                     vector_tensor("observation_scale", network.scale),
                                     vector_tensor("log_std", network.log_std)};
  for (int64_t layer = 0; layer < network.shape.layers(); ++layer) {
    const auto weight = network.shape.weight(layer, parameters);
    const auto rows = static_cast<uint64_t>(weight.rows()),
               cols = static_cast<uint64_t>(weight.cols());
    tensors.push_back(tensor_of(layer_name(layer, "weight"), {rows, cols},
                                std::span(weight.data(), rows * cols)));
    tensors.push_back(
        vector_tensor(layer_name(layer, "bias"), network.shape.bias(layer, parameters)));
  }
  return safetensors_bytes(metadata, tensors, where);
}

void write_expert_network(const std::filesystem::path& path, const ExpertNetwork& network) {
  write_file(path, expert_network_bytes(network, path.string()));
}

ExpertNetwork read_expert_network(const std::filesystem::path& path) {
  return read_expert_network(SafetensorsFile::open(path, {.require_checksum = true}));
}

ExpertNetwork read_expert_network(const SafetensorsFile& file) {
  const auto& metadata = file.metadata();
  const auto kind = metadata.find("kind"), environment = metadata.find("environment");
  if (kind == metadata.end() || kind->second != kExpertKind || environment == metadata.end())
    throw Error(file.where(), "is no expert network", "give one of `darp expert train`");
  ExpertNetwork network;
  network.environment = environment->second;
  network.shape = read_shape(file);
  // A layer that is missing in the middle would make those after it strangers.
  const auto expected = static_cast<size_t>(3 + 2 * network.shape.layers());
  if (file.tensors().size() != expected)
    throw Error(file.where(),
                fmt::format("has {} tensors, but {} layers from the first on make {}",
                            file.tensors().size(), network.shape.layers(), expected),
                kExpertRemedy);
  const auto inputs = static_cast<size_t>(network.shape.inputs());
  const auto take = [&](const std::string& name, size_t count, std::vector<float>& to) {
    const auto values = exactly(file, name, count);
    to.insert(to.end(), values.begin(), values.end());
  };
  take("observation_shift", inputs, network.shift);
  take("observation_scale", inputs, network.scale);
  take("log_std", static_cast<size_t>(network.shape.outputs()), network.log_std);
  for (int64_t layer = 0; layer < network.shape.layers(); ++layer) {
    const auto in = static_cast<size_t>(network.shape.widths[layer]),
               out = static_cast<size_t>(network.shape.widths[layer + 1]);
    take(layer_name(layer, "weight"), in * out, network.parameters);
    take(layer_name(layer, "bias"), out, network.parameters);
  }
  network.about = metadata;
  network.about.erase("kind");
  network.about.erase("environment");
  return network;
}

std::unique_ptr<Expert> make_rl_expert(std::shared_ptr<const ExpertNetwork> network) {
  return std::make_unique<RlExpert>(std::move(network));
}

}  // namespace darp
