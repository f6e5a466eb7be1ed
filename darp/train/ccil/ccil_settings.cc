#include "darp/train/ccil/ccil_settings.h"

namespace darp {

void DynamicsSettings::visit_fields(FieldVisitor& v) {
  v.field("hidden", hidden, "Units of each hidden layer.",
          {.min = 1, .max = MlpSettings::kMostUnits});
  v.field("epochs", epochs, "Passes over the transitions.", {.min = 1, .max = 1e9});
  v.field("batch", batch, "Transitions per step; an epoch's last, smaller batch is left out.",
          {.min = 1, .max = 1e9});
  v.field("learning_rate", learning_rate, "Step size of Adam.", {.min = 0, .max = 100});
  v.field("weight_decay", weight_decay, "Times the weights, is added to the gradient.",
          {.min = 0, .max = 1000});
}

void LipschitzSettings::visit_fields(FieldVisitor& v) {
  v.choice("kind", kind,
           {{"none", Kind::kNone},
            {"soft_sampling", Kind::kSoftSampling},
            {"spectral", Kind::kSpectral},
            {"slack", Kind::kSlack}},
           "What keeps the model smooth: nothing, a penalty on answers that differ by much at "
           "perturbed inputs, spectral normalisation of every layer, or a learned gate that may "
           "ignore what does not fit.");
  const bool sampling = kind == Kind::kSoftSampling;
  if (sampling || kind == Kind::kSpectral)
    v.field("constant", constant,
            "Largest slope: of the model (soft_sampling) or of each layer (spectral).",
            {.min = 1e-6, .max = 1e6});
  if (sampling) {
    v.field("samples", samples, "Perturbations of each transition.", {.min = 1, .max = 1000});
    v.field("noise", noise, "Standard deviation of the perturbations.", {.min = 1e-12, .max = 1e6});
    v.field("penalty", penalty, "Weight of what exceeds the constant.", {.min = 0, .max = 1e6});
    v.choice("mode", mode, {{"faithful", Mode::kFaithful}, {"corrected", Mode::kCorrected}},
             "faithful (the authors' code): the standardised change at the transition against the "
             "next state at the perturbed one, and noise of deviation 1 for its length; corrected: "
             "next states at both, and the length of the noise that was added.");
  }
  if (kind == Kind::kSlack)
    v.field("slack_weight", slack_weight, "What opening the gate fully earns.",
            {.min = 0, .max = 1e6});
}

void CcilSettings::visit_fields(FieldVisitor& v) {
  v.choice("labels", labels,
           {{"none", Labels::kNone},
            {"backward_euler", Labels::kBackwardEuler},
            {"forward_euler", Labels::kForwardEuler},
            {"noisy_action", Labels::kNoisyAction}},
           "Corrective labels to learn from besides: none; s - f(s, a) with action a; the state "
           "from which a leads to s; or draws of a noisy action and the state from which it leads "
           "to the next. With them come the other fields of ccil.");
  if (!wanted()) return;
  if (labels == Labels::kNoisyAction) {
    v.field("draws", draws, "Labels of each transition.", {.min = 1, .max = 10'000});
    v.field("action_noise", action_noise, "Standard deviation of the noise on actions.",
            {.min = 0, .max = 1e6});
  }
  v.field("max_distance", max_distance,
          "Labels at this distance or farther from the state they come from are dropped; 0: none.",
          {.min = 0});
  v.field("copies", copies,
          "How often the demonstrations themselves are in the data; 1 + draws balances noisy "
          "actions.",
          {.min = 1, .max = 10'000});
  v.group("dynamics", dynamics, "The model s' = s + f(s, a).");
  v.group("lipschitz", lipschitz, "What keeps the model smooth.");
}

void CcilSettings::check(const PolicySpec& spec) const {
  if (!wanted()) return;
  MlpSettings network;
  network.hidden = dynamics.hidden;
  network.check("train.ccil.dynamics");
  if (spec.as<BcSpec>() == nullptr)
    throw Error("train.ccil.labels",
                fmt::format("are set for a policy of kind {}: only behaviour cloning has them",
                            spec.kind_name()),
                "set policy.kind to bc, or train.ccil.labels to none");
  if (spec.chunk.length > 1)
    throw Error("train.ccil.labels", "are single actions, and the policy answers with chunks",
                "set policy.chunk.length to 1, or train.ccil.labels to none");
}

}  // namespace darp
