#pragma once
// Neighbour tables for the tests of this folder.

#include <algorithm>
#include <cmath>
#include <vector>

#include "darp/core/rng.h"
#include "darp/retrieval/graph/neighbor_graph.h"
#include "darp/retrieval/neighbor_table.h"

namespace darp {

struct TestNeighbor {
  int32_t row;
  float distance;
};

/// A table with these neighbours, padded to the longest list.
inline NeighborTable table_of(const std::vector<std::vector<TestNeighbor>>& queries,
                              bool with_distances = true) {
  NeighborTable::Contents contents;
  for (const auto& query : queries)
    contents.width = std::max(contents.width, static_cast<int64_t>(query.size()));
  for (const auto& query : queries) {
    contents.counts.push_back(static_cast<int32_t>(query.size()));
    for (int64_t i = 0; i < contents.width; ++i) {
      const bool used = i < static_cast<int64_t>(query.size());
      contents.rows.push_back(used ? query[i].row : -1);
      if (with_distances) contents.distances.push_back(used ? query[i].distance : 0.0F);
    }
  }
  return NeighborTable(std::move(contents));
}

/// Every row's neighbours are the rows `links` says, at distance 1.
inline NeighborTable unit_table(const std::vector<std::vector<int32_t>>& links) {
  std::vector<std::vector<TestNeighbor>> queries(links.size());
  for (size_t i = 0; i < links.size(); ++i)
    for (const int32_t row : links[i]) queries[i].push_back({row, 1.0F});
  return table_of(queries);
}

inline NeighborTable ring_table(int32_t n) {
  std::vector<std::vector<int32_t>> links;
  for (int32_t i = 0; i < n; ++i) links.push_back({(i + n - 1) % n, (i + 1) % n});
  return unit_table(links);
}

inline NeighborTable complete_table(int32_t n) {
  std::vector<std::vector<int32_t>> links(n);
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < n; ++j)
      if (i != j) links[i].push_back(j);
  return unit_table(links);
}

/// The k nearest of n normal points, found by comparing all with all.
inline NeighborTable random_table(Rng rng, int64_t n, int64_t k, int64_t dimensions = 3) {
  std::vector<double> points(n * dimensions);
  for (double& x : points) x = rng.normal();
  std::vector<std::vector<TestNeighbor>> queries(n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t c = 0; c < dimensions; ++c)
        sum += std::pow(points[i * dimensions + c] - points[j * dimensions + c], 2);
      if (i != j)
        queries[i].push_back({static_cast<int32_t>(j), static_cast<float>(std::sqrt(sum))});
    }
    std::sort(queries[i].begin(), queries[i].end(), [](const auto& a, const auto& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.row < b.row;
    });
    queries[i].resize(std::min(n - 1, k));
  }
  return table_of(queries);
}

inline constexpr GraphSettings kUniform{.kernel = GraphKernel::kUniform,
                                        .edges = GraphSettings::Edges::kUnion};
inline constexpr LaplacianForm kAllForms[] = {
    LaplacianForm::kUnnormalized, LaplacianForm::kSymmetric, LaplacianForm::kRandomWalk};

}  // namespace darp
