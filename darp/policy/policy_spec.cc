#include "darp/policy/policy_spec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "darp/policy/neighbor_features.h"

namespace darp {
namespace {

/// By the place in PolicySpec::kind.
constexpr std::array<std::string_view, 2> kKindNames = {"darp", "bc"};
static_assert(kKindNames.size() == std::variant_size_v<decltype(PolicySpec::kind)>);

void visit_normalizer(FieldVisitor& v, std::string_view name, NormalizerKind& kind,
                      std::string_view doc) {
  using K = NormalizerKind;
  v.choice(name, kind,
           {{to_string(K::kIdentity), K::kIdentity},
            {to_string(K::kStandardSample), K::kStandardSample},
            {to_string(K::kStandardPopulation), K::kStandardPopulation},
            {to_string(K::kMinMax), K::kMinMax}},
           doc);
}

void check_network(const MlpSettings& network) {
  if (std::ssize(network.hidden) > MlpSettings::kMostLayers)
    throw Error("network.hidden", fmt::format("has {} layers", network.hidden.size()),
                fmt::format("give at most {}", MlpSettings::kMostLayers));
  for (size_t i = 0; i < network.hidden.size(); ++i)
    if (network.hidden[i] < 1 || network.hidden[i] > MlpSettings::kMostUnits)
      throw Error("network.hidden", fmt::format("layer {} has {} units", i, network.hidden[i]),
                  fmt::format("give 1 to {}", MlpSettings::kMostUnits));
  if (!(network.dropout >= 0 && network.dropout < 1))
    throw Error("network.dropout", fmt::format("is {}", network.dropout),
                "choose from 0 to below 1: at 1 nothing would be left");
}

void check_input(const NeighborInput& input) {
  // The scale is used as a float, and must not vanish there.
  if (!(input.difference_scale > 0 && std::isnormal(static_cast<float>(input.difference_scale))))
    throw Error("input.difference_scale", fmt::format("is {}", input.difference_scale),
                "choose a finite number above 0, such as 1");
  if (FeatureLayout(input, 1, 1).width == 0)
    throw Error("input", "leaves the network nothing to see",
                "set one of state, action, difference and query");
}

void check_limit(std::string_view name, const std::vector<double>& limits) {
  for (size_t j = 0; j < limits.size(); ++j)
    if (!(std::abs(limits[j]) <= std::numeric_limits<float>::max()))
      throw Error(name, fmt::format("entry {} is {}", j, limits[j]),
                  "give finite numbers within the range of floats, or none for no limit");
}

void check_count(std::string_view name, const std::vector<double>& limits, int64_t action_dim) {
  if (limits.size() > 1 && std::ssize(limits) != action_dim)
    throw Error(name,
                fmt::format("has {} numbers for {} action dimensions", limits.size(), action_dim),
                "give one for each dimension, one for all, or none");
}

}  // namespace

void MlpSettings::visit_fields(FieldVisitor& v) {
  v.field("hidden", hidden, "Units of each hidden layer, at most 64 layers; []: a linear map.",
          {.min = 1, .max = static_cast<double>(kMostUnits)});
  v.choice("norm", norm, {{"none", Norm::kNone}, {"layer", Norm::kLayer}},
           "After each hidden linear layer: nothing, or LayerNorm.");
  v.field("dropout", dropout,
          "Probability, below 1, that training drops a hidden unit after its ReLU.",
          {.min = 0, .max = 1});
}

void NeighborInput::visit_fields(FieldVisitor& v) {
  v.field("state", state, "The neighbour's standardised observation.");
  v.field("action", action, "The neighbour's standardised action.");
  v.choice(
      "difference", difference,
      {{"vector", Difference::kVector}, {"norm", Difference::kNorm}, {"none", Difference::kNone}},
      "Neighbour's minus query's standardised observation: all of it, its length, or nothing.");
  v.field("difference_scale", difference_scale,
          "Factor, above 0, on that difference or length (the paper's code: 0.7071067811865475).",
          {.min = 0});
  v.field("query", query, "The query's standardised observation.");
}

void DarpSpec::visit_fields(FieldVisitor& v) {
  v.group("network", network, "The network that answers for each neighbour.");
  v.group("input", input, "What the network sees of each neighbour.");
  v.choice("aggregation", aggregation, {{"mean", Aggregation(MeanAggregation{})}},
           "How the neighbours' answers become one.");
  v.group("retrieval", retrieval, "Which demonstrated steps are neighbours.");
}

void BcSpec::visit_fields(FieldVisitor& v) {
  v.group("network", network, "The network that answers for the observation.");
}

void ActionLimits::visit_fields(FieldVisitor& v) {
  v.field("low", low, "Least of each action dimension, or one for all; empty: no limit.");
  v.field("high", high, "Most of each action dimension, or one for all; empty: no limit.");
}

void ActionLimits::check() const {
  check_limit("limits.low", low);
  check_limit("limits.high", high);
  if (low.empty() || high.empty()) return;
  if (low.size() > 1 && high.size() > 1 && low.size() != high.size())
    throw Error("limits", fmt::format("has {} low and {} high numbers", low.size(), high.size()),
                "give one for each action dimension, one for all, or none");
  for (size_t j = 0; j < std::max(low.size(), high.size()); ++j) {
    const double least = low[low.size() == 1 ? 0 : j], most = high[high.size() == 1 ? 0 : j];
    if (least > most)
      throw Error("limits", fmt::format("low {} is above high {} (entry {})", least, most, j),
                  "exchange them");
  }
}

void ActionLimits::check(int64_t action_dim) const {
  check();
  check_count("limits.low", low, action_dim);
  check_count("limits.high", high, action_dim);
}

void PolicySpec::visit_fields(FieldVisitor& v) {
  size_t chosen = kind.index();
  v.choice("kind", chosen, {{kKindNames[0], 0}, {kKindNames[1], 1}},
           "A difference-aware retrieval policy, or behaviour cloning.");
  if (chosen != kind.index()) {
    MlpSettings kept = network();
    if (chosen == 0)
      kind.emplace<DarpSpec>().network = std::move(kept);
    else
      kind.emplace<BcSpec>().network = std::move(kept);
  }
  // Later fields depend on the value of this one: each kind has its own beside the shared ones.
  std::visit([&](auto& chosen_kind) { chosen_kind.visit_fields(v); }, kind);
  visit_normalizer(v, "observations", observations, "How observations are standardised.");
  visit_normalizer(v, "actions", actions, "How actions are standardised.");
  v.field("members", members, "Networks, trained from different seeds, whose actions are averaged.",
          {.min = 1, .max = static_cast<double>(kMostMembers)});
  v.group("limits", limits, "What actions in use are kept within; learning ignores it.");
}

const MlpSettings& PolicySpec::network() const {
  return std::visit([](const auto& chosen) -> const MlpSettings& { return chosen.network; }, kind);
}

std::string_view PolicySpec::kind_name() const {
  return kKindNames[kind.index()];
}

NeighborInput PolicySpec::network_input() const {
  if (darp() != nullptr) return darp()->input;
  NeighborInput input;
  input.state = input.action = false;
  input.difference = NeighborInput::Difference::kNone;
  input.query = true;
  return input;
}

int64_t PolicySpec::inputs(int64_t observation_dim, int64_t action_dim) const {
  return FeatureLayout(network_input(), observation_dim, action_dim).width;
}

void PolicySpec::check() const {
  check_network(network());
  if (const DarpSpec* retrieving = darp()) check_input(retrieving->input);
  if (members < 1 || members > kMostMembers)
    throw Error("members", fmt::format("is {}", members),
                fmt::format("choose 1 to {}", kMostMembers));
  limits.check();
}

}  // namespace darp
