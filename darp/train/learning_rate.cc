#include "darp/train/learning_rate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace darp {
namespace {

double cosine(const ScheduleSettings& settings, int64_t step, int64_t total_steps) {
  // No steps are left to fall in when the warm-up takes them all.
  const int64_t falling = std::max<int64_t>(1, total_steps - settings.warmup);
  const int64_t fallen = std::clamp<int64_t>(step - settings.warmup, 0, falling);
  const double x = static_cast<double>(fallen) / static_cast<double>(falling);
  return settings.final_rate + (1 - settings.final_rate) * (1 + std::cos(std::numbers::pi * x)) / 2;
}

}  // namespace

void PlateauState::update(double validation_loss, const ScheduleSettings& settings) {
  if (validation_loss < best) {
    best = validation_loss;
    epochs_since = 0;
  } else if (++epochs_since >= settings.patience) {
    factor *= settings.factor;
    epochs_since = 0;
  }
}

double learning_rate(double height, const ScheduleSettings& settings, const PlateauState& plateau,
                     int64_t step, int64_t total_steps) {
  DARP_CHECK(step >= 0, "step {}", step);
  const double warmup = step < settings.warmup
                            ? static_cast<double>(step + 1) / static_cast<double>(settings.warmup)
                            : 1;
  switch (settings.kind) {
    case ScheduleSettings::Kind::kConstant:
      return height * warmup;
    case ScheduleSettings::Kind::kCosine:
      return height * warmup * cosine(settings, step, total_steps);
    case ScheduleSettings::Kind::kPlateau:
      return height * warmup * plateau.factor;
  }
  DARP_CHECK(false, "a schedule without a rate");
}

}  // namespace darp
