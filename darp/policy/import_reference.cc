#include "darp/policy/import_reference.h"

#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <numbers>

#include "darp/core/suggest.h"
#include "darp/policy/novelty.h"

namespace darp {
namespace {

constexpr std::string_view kRemedy =
    "give one of the paper's published networks, converted to safetensors";

void follow_reference(RetrievalSettings& settings) {
  settings.scope = RetrievalSettings::Scope::kCandidates;
  settings.exclude = RetrievalSettings::Exclude::kZero;
  settings.history.decay = HistorySettings::Decay::kPower;
  settings.history.rate = -std::abs(settings.history.rate);
  settings.history.renormalize = false;
}

const std::string& metadata(const SafetensorsFile& network, const std::string& key) {
  const auto found = network.metadata().find(key);
  if (found == network.metadata().end())
    throw Error(network.where(), fmt::format("has no '{}' in its metadata", key), kRemedy);
  return found->second;
}

template <class T>
T number(const SafetensorsFile& network, const std::string& key) {
  const std::string& text = metadata(network, key);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool finite = std::isfinite(static_cast<double>(value));
  if (error != std::errc() || end != text.data() + text.size() || !finite)
    throw Error(network.where(),
                fmt::format("metadata '{}' is '{}', no finite number", key, printable(text, 80)),
                kRemedy);
  return value;
}

/// Where the metadata name one of these, it is the one we know.
void expect(const SafetensorsFile& network, const std::string& key, std::string_view known) {
  const auto found = network.metadata().find(key);
  if (found != network.metadata().end() && found->second != known)
    throw Error(network.where(),
                fmt::format("metadata '{}' is '{}', only {} can be imported", key,
                            printable(found->second, 80), known),
                kRemedy);
}

/// [units, inputs] of every linear layer.
std::vector<std::pair<int64_t, int64_t>> linear_layers(const SafetensorsFile& network) {
  std::vector<std::pair<int64_t, int64_t>> layers;
  for (int64_t i = 0; i <= MlpSettings::kMostLayers; ++i) {
    const TensorView* weight = network.find(fmt::format("layers.{}.linear.weight", i));
    if (weight == nullptr) break;
    if (weight->shape.size() != 2 || weight->shape[0] < 1 ||
        weight->shape[0] > MlpSettings::kMostUnits)
      throw Error(
          network.where(),
          fmt::format("tensor '{}' has the shape [{}], expected [1 to {} units, inputs]",
                      weight->name, fmt::join(weight->shape, ", "), MlpSettings::kMostUnits),
          kRemedy);
    layers.emplace_back(weight->shape[0], weight->shape[1]);
  }
  if (layers.empty())
    throw Error(network.where(), "has no tensor 'layers.0.linear.weight'", kRemedy);
  return layers;
}

MlpSettings network_settings(const SafetensorsFile& network,
                             const std::vector<std::pair<int64_t, int64_t>>& layers) {
  MlpSettings settings;
  settings.hidden.clear();
  for (size_t i = 0; i + 1 < layers.size(); ++i) settings.hidden.push_back(layers[i].first);
  settings.norm = network.find("layers.0.norm.weight") == nullptr ? MlpSettings::Norm::kNone
                                                                  : MlpSettings::Norm::kLayer;
  return settings;
}

PolicySpec reference_spec(const SafetensorsFile& network, const MlpSettings& settings) {
  PolicySpec spec;
  const std::string& kind = metadata(network, "kind");
  if (kind == "darp") {
    DarpSpec& darp = spec.kind.emplace<DarpSpec>();
    darp.network = settings;
    darp.retrieval = reference_retrieval(network);
  } else if (kind == "bc") {
    spec.kind.emplace<BcSpec>().network = settings;
  } else {
    throw Error(network.where(), fmt::format("is of kind '{}'", printable(kind, 80)),
                suggestion(kind, std::vector<std::string>{"darp", "bc"}));
  }
  apply_reference_conventions(spec);
  return spec;
}

std::vector<float> read_parameters(const SafetensorsFile& network,
                                   const std::vector<Parameter>& parameters) {
  if (network.tensors().size() != parameters.size())
    throw Error(network.where(),
                fmt::format("has {} tensors, such a network has {}", network.tensors().size(),
                            parameters.size()),
                kRemedy);
  std::vector<float> numbers;
  for (const Parameter& p : parameters) {
    const TensorView& tensor = network.get(p.name);
    if (tensor.shape != std::vector<uint64_t>(p.shape.begin(), p.shape.end()))
      throw Error(network.where(),
                  fmt::format("tensor '{}' has the shape [{}], expected [{}]", p.name,
                              fmt::join(tensor.shape, ", "), fmt::join(p.shape, ", ")),
                  kRemedy);
    const std::vector<float> values = network.read_floats(p.name);
    numbers.insert(numbers.end(), values.begin(), values.end());
  }
  return numbers;
}

}  // namespace

void apply_reference_conventions(PolicySpec& spec) {
  spec.actions = NormalizerKind::kStandardPopulation;
  spec.observations = NormalizerKind::kStandardPopulation;
  if (DarpSpec* darp = std::get_if<DarpSpec>(&spec.kind)) {
    spec.observations = NormalizerKind::kStandardSample;
    darp->input.difference_scale = 1 / std::numbers::sqrt2;
    follow_reference(darp->retrieval);
  }
}

RetrievalSettings reference_retrieval(const SafetensorsFile& network) {
  expect(network, "retrieval.method", "knn");
  RetrievalSettings settings;
  settings.k = number<int64_t>(network, "retrieval.k");
  settings.ratio = number<double>(network, "retrieval.final_neighbors_ratio");
  settings.history.lookback = number<int64_t>(network, "retrieval.lookback");
  settings.history.rate = number<double>(network, "retrieval.decay_rate");
  if (settings.history.rate > 0)
    throw Error(
        network.where(),
        fmt::format("metadata 'retrieval.decay_rate' is {}, above 0", settings.history.rate),
        kRemedy);
  follow_reference(settings);
  return settings;
}

PolicyContents import_reference(const SafetensorsFile& network, const Dataset& demonstrations) {
  expect(network, "activation", "relu");
  const auto layers = linear_layers(network);
  const int64_t observations = demonstrations.observation_dim(),
                actions = demonstrations.action_dim();
  PolicyContents c;
  c.spec = reference_spec(network, network_settings(network, layers));
  const int64_t inputs = c.spec.inputs(observations, actions);
  if (layers.front().second != inputs || layers.back().first != actions)
    throw Error(network.where(),
                fmt::format("takes {} numbers and gives {}; {}, with {} observation and {} action "
                            "dimensions, needs {} and {}",
                            layers.front().second, layers.back().first, demonstrations.source(),
                            observations, actions, inputs, actions),
                "give the demonstrations that the network was trained on");
  c.members = {read_parameters(network, network_parameters(*c.spec.network(), inputs, actions))};
  c.observations = Normalizer::fit(c.spec.observations, demonstrations.observations());
  c.actions = Normalizer::fit(c.spec.actions, demonstrations.actions());
  if (c.spec.darp() != nullptr)
    c.demonstrations = {.observations = Matrix::copy_of(demonstrations.observations()),
                        .actions = Matrix::copy_of(demonstrations.actions()),
                        .episode_ends = demonstrations.episode_ends()};
  // The authors' demonstrations are small: one thread is enough.
  ThreadPool pool(1);
  c.distance_quantiles = distance_quantiles(c.spec, c.observations, c.demonstrations, pool);
  const auto file_name = [](const std::string& path) {
    return printable(std::filesystem::path(path).filename().string());
  };
  c.provenance = {{"origin", "imported from the paper's published networks"},
                  {"network", file_name(network.where())},
                  {"data", file_name(demonstrations.source())},
                  {"data_hash", demonstrations.content_hash()}};
  if (const auto task = network.metadata().find("task"); task != network.metadata().end())
    c.provenance.emplace("task", task->second);
  return c;
}

}  // namespace darp
