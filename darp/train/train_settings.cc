#include "darp/train/train_settings.h"

#include <algorithm>

namespace darp {
namespace {

/// Bounds include their ends; a decay of 1 would never move.
constexpr double kBelowOne = 0.999999;

}  // namespace

void OptimizerSettings::visit_fields(FieldVisitor& v) {
  v.field("learning_rate", learning_rate, "Step size at its full height.", {.min = 0, .max = 100});
  v.field("weight_decay", weight_decay,
          "Each step takes this part, times the rate, from every weight; below 3e-8 it is lost in "
          "rounding.",
          {.min = 0, .max = 1000});
  v.field("beta1", beta1, "Decay of the mean gradient.", {.min = 0, .max = kBelowOne});
  v.field("beta2", beta2, "Decay of the mean squared gradient.", {.min = 0, .max = kBelowOne});
  v.field("epsilon", epsilon, "Added to the root of the mean squared gradient.",
          {.min = 1e-15, .max = 1});
  v.field("clip", clip, "Largest norm of a gradient, longer ones are shortened; 0: any.",
          {.min = 0});
}

void ScheduleSettings::visit_fields(FieldVisitor& v) {
  v.choice("kind", kind,
           {{"constant", Kind::kConstant}, {"cosine", Kind::kCosine}, {"plateau", Kind::kPlateau}},
           "The rate after the warm-up: the same for ever, falling along a cosine until the last "
           "step, or lowered when the validation loss stops falling.");
  v.field("warmup", warmup, "Steps in which the rate grows to its full height.",
          {.min = 0, .max = 1e12});
  v.field("final_rate", final_rate, "Cosine: the part of the rate that is left at the end.",
          {.min = 0, .max = 1});
  v.field("factor", factor, "Plateau: the rate is multiplied by this.", {.min = 0, .max = 1});
  v.field("patience", patience,
          "Plateau: after this many epochs in a row without a better validation loss.",
          {.min = 1, .max = 1e9});
}

void ValidationSettings::visit_fields(FieldVisitor& v) {
  v.field("fraction", fraction,
          "Part of the episodes to measure on, not to learn from, or of a single episode its end; "
          "0: none.",
          {.min = 0, .max = 0.9});
  v.field("filter", filter, "Instead: the episodes of this filter key of the data file.");
  v.field("patience", patience,
          "Stop after this many epochs in a row without a better validation loss; 0: never.",
          {.min = 0, .max = 1e9});
}

int64_t TrainSettings::epochs_for(int64_t steps) const {
  constexpr int64_t kQueries = 100'000, kFewest = 20;
  return epochs > 0 ? epochs : std::max(kFewest, kQueries / std::max<int64_t>(1, steps));
}

void TrainSettings::visit_fields(FieldVisitor& v) {
  v.field("epochs", epochs,
          "Passes over the demonstrations; 0: as many as make 100,000 queries, but at least 20.",
          {.min = 0, .max = 1e9});
  v.field("batch", batch, "Queries per step; an epoch's last step may have fewer.",
          {.min = 1, .max = 1e9});
  v.field("seed", seed, "Of the first weights, the order of the rows, noise and dropout.",
          {.min = 0});
  v.group("optimizer", optimizer, "AdamW.");
  v.group("schedule", schedule, "How the learning rate changes.");
  v.field("ema", ema,
          "Decay per step of the averaged weights, which then become the policy; 0: the last "
          "weights do.",
          {.min = 0, .max = kBelowOne});
  v.field(
      "ema_power", ema_power,
      "Above 0: that decay is reached as 1 - (1 + step)^(-ema_power), 0.75 for diffusion; 0: as "
      "(1 + step) / (10 + step).",
      {.min = 0, .max = 10});
  v.field("query_noise", query_noise,
          "Standard deviation of Gaussian noise on the queries, in standardised units.",
          {.min = 0, .max = 1000});
  v.group("backstep", backstep, "Queries moved back against the motion.");
  v.field(
      "neighbor_sample", neighbor_sample,
      "Learn from so many of each query's neighbours, drawn anew in every step from all that are "
      "ranked, whatever the stride; 0: those that are used.",
      {.min = 0, .max = 1e9});
  v.group("smoothness", smoothness,
          "The explicit neighbour regulariser (MRIL), for behaviour cloning.");
  v.group("ccil", ccil, "Corrective labels (CCIL), for behaviour cloning.");
  v.group("validation", validation, "Episodes to measure on; the best epoch becomes the policy.");
  v.field("stop_above", stop_above, "A loss above this, or none at all, is divergence: stop.",
          {.min = 0});
  v.choice("engine", engine,
           {{"auto", Engine::kAuto}, {"fused", Engine::kFused}, {"graph", Engine::kGraph}},
           "What computes gradients: the fused kernels for CPUs or the LibTorch graph; auto: the "
           "fused kernels where they can.");
  v.choice(
      "precision", precision,
      {{"fp32", Precision::kFloat}, {"bf16", Precision::kBfloat16}, {"auto", Precision::kAuto}},
      "What matrix products multiply, sums and weights being float in any case; auto: bf16 "
      "with the fused kernels, fp32 with the graph.");
}

void TrainSettings::check() const {
  if (validation.fraction > 0 && !validation.filter.empty())
    throw Error("validation", "has both a fraction and a filter",
                "set validation.fraction to 0 or validation.filter to \"\"");
  const std::string_view remedy =
      "set validation.fraction, for example to 0.1, or validation.filter";
  if (schedule.kind == ScheduleSettings::Kind::kPlateau && !validation.wanted())
    throw Error("schedule.kind", "plateau needs validation episodes and there are none", remedy);
  if (validation.patience > 0 && !validation.wanted())
    throw Error("validation.patience", "needs validation episodes and there are none", remedy);
  if (ema_power > 0 && ema == 0)
    throw Error("ema_power", "says how averaging begins, and there is none",
                "set ema, for example to 0.999, or ema_power to 0");
  if (optimizer.learning_rate * optimizer.weight_decay >= 1)
    throw Error("optimizer.weight_decay",
                fmt::format("{} times the rate {} takes whole weights away", optimizer.weight_decay,
                            optimizer.learning_rate),
                "lower optimizer.weight_decay until the product is below 1");
}

void TrainSettings::check(const PolicySpec& spec) const {
  check();
  if (neighbor_sample > 0 && (spec.kind_name() == "regent" ||
                              spec.aggregation().kind == AggregationSettings::Kind::kConcatenation))
    throw Error("train.neighbor_sample", "this policy reads its neighbours in their order",
                "set it to 0");
  smoothness.check(spec);
  ccil.check(spec);
}

}  // namespace darp
