#include "darp/data/summary.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace darp {
namespace {

int64_t count_duplicates(MatrixView values) {
  // The set holds views of the rows themselves: nothing is copied.
  std::unordered_set<std::string_view> seen;
  seen.reserve(static_cast<size_t>(values.rows()));
  int64_t duplicates = 0;
  for (int64_t i = 0; i < values.rows(); ++i) {
    const std::span<const float> row = values.row(i);
    duplicates += !seen.emplace(reinterpret_cast<const char*>(row.data()), row.size_bytes()).second;
  }
  return duplicates;
}

}  // namespace

DatasetSummary summarize(const Dataset& dataset, ThreadPool& pool) {
  DatasetSummary summary;
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < dataset.episodes(); ++i) lengths.push_back(dataset.episode(i).steps());
  std::sort(lengths.begin(), lengths.end());
  const size_t middle = lengths.size() / 2;
  summary.shortest_episode = lengths.front();
  summary.longest_episode = lengths.back();
  summary.mean_episode =
      static_cast<double>(dataset.steps()) / static_cast<double>(dataset.episodes());
  summary.median_episode = lengths.size() % 2 == 1
                               ? static_cast<double>(lengths[middle])
                               : static_cast<double>(lengths[middle - 1] + lengths[middle]) / 2;

  // Independent jobs; each writes its own place.
  pool.parallel_for(4, 1, [&](int64_t job, int64_t) {
    if (job == 0) summary.duplicate_observations = count_duplicates(dataset.observations());
    if (job == 1) summary.observations = column_statistics(dataset.observations());
    if (job == 2) summary.actions = column_statistics(dataset.actions());
    if (job == 3) summary.hash = dataset.content_hash();
  });
  return summary;
}

}  // namespace darp
