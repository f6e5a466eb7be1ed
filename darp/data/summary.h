#pragma once
// What a person wants to know about demonstrations before trusting them.

#include <string>
#include <vector>

#include "darp/core/thread_pool.h"
#include "darp/data/column_statistics.h"
#include "darp/data/dataset.h"

namespace darp {

struct DatasetSummary {
  std::vector<ColumnStatistics> observations, actions;  // one per column
  int64_t shortest_episode = 0, longest_episode = 0;
  double median_episode = 0, mean_episode = 0;
  /// Steps whose observation equals an earlier step's bit for bit.
  int64_t duplicate_observations = 0;
  std::string hash;
};

/// The same for any number of threads.
DatasetSummary summarize(const Dataset& dataset, ThreadPool& pool);

}  // namespace darp
