#include "darp/expert/ppo/ppo_settings.h"

#include "darp/expert/ppo/tanh_network.h"

namespace darp {

void ExpertEvaluationSettings::visit_fields(FieldVisitor& v) {
  v.field("every", every, "Steps between two measurements.", {.min = 1});
  v.field("episodes", episodes, "Episodes of a measurement, on search seeds.",
          {.min = 1, .max = 10'000});
}

void PpoSettings::visit_fields(FieldVisitor& v) {
  v.field("steps", steps, "Environment steps in all.", {.min = 1, .max = 1e12});
  v.field("environments", environments, "Simulations side by side.", {.min = 1, .max = 4096});
  v.field("horizon", horizon, "Steps of each between two updates.", {.min = 1, .max = 1e6});
  v.field("epochs", epochs, "Passes over these steps in an update.", {.min = 1, .max = 1000});
  v.field("batch", batch, "Steps per gradient.", {.min = 2, .max = 1e6});
  v.field("learning_rate", learning_rate, "Of Adam, at the beginning.", {.min = 0, .max = 1});
  v.field("final_rate", final_rate, "What part of it is left at the end; linear in between.",
          {.min = 0, .max = 1});
  v.field("discount", discount, "Of rewards, per step.", {.min = 0, .max = 1});
  v.field("gae", gae, "Lambda of generalised advantage estimation.", {.min = 0, .max = 1});
  v.field("clip", clip, "How far the probability of an action may move in an update.",
          {.min = 0, .max = 10});
  v.field("entropy", entropy, "Weight of the entropy bonus.", {.min = 0, .max = 10});
  v.field("value_weight", value_weight, "Weight of the critic's squared error.",
          {.min = 0, .max = 100});
  v.field("gradient_clip", gradient_clip, "Largest norm of a gradient; 0: any.", {.min = 0});
  v.field("log_std", log_std, "Logarithm of the exploration noise at the beginning.",
          {.min = -10, .max = 3});
  v.field("actor", actor, "Hidden widths of the network that acts.", {.min = 1, .max = 4096});
  v.field("critic", critic, "Hidden widths of the network that foresees returns.",
          {.min = 1, .max = 4096});
  v.field("seed", seed, "Of all that is random.", {.min = 0});
  v.group("evaluation", evaluation, "Measurements on the way.");
}

void PpoSettings::check() const {
  for (const auto& [name, hidden] : {std::pair{"actor", &actor}, {"critic", &critic}})
    if (static_cast<int64_t>(hidden->size()) >= kMostLayers)
      throw Error(name, fmt::format("has {} hidden layers", hidden->size()),
                  fmt::format("give {} at most", kMostLayers - 1));
  if (batch > rows())
    throw Error("batch", fmt::format("is {}, but an update has {} steps", batch, rows()),
                "make it smaller, or environments or horizon larger");
  if (steps < rows())
    throw Error("steps", fmt::format("are {}, fewer than one update's {}", steps, rows()),
                "give more");
}

}  // namespace darp
