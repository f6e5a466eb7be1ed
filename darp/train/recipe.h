#pragma once
// What `darp train` does when no config says otherwise: one setting for every task, found on
// demonstrations alone (docs/recipe.md).

#include "darp/data/dataset.h"
#include "darp/train/train_config.h"

namespace darp {

/// As configs/recipe/darp.yaml.
TrainConfig recipe();

/// What a setting for all cannot know: at most a fifth of the demonstrated steps as neighbours, and
/// an observation_floor that flattens half of the numbers at most, whatever their unit.
void fit_to(TrainConfig& config, const Dataset& dataset);

}  // namespace darp
