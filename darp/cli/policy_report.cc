#include "darp/cli/policy_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "darp/core/numbers.h"
#include "darp/policy/neighbor_features.h"

namespace darp {
namespace {

void line(std::string_view label, const std::string& text) {
  fmt::print("  {:<15}{}\n", label, printable(text));
}

/// Numbers in, units of each layer, numbers out; nothing for kinds without a perceptron.
std::vector<int64_t> widths(const PolicyArchive& policy) {
  const PolicySpec& spec = policy.spec();
  if (spec.network() == nullptr) return {};
  std::vector<int64_t> all = {spec.inputs(policy.observation_dim(), policy.action_dim())};
  all.insert(all.end(), spec.network()->hidden.begin(), spec.network()->hidden.end());
  all.push_back(spec.features(policy.action_dim()));
  return all;
}

std::vector<std::string> input_parts(const PolicyArchive& policy) {
  const PolicySpec& spec = policy.spec();
  if (spec.network() == nullptr && spec.diffusion() == nullptr) return {};
  const int64_t seen = policy.observation_dim() * spec.observation_horizon();
  if (spec.retrieval() == nullptr)
    return {spec.observation_horizon() == 1
                ? fmt::format("observation ({})", seen)
                : fmt::format("the last {} observations ({})", spec.observation_horizon(), seen)};
  const FeatureLayout layout(spec.network_input(), seen, policy.action_dim());
  const double scale = spec.network_input().difference_scale;
  std::vector<std::string> parts;
  if (layout.state >= 0)
    parts.push_back(fmt::format("neighbour state ({})", layout.observation_dim));
  if (layout.action >= 0) parts.push_back(fmt::format("neighbour action ({})", layout.action_dim));
  if (layout.difference >= 0)
    parts.push_back(fmt::format("{:.6g} x difference ({})", scale, layout.observation_dim));
  if (layout.distance >= 0)
    parts.push_back(fmt::format("{:.6g} x length of the difference", scale));
  if (layout.query >= 0) parts.push_back(fmt::format("query state ({})", layout.observation_dim));
  return parts;
}

std::string retrieval_text(const RetrievalSettings& s) {
  if (s.pick == RetrievalSettings::Pick::kRandom)
    return fmt::format("{} random rows, seed {}", grouped(s.kept()), s.seed);
  std::string more = s.index == RetrievalSettings::Index::kHnsw ? ", approximate" : "";
  if (s.stride > 1)
    more += fmt::format(", of them one in {}: {}", grouped(s.stride), grouped(s.kept()));
  if (s.scope == RetrievalSettings::Scope::kAll)
    return fmt::format("the {} rows nearest by history{}", grouped(s.k), more);
  return fmt::format("of the {} rows nearest now the {} nearest by history{}", grouped(s.k),
                     grouped(s.ranked()), more);
}

std::string history_text(const HistorySettings& s) {
  if (s.lookback == 1) return "none: the present alone";
  const std::string weight = s.decay == HistorySettings::Decay::kExponential
                                 ? fmt::format("e^(-{:g} n)", s.rate)
                                 : fmt::format("(n + 1)^{:g}", s.rate);
  return fmt::format("{} steps, the one n ago weighs {}, {}renormalised", s.lookback, weight,
                     s.renormalize ? "" : "not ");
}

std::string metric_text(const MetricSettings& s) {
  std::string text = s.kind == MetricSettings::Kind::kEuclidean ? "euclidean" : "1 - cosine";
  if (!s.weights.empty()) text += fmt::format(", weights [{}]", fmt::join(s.weights, ", "));
  if (!s.periods.empty()) text += fmt::format(", periods [{}]", fmt::join(s.periods, ", "));
  return text;
}

/// "[-1, 0.5]", "1" for every dimension, or "none".
std::string limit_text(const std::vector<double>& limits) {
  if (limits.empty()) return "none";
  if (limits.size() == 1) return fmt::format("{}", limits[0]);
  return fmt::format("[{}]", fmt::join(limits, ", "));
}

std::string exclude_text(RetrievalSettings::Exclude exclude) {
  switch (exclude) {
    case RetrievalSettings::Exclude::kNothing:
      return "nothing";
    case RetrievalSettings::Exclude::kRow:
      return "in training the query's own row";
    case RetrievalSettings::Exclude::kEpisode:
      return "in training the query's own episode, or its half of the only one";
    case RetrievalSettings::Exclude::kZero:
      return "rows at distance exactly 0";
  }
  return "unknown";
}

std::string normalizer_text(const Normalizer& normalizer, NormalizerKind kind) {
  const auto [least, most] = std::ranges::minmax(normalizer.scale());
  return fmt::format("{}, {} (scales {:.4g} to {:.4g})", counted(normalizer.dim(), "dim"),
                     to_string(kind), least, most);
}

nlohmann::json normalizer_json(const Normalizer& normalizer, NormalizerKind kind) {
  return {{"normalizer", to_string(kind)},
          {"offset", std::vector<float>(normalizer.offset().begin(), normalizer.offset().end())},
          {"scale", std::vector<float>(normalizer.scale().begin(), normalizer.scale().end())}};
}

std::string kind_text(const PolicySpec& spec) {
  if (spec.as<BcSpec>() != nullptr) return "behaviour cloning";
  if (spec.as<LwrSpec>() != nullptr)
    return spec.retrieval()->kept() == 1 ? "the nearest demonstrated action"
                                         : "locally weighted regression";
  if (spec.as<RegentSpec>() != nullptr) return "REGENT, a transformer over retrieved steps";
  if (spec.as<DiffusionSpec>() != nullptr) return "diffusion policy";
  return spec.darp() != nullptr ? "difference-aware retrieval"
                                : "difference-aware retrieval with diffusion";
}

std::string aggregation_text(const PolicySpec& spec, int64_t action_dim) {
  using Kind = AggregationSettings::Kind;
  const AggregationSettings s = spec.aggregation();
  const std::string each =
      fmt::format("{} of each neighbour", counted(spec.features(action_dim), "number"));
  const auto after = [&] {
    return s.after.hidden.empty() ? "a linear map"
                                  : fmt::format("a network {}", fmt::join(s.after.hidden, "-"));
  };
  switch (s.kind) {
    case Kind::kMean:
      return s.weighs() ? fmt::format(
                              "mean of the neighbours' answers, near ones first "
                              "(bandwidth {:g} of their mean distance)",
                              s.bandwidth)
                        : "mean of the neighbours' answers";
    case Kind::kDeepSets:
      return fmt::format("deep sets: the mean of {}, then {}", each, after());
    case Kind::kSetTransformer:
      return fmt::format("set transformer over {}: width {}, {}, {}", each, s.width,
                         counted(s.heads, "head"), counted(s.inducing, "inducing point"));
    case Kind::kConcatenation:
      return fmt::format("concatenation, nearest first, of {}, then {}", each, after());
  }
  return "unknown";
}

std::string head_text(const PolicySpec& spec) {
  const HeadSettings head = spec.head();
  std::string text =
      head.huber > 0 ? fmt::format("one action, learned with Huber's loss beyond {:g}", head.huber)
                     : "one action";
  if (spec.diffusion() != nullptr)
    text = fmt::format("found among noise in {} DDIM steps ({} in training)",
                       spec.diffusion()->denoising.sampling_steps,
                       spec.diffusion()->denoising.training_steps);
  if (head.kind == HeadSettings::Kind::kGaussian) text = "a Gaussian";
  if (head.kind == HeadSettings::Kind::kGmm)
    text = fmt::format("a mixture of {} Gaussians", head.modes);
  if (head.is_distribution() || spec.diffusion() != nullptr)
    text += spec.acting == Acting::kSample ? ", acts by drawing from it" : ", acts by its mode";
  if (spec.chunk.length > 1)
    text += fmt::format("; {} at once, of which {} are carried out",
                        counted(spec.chunk.length, "action"), spec.chunk.execute);
  return text;
}

std::string weights_text(const LwrSpec& s) {
  const std::string h =
      s.bandwidth == LwrSpec::Bandwidth::kFixed ? fmt::format("{:g}", s.bandwidth_scale)
      : s.bandwidth == LwrSpec::Bandwidth::kLastNeighbor
          ? fmt::format("{:g} x distance to the last neighbour", s.bandwidth_scale)
          : fmt::format("{:g} x median distance to the last neighbour", s.bandwidth_scale);
  std::string text = "all the same";
  if (s.kernel == LwrSpec::Kernel::kExponential) text = fmt::format("e^(-d / h), h = {}", h);
  if (s.kernel == LwrSpec::Kernel::kGaussian) text = fmt::format("e^(-d^2 / 2 h^2), h = {}", h);
  return text + (s.fit == LwrSpec::Fit::kLinear ? fmt::format("; linear fit, ridge {:g}", s.ridge)
                                                : "; mean");
}

void print_retrieval(const PolicyArchive& policy) {
  const PolicySpec& spec = policy.spec();
  const RetrievalSettings& s = *spec.retrieval();
  if (spec.darp() != nullptr) line("aggregation", aggregation_text(spec, policy.action_dim()));
  if (const auto* lwr = spec.as<LwrSpec>()) line("weights", weights_text(*lwr));
  if (const auto* both = spec.as<DarpDiffusionSpec>())
    line("aggregation", both->average == DarpDiffusionSpec::Average::kScore
                            ? "mean of the neighbours' noise at every denoising step"
                            : "mean of the neighbours' denoised chunks");
  line("neighbours", retrieval_text(s));
  line("history", history_text(s.history));
  line("metric", metric_text(s.metric));
  line("left out", exclude_text(s.exclude));
  line("distances", fmt::format("of demonstrated steps to their farthest neighbour: median {:.4g}, "
                                "99 % within {:.4g}",
                                policy.distance_quantiles()[50], policy.distance_quantiles()[99]));
}

}  // namespace

std::string network_text(const PolicyArchive& policy) {
  const PolicySpec& spec = policy.spec();
  const std::string size = counted(parameter_count(policy.parameters()), "parameter");
  if (spec.diffusion() != nullptr)
    return fmt::format("U-Net {} over {}: {}", fmt::join(spec.diffusion()->unet.channels, "-"),
                       counted(spec.chunk.length, "action"), size);
  if (const auto* regent = spec.as<RegentSpec>())
    return fmt::format("{} of width {}, {}, {} tokens: {}",
                       counted(regent->transformer.layers, "causal block"),
                       regent->transformer.width, counted(regent->transformer.heads, "head"),
                       2 * (regent->retrieval.kept() + 1), size);
  if (spec.network() == nullptr) return "none: nothing is learned";
  const MlpSettings& network = *spec.network();
  std::string layers;
  if (!network.hidden.empty())
    layers = network.norm == MlpSettings::Norm::kLayer ? ", LayerNorm, ReLU" : ", ReLU";
  if (network.dropout > 0) layers += fmt::format(", dropout {:g}", network.dropout);
  return fmt::format("{}{}: {}{}", fmt::join(widths(policy), " -> "), layers, size,
                     spec.aggregation().kind == AggregationSettings::Kind::kMean
                         ? ""
                         : ", the aggregation's among them");
}

void print_policy(const PolicyArchive& policy, const std::string& source, uint64_t bytes) {
  const PolicySpec& spec = policy.spec();
  fmt::print("{} (policy, version {})\n", printable(source), PolicyArchive::kVersion);
  line("kind", fmt::format("{}: {}", spec.kind_name(), kind_text(spec)));
  line("network", network_text(policy));
  line("members", spec.members == 1 ? "1" : fmt::format("{}, averaged", grouped(spec.members)));
  if (spec.network() != nullptr || spec.diffusion() != nullptr)
    line("input", fmt::format("{}", fmt::join(input_parts(policy), ", ")));
  line("answer", head_text(spec));
  if (spec.retrieval() != nullptr) print_retrieval(policy);
  line("observation", normalizer_text(policy.observations(), spec.observations));
  line("action", normalizer_text(policy.actions(), spec.actions));
  if (spec.gain != 1) line("gain", fmt::format("{:g}: what actions are multiplied by", spec.gain));
  if (spec.limits != ActionLimits{})
    line("limits",
         fmt::format("low {}, high {}", limit_text(spec.limits.low), limit_text(spec.limits.high)));
  const auto& ends = policy.demonstrations().episode_ends;
  line("demonstrations", ends.empty() ? "none"
                                      : fmt::format("{}, {}", counted(std::ssize(ends), "episode"),
                                                    counted(ends.back(), "row")));
  for (const auto& [name, text] : policy.provenance())
    // Whole files among them, such as the config, are for --json.
    line("provenance", text.find('\n') == std::string::npos
                           ? fmt::format("{}: {}", name, text)
                           : fmt::format("{}: see darp info --json, provenance.{}", name, name));
  line("size", counted(static_cast<int64_t>(bytes), "byte"));
}

nlohmann::json policy_json(const PolicyArchive& policy, const std::string& source, uint64_t bytes) {
  const PolicySpec& spec = policy.spec();
  const auto& ends = policy.demonstrations().episode_ends;
  nlohmann::json json = {{"file", source},
                         {"kind", "policy"},
                         {"format", "policy.darp"},
                         {"version", PolicyArchive::kVersion},
                         {"policy", spec.kind_name()},
                         {"observation_dim", policy.observation_dim()},
                         {"action_dim", policy.action_dim()},
                         {"widths", widths(policy)},
                         {"parameters", parameter_count(policy.parameters())},
                         {"members", spec.members},
                         {"input", input_parts(policy)},
                         {"answer", head_text(spec)},
                         {"observation", normalizer_json(policy.observations(), spec.observations)},
                         {"action", normalizer_json(policy.actions(), spec.actions)},
                         {"gain", spec.gain},
                         {"limits", {{"low", spec.limits.low}, {"high", spec.limits.high}}},
                         {"episodes", ends.size()},
                         {"rows", ends.empty() ? 0 : ends.back()},
                         {"provenance", policy.provenance()},
                         {"settings", write_yaml(spec)},
                         {"bytes", bytes}};
  if (const RetrievalSettings* retrieval = spec.retrieval())
    json["retrieval"] = {{"k", retrieval->k},
                         {"kept", retrieval->kept()},
                         {"lookback", retrieval->history.lookback},
                         {"distance_quantiles", policy.distance_quantiles()}};
  return json;
}

}  // namespace darp
