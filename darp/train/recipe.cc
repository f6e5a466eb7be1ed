#include "darp/train/recipe.h"

#include <algorithm>

namespace darp {

TrainConfig recipe() {
  TrainConfig config;
  DarpSpec darp;
  darp.retrieval.k = 200;
  darp.retrieval.stride = 4;
  darp.retrieval.history.lookback = 1;
  darp.aggregation.bandwidth = 0.5;
  config.policy.kind = darp;
  config.policy.members = 8;
  config.train.epochs = 0;
  config.train.batch = 8;
  config.train.optimizer.weight_decay = 0.1;
  config.train.schedule.kind = ScheduleSettings::Kind::kCosine;
  config.train.ema = 0.999;
  config.train.backstep.part = 0.8;
  config.train.neighbor_sample = 32;
  config.train.precision = TrainSettings::Precision::kAuto;
  return config;
}

void fit_to(TrainConfig& config, int64_t steps) {
  constexpr int64_t kPart = 5;
  if (auto* darp = std::get_if<DarpSpec>(&config.policy.kind))
    darp->retrieval.k = std::clamp<int64_t>(steps / kPart, 1, darp->retrieval.k);
}

}  // namespace darp
