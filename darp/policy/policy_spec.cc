#include "darp/policy/policy_spec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "darp/policy/neighbor_features.h"

namespace darp {
namespace {

using Kind = decltype(PolicySpec::kind);

/// By the place in PolicySpec::kind.
constexpr std::array<std::string_view, 6> kKindNames = {"darp",   "bc",        "lwr",
                                                        "regent", "diffusion", "darp_diffusion"};
static_assert(kKindNames.size() == std::variant_size_v<Kind>);

/// A spec of the kind at this place.
template <size_t I = 0>
Kind default_kind(size_t place) {
  if constexpr (I + 1 < std::variant_size_v<Kind>)
    if (place != I) return default_kind<I + 1>(place);
  return Kind(std::in_place_index<I>);
}

/// Takes over what both kinds have.
void keep_shared(const PolicySpec& before, Kind& kind) {
  std::visit(
      [&](auto& spec) {
        if constexpr (requires { spec.network; })
          if (before.network() != nullptr) spec.network = *before.network();
        if constexpr (requires { spec.head; }) spec.head = before.head();
        if constexpr (requires { spec.retrieval; })
          if (before.retrieval() != nullptr) spec.retrieval = *before.retrieval();
      },
      kind);
}

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

void check_input(const NeighborInput& input) {
  // The scale is used as a float, and must not vanish there.
  if (!(input.difference_scale > 0 && std::isnormal(static_cast<float>(input.difference_scale))))
    throw Error("input.difference_scale", fmt::format("is {}", input.difference_scale),
                "choose a finite number above 0, such as 1");
  if (FeatureLayout(input, 1, 1).width == 0)
    throw Error("input", "leaves the network nothing to see",
                "set one of state, action, difference and query");
}

/// All chunks, or all observations with their past, are held in memory.
constexpr int64_t kMostTogether = 64;

void check_lwr(const LwrSpec& lwr, int64_t members, const ChunkSettings& chunk) {
  if (chunk.length > kMostTogether)
    throw Error("chunk.length", fmt::format("is {}", chunk.length),
                fmt::format("choose up to {}", kMostTogether));
  if (!(lwr.bandwidth_scale > 0 && std::isnormal(static_cast<float>(lwr.bandwidth_scale))))
    throw Error("bandwidth_scale", fmt::format("is {}", lwr.bandwidth_scale),
                "choose a finite number above 0, such as 1");
  if (!(lwr.ridge >= 0 && std::isfinite(lwr.ridge)))
    throw Error("ridge", fmt::format("is {}", lwr.ridge), "choose a finite number from 0");
  if (members != 1)
    throw Error("members", fmt::format("is {}, and nothing is learned", members),
                "set it to 1: all would be the same");
}

void check_regent(const RegentSpec& regent, const ChunkSettings& chunk) {
  regent.transformer.check();
  if (!(regent.sharpness >= 0 && std::isfinite(regent.sharpness) && regent.reach >= 0 &&
        std::isfinite(regent.reach)) ||
      regent.token_width < 0 || regent.token_width > MlpSettings::kMostUnits)
    throw Error("regent", "sharpness, reach or token_width is out of range",
                "choose finite numbers from 0");
  if (chunk.length != 1)
    throw Error("chunk.length", fmt::format("is {}, and REGENT answers one action", chunk.length),
                "set it to 1");
}

void check_diffusion(const DiffusionSpec& diffusion, const ChunkSettings& chunk) {
  diffusion.unet.check();
  const DenoisingSettings& d = diffusion.denoising;
  if (d.training_steps < 2 || d.sampling_steps < 1 || d.sampling_steps > d.training_steps ||
      d.training_steps > 100'000 || !(d.clip >= 0 && std::isfinite(d.clip)))
    throw Error(
        "denoising",
        fmt::format("takes {} steps in use of {} in training", d.sampling_steps, d.training_steps),
        "choose 2 to 100000 training_steps, sampling_steps up to that, and a finite clip");
  if (diffusion.observation_horizon < 1 || diffusion.observation_horizon > kMostTogether)
    throw Error("observation_horizon", fmt::format("is {}", diffusion.observation_horizon),
                fmt::format("choose 1 to {}", kMostTogether));
  const int64_t halvings = std::ssize(diffusion.unet.channels) - 1;
  if (chunk.length % (int64_t{1} << halvings) != 0)
    throw Error("chunk.length", fmt::format("{} cannot be halved {} times", chunk.length, halvings),
                fmt::format("choose a multiple of {}, such as 16", int64_t{1} << halvings));
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
  v.group("aggregation", aggregation, "How the neighbours' answers become one.");
  v.group("head", head, "What the answer means.");
  v.group("retrieval", retrieval, "Which demonstrated steps are neighbours.");
}

void BcSpec::visit_fields(FieldVisitor& v) {
  v.group("network", network, "The network that answers for the observation.");
  v.group("head", head, "What the answer means.");
}

void LwrSpec::visit_fields(FieldVisitor& v) {
  v.choice("kernel", kernel,
           {{"exponential", Kernel::kExponential},
            {"gaussian", Kernel::kGaussian},
            {"uniform", Kernel::kUniform}},
           "Weight of a neighbour at distance d: e^(-d / h), which is the softmax of -d / h, "
           "e^(-d^2 / (2 h^2)) or 1.");
  v.choice(
      "bandwidth", bandwidth,
      {{"fixed", Bandwidth::kFixed},
       {"last_neighbor", Bandwidth::kLastNeighbor},
       {"median", Bandwidth::kMedian}},
      "The distance h is bandwidth_scale times: 1, the query's distance to its last neighbour, "
      "or the median of that over the demonstrations.");
  v.field("bandwidth_scale", bandwidth_scale, "Above 0.", {.min = 0});
  v.choice("fit", fit, {{"mean", Fit::kMean}, {"linear", Fit::kLinear}},
           "The action: the neighbours' weighted mean, or a weighted linear fit at the query.");
  if (fit == Fit::kLinear)
    v.field("ridge", ridge,
            "Linear: penalty on the squared slopes, as a part of the weighted squared differences "
            "of an average column.",
            {.min = 0});
  else
    ridge = LwrSpec().ridge;
  v.group("retrieval", retrieval, "Which demonstrated steps are neighbours.");
}

void RegentSpec::visit_fields(FieldVisitor& v) {
  v.group("transformer", transformer, "The network over retrieved steps and the query.");
  v.field(
      "token_width", token_width,
      "States and actions are repeated until they have this many numbers (the authors: 513); 0: "
      "as many as the longer one has.",
      {.min = 0, .max = static_cast<double>(MlpSettings::kMostUnits)});
  v.field("sharpness", sharpness,
          "The nearest action counts e^(-sharpness x distance), distances being parts of the 95th "
          "percentile.",
          {.min = 0, .max = 1e6});
  v.field("reach", reach, "The network's answer, clipped to -1 to 1, is multiplied by this.",
          {.min = 0, .max = 1e6});
  v.group("retrieval", retrieval, "Which demonstrated steps are in the context (the authors: 19).");
}

void DenoisingSettings::visit_fields(FieldVisitor& v) {
  v.field("training_steps", training_steps, "Grades of noise that training draws from.",
          {.min = 2, .max = 100'000});
  v.field("sampling_steps", sampling_steps, "DDIM steps from noise to actions in use.",
          {.min = 1, .max = 100'000});
  v.field("clip", clip,
          "In use, actions as predicted at every step are kept within this, in standardised units; "
          "0: any.",
          {.min = 0});
}

void DiffusionSpec::visit_fields(FieldVisitor& v) {
  v.group("unet", unet, "The network that tells noise from actions.");
  v.group("denoising", denoising, "How actions are found among noise.");
  v.field("observation_horizon", observation_horizon,
          "Observations that the network sees: now and before.", {.min = 1, .max = 64});
}

void DarpDiffusionSpec::visit_fields(FieldVisitor& v) {
  v.group("input", input, "What the network sees of each neighbour.");
  diffusion.visit_fields(v);
  v.choice("average", average, {{"score", Average::kScore}, {"chunk", Average::kChunk}},
           "Neighbours are averaged at every denoising step (the paper), or each denoises a chunk "
           "of its own and the chunks are averaged (its code).");
  v.group("retrieval", retrieval, "Which demonstrated steps are neighbours.");
}

void ChunkSettings::visit_fields(FieldVisitor& v) {
  v.field("length", length, "Actions in one answer: now and the next.",
          {.min = 1, .max = static_cast<double>(kLongest)});
  v.field("execute", execute, "How many of them are carried out before asking again.",
          {.min = 1, .max = static_cast<double>(kLongest)});
}

void ChunkSettings::check() const {
  if (length < 1 || length > kLongest || execute < 1 || execute > length)
    throw Error(
        "chunk", fmt::format("carries out {} of {} actions", execute, length),
        fmt::format("choose chunk.length from 1 to {} and chunk.execute up to that", kLongest));
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
  const auto name = [](size_t i) { return std::pair(kKindNames[i], i); };
  v.choice("kind", chosen, {name(0), name(1), name(2), name(3), name(4), name(5)},
           "Difference-aware retrieval, behaviour cloning, locally weighted regression, REGENT, "
           "diffusion policy, or difference-aware retrieval with diffusion.");
  if (chosen != kind.index()) {
    Kind other = default_kind(chosen);
    keep_shared(*this, other);
    const bool denoised = diffusion() != nullptr;
    kind = std::move(other);
    // A U-Net halves its chunk again and again: one action would not do.
    if ((diffusion() != nullptr) != denoised)
      chunk = denoised ? ChunkSettings{} : ChunkSettings{.length = 16, .execute = 8};
  }
  // Later fields depend on the value of this one: each kind has its own beside the shared ones.
  std::visit([&](auto& chosen_kind) { chosen_kind.visit_fields(v); }, kind);
  visit_normalizer(v, "observations", observations, "How observations are standardised.");
  v.field(
      "observation_floor", observation_floor,
      "Least scale of an observation's number, in its own unit (0.01 for metres and radians of an "
      "arm): one that hardly moves in the demonstrations is not blown up. 0: none.",
      {.min = 0});
  visit_normalizer(v, "actions", actions, "How actions are standardised.");
  v.field("members", members, "Networks, trained from different seeds, whose actions are averaged.",
          {.min = 1, .max = static_cast<double>(kMostMembers)});
  v.group("chunk", chunk, "Several actions at once.");
  if (head().is_distribution() || diffusion() != nullptr)
    v.choice("acting", acting, {{"sample", Acting::kSample}, {"mode", Acting::kMode}},
             "What is done in use: an action drawn at random, or the likeliest (diffusion: from no "
             "noise).");
  else
    acting = Acting::kSample;
  v.field(
      "gain", gain,
      "In use, actions are multiplied by this, then limited: below 1 it acts more gently than it "
      "was taught; learning ignores it.",
      {.min = kLeastGain, .max = kMostGain});
  v.group("limits", limits, "What actions in use are kept within; learning ignores it.");
}

std::string_view PolicySpec::kind_name() const {
  return kKindNames[kind.index()];
}

const MlpSettings* PolicySpec::network() const {
  if (const auto* bc = as<BcSpec>()) return &bc->network;
  return darp() != nullptr ? &darp()->network : nullptr;
}

HeadSettings PolicySpec::head() const {
  if (const auto* bc = as<BcSpec>()) return bc->head;
  return darp() != nullptr ? darp()->head : HeadSettings{};
}

const RetrievalSettings* PolicySpec::retrieval() const {
  return std::visit(
      [](const auto& spec) -> const RetrievalSettings* {
        if constexpr (requires { spec.retrieval; }) return &spec.retrieval;
        return nullptr;
      },
      kind);
}

AggregationSettings PolicySpec::aggregation() const {
  return darp() != nullptr ? darp()->aggregation : AggregationSettings{};
}

const DiffusionSpec* PolicySpec::diffusion() const {
  if (const auto* retrieving = as<DarpDiffusionSpec>()) return &retrieving->diffusion;
  return as<DiffusionSpec>();
}

int64_t PolicySpec::observation_horizon() const {
  return diffusion() != nullptr ? diffusion()->observation_horizon : 1;
}

NeighborInput PolicySpec::network_input() const {
  if (darp() != nullptr) return darp()->input;
  if (const auto* retrieving = as<DarpDiffusionSpec>()) return retrieving->input;
  NeighborInput input;
  input.state = input.action = false;
  input.difference = NeighborInput::Difference::kNone;
  input.query = true;
  return input;
}

int64_t PolicySpec::inputs(int64_t observation_dim, int64_t action_dim) const {
  return FeatureLayout(network_input(), observation_dim * observation_horizon(), action_dim).width;
}

int64_t PolicySpec::features(int64_t action_dim) const {
  const AggregationSettings joined = aggregation();
  if (joined.kind == AggregationSettings::Kind::kMean) return outputs(action_dim);
  return joined.features > 0 ? joined.features : action_dim;
}

int64_t PolicySpec::outputs(int64_t action_dim) const {
  return head().outputs(action_dim * chunk.length);
}

int64_t PolicySpec::calibration_count(int64_t observation_dim) const {
  if (as<RegentSpec>() != nullptr) return 1;
  if (as<DarpDiffusionSpec>() != nullptr) return observation_dim * observation_horizon();
  return 0;
}

bool PolicySpec::draws() const {
  return acting == Acting::kSample && (head().is_distribution() || diffusion() != nullptr);
}

bool PolicySpec::runs_in_runtime() const {
  return diffusion() == nullptr;
}

void PolicySpec::check() const {
  if (network() != nullptr) network()->check("network");
  head().check();
  aggregation().check();
  chunk.check();
  check_input(network_input());
  if (const auto* lwr = as<LwrSpec>()) check_lwr(*lwr, members, chunk);
  if (const auto* regent = as<RegentSpec>()) check_regent(*regent, chunk);
  if (diffusion() != nullptr) check_diffusion(*diffusion(), chunk);
  if (members < 1 || members > kMostMembers)
    throw Error("members", fmt::format("is {}", members),
                fmt::format("choose 1 to {}", kMostMembers));
  if (!(observation_floor >= 0 && std::isfinite(static_cast<float>(observation_floor))))
    throw Error("observation_floor", fmt::format("is {}", observation_floor),
                "choose a finite number from 0");
  if (!(gain >= kLeastGain && gain <= kMostGain))
    throw Error("gain", fmt::format("is {}", gain),
                fmt::format("choose {} to {}", kLeastGain, kMostGain));
  limits.check();
}

}  // namespace darp
