#pragma once
// The learning rate at a step: height x warm-up x schedule.
//   warm-up   (step + 1) / warmup for the first `warmup` steps, then 1
//   constant  1
//   cosine    f + (1 - f) (1 + cos(pi x)) / 2, f the final rate, x from 0 at the end of the
//             warm-up to 1 at the end of training
//   plateau   factor^n after n plateaus of the validation loss

#include <cstdint>
#include <limits>

#include "darp/train/train_settings.h"

namespace darp {

/// What the plateau schedule remembers between epochs; a checkpoint keeps it.
struct PlateauState {
  double best = std::numeric_limits<double>::infinity();  // validation loss
  int64_t epochs_since = 0;                               // the best, or the last lowering
  double factor = 1;

  bool operator==(const PlateauState&) const = default;

  /// Once per epoch. A loss that is not below the best, NaN included, counts towards a plateau.
  void update(double validation_loss, const ScheduleSettings& settings);
};

/// The rate of the step numbered `step`, from 0, of `total_steps`. A pure function; `plateau` only
/// counts for that kind of schedule.
double learning_rate(double height, const ScheduleSettings& settings, const PlateauState& plateau,
                     int64_t step, int64_t total_steps);

}  // namespace darp
