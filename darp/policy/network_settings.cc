#include "darp/policy/network_settings.h"

namespace darp {
namespace {

constexpr auto kMostWidth = static_cast<double>(MlpSettings::kMostUnits);

void check_heads(std::string_view where, int64_t width, int64_t heads) {
  if (heads < 1 || width < 1 || width > MlpSettings::kMostUnits || width % heads != 0)
    throw Error(where, fmt::format("a width of {} does not fall into {} heads", width, heads),
                "choose a width that is a multiple of heads");
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

void MlpSettings::check(std::string_view where) const {
  const std::string units = fmt::format("{}.hidden", where);
  if (std::ssize(hidden) > kMostLayers)
    throw Error(units, fmt::format("has {} layers", hidden.size()),
                fmt::format("give at most {}", kMostLayers));
  for (size_t i = 0; i < hidden.size(); ++i)
    if (hidden[i] < 1 || hidden[i] > kMostUnits)
      throw Error(units, fmt::format("layer {} has {} units", i, hidden[i]),
                  fmt::format("give 1 to {}", kMostUnits));
  if (!(dropout >= 0 && dropout < 1))
    throw Error(fmt::format("{}.dropout", where), fmt::format("is {}", dropout),
                "choose from 0 to below 1: at 1 nothing would be left");
}

MlpSettings AggregationSettings::one_layer() {
  MlpSettings network;
  network.hidden.assign(1, 128);
  network.norm = MlpSettings::Norm::kNone;
  return network;
}

void AggregationSettings::visit_fields(FieldVisitor& v) {
  v.choice("kind", kind,
           {{"mean", Kind::kMean},
            {"deep_sets", Kind::kDeepSets},
            {"set_transformer", Kind::kSetTransformer},
            {"concatenation", Kind::kConcatenation}},
           "The mean, a network over the mean, attention, or a network over all in their order.");
  if (kind == Kind::kMean) {
    v.field("bandwidth", bandwidth,
            "Above 0: a neighbour counts e^(-d / h), d its difference's length and h this many "
            "times the neighbours' mean length; 0: all count alike.",
            {.min = 0, .max = 1e6});
    return;
  }
  v.field("features", features,
          "Numbers that the network gives for each neighbour; 0: as many as an action has (the "
          "paper's candidate actions).",
          {.min = 0, .max = kMostWidth});
  if (kind != Kind::kSetTransformer) {
    v.group("after", after, "The network that comes after the neighbours are joined.");
    return;
  }
  v.field("width", width, "Units of each attention block, a multiple of heads.",
          {.min = 1, .max = kMostWidth});
  v.field("heads", heads, "Attention heads.", {.min = 1, .max = 1024});
  v.field("inducing", inducing, "Points that neighbours look at instead of at each other.",
          {.min = 1, .max = 4096});
}

void AggregationSettings::check() const {
  if (kind == Kind::kMean) return;
  if (features < 0 || features > MlpSettings::kMostUnits)
    throw Error("aggregation.features", fmt::format("is {}", features),
                fmt::format("choose 0 to {}", MlpSettings::kMostUnits));
  if (kind != Kind::kSetTransformer) return after.check("aggregation.after");
  check_heads("aggregation", width, heads);
  if (inducing < 1 || inducing > 4096)
    throw Error("aggregation.inducing", fmt::format("is {}", inducing), "choose 1 to 4096");
}

void UnetSettings::visit_fields(FieldVisitor& v) {
  v.field("channels", channels,
          "Channels of each level; the chunk is halved from one to the next. Multiples of groups.",
          {.min = 1, .max = kMostWidth});
  v.field("kernel", kernel, "Steps that a convolution sees; odd.", {.min = 1, .max = 99});
  v.field("groups", groups, "Groups of each GroupNorm.", {.min = 1, .max = 1024});
  v.field("step_width", step_width, "Numbers that say how noisy a chunk is; even.",
          {.min = 4, .max = kMostWidth});
}

void UnetSettings::check() const {
  if (channels.empty() || std::ssize(channels) > kMostLevels)
    throw Error("unet.channels", fmt::format("has {} levels", channels.size()),
                fmt::format("give 1 to {}", kMostLevels));
  for (const int64_t level : channels)
    if (level < 1 || level > MlpSettings::kMostUnits || groups < 1 || level % groups != 0)
      throw Error("unet.channels", fmt::format("{} does not fall into {} groups", level, groups),
                  "give multiples of unet.groups");
  if (kernel < 1 || kernel > 99 || kernel % 2 == 0)
    throw Error("unet.kernel", fmt::format("is {}", kernel), "choose an odd number up to 99");
  if (step_width < 4 || step_width % 2 != 0 || step_width > MlpSettings::kMostUnits)
    throw Error("unet.step_width", fmt::format("is {}", step_width),
                "choose an even number from 4");
}

void TransformerSettings::visit_fields(FieldVisitor& v) {
  v.field("layers", layers, "Blocks of attention and feed-forward layers.", {.min = 1, .max = 256});
  v.field("heads", heads, "Attention heads.", {.min = 1, .max = 1024});
  v.field("width", width, "Numbers of each token inside, a multiple of heads.",
          {.min = 1, .max = kMostWidth});
}

void TransformerSettings::check() const {
  if (layers < 1 || layers > 256)
    throw Error("transformer.layers", fmt::format("is {}", layers), "choose 1 to 256");
  check_heads("transformer", width, heads);
}

}  // namespace darp
