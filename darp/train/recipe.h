#pragma once
// What `darp train` does when no config says otherwise: one setting for every task, found on
// demonstrations alone (docs/recipe.md).

#include "darp/train/train_config.h"

namespace darp {

/// As configs/recipe/darp.yaml.
TrainConfig recipe();

/// Fewer neighbours where demonstrations have few steps: at most a fifth of them.
void fit_to(TrainConfig& config, int64_t steps);

}  // namespace darp
