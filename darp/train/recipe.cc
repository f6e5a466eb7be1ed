#include "darp/train/recipe.h"

#include <algorithm>

#include "darp/core/quantile.h"
#include "darp/data/column_statistics.h"

namespace darp {

TrainConfig recipe() {
  TrainConfig config;
  DarpSpec darp;
  darp.retrieval.k = 200;
  darp.retrieval.stride = 4;
  darp.retrieval.history.lookback = 1;
  darp.aggregation.bandwidth = 0.5;
  config.policy.kind = darp;
  config.policy.observation_floor = 0.02;
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

void fit_to(TrainConfig& config, const Dataset& dataset) {
  constexpr int64_t kPart = 5;
  if (auto* darp = std::get_if<DarpSpec>(&config.policy.kind))
    darp->retrieval.k = std::clamp<int64_t>(dataset.steps() / kPart, 1, darp->retrieval.k);
  std::vector<double> spreads;
  for (const ColumnStatistics& column : column_statistics(dataset.observations()))
    if (!column.constant()) spreads.push_back(column.population_std());
  if (spreads.empty()) return;
  std::ranges::sort(spreads);
  config.policy.observation_floor =
      std::min(config.policy.observation_floor, quantile(spreads, 0.5));
}

}  // namespace darp
