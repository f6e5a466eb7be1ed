#include "darp/retrieval/graph/neighbor_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace darp {
namespace {

using Edge = std::pair<int32_t, double>;  // to, weight

/// Below this, numbers lose precision and so would the normalised Laplacian.
constexpr double kLeastWeight = std::numeric_limits<double>::min();

void check_neighbor(int64_t query, int32_t row, int64_t rows) {
  if (row < 0 || row >= rows)
    throw Error(fmt::format("neighbour table: query {}", query),
                fmt::format("names row {} of {}", row, rows),
                "a graph needs the neighbours of a dataset within itself: build that table");
}

/// One query's links by ascending row, each row once with its largest weight.
void collect_edges(const NeighborTable& table, int64_t query, GraphKernel kernel, double bandwidth,
                   std::vector<Edge>& edges) {
  edges.clear();
  const auto rows = table.rows(query);
  for (size_t i = 0; i < rows.size(); ++i) {
    check_neighbor(query, rows[i], table.queries());
    const double weight = kernel == GraphKernel::kUniform
                              ? 1
                              : kernel_weight(table.distances(query)[i], kernel, bandwidth);
    if (rows[i] != query && weight >= kLeastWeight) edges.emplace_back(rows[i], weight);
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  const auto same_row = [](const Edge& a, const Edge& b) { return a.first == b.first; };
  edges.erase(std::unique(edges.begin(), edges.end(), same_row), edges.end());
}

/// Entry (i, j): weight of j as a neighbour of i; if `normalized`, a row's sum is 1.
SparseMatrix directed_weights(const NeighborTable& table, GraphKernel kernel, double bandwidth,
                              bool normalized) {
  SparseMatrix::Contents out{.rows = table.queries(), .cols = table.queries()};
  std::vector<Edge> edges;
  for (int64_t query = 0; query < table.queries(); ++query) {
    collect_edges(table, query, kernel, bandwidth, edges);
    double sum = 0;
    for (const auto& [row, weight] : edges) sum += weight;
    for (const auto& [row, weight] : edges) {
      out.columns.push_back(row);
      out.values.push_back(normalized ? weight / sum : weight);
    }
    out.starts.push_back(static_cast<int64_t>(out.values.size()));
  }
  return SparseMatrix(std::move(out));
}

/// Both directions made one, as the settings say.
SparseMatrix symmetrized(const SparseMatrix& forth, GraphSettings::Edges edges) {
  using Edges = GraphSettings::Edges;
  const SparseMatrix back = forth.transposed();
  const bool either = edges != Edges::kMutual;
  const auto combined = [&](double one, double other) {
    if (edges == Edges::kMean) return (one + other) / 2;
    return edges == Edges::kUnion ? std::max(one, other) : std::min(one, other);
  };
  SparseMatrix::Contents out{.rows = forth.rows(), .cols = forth.cols()};
  const auto add = [&](int32_t column, double value) {
    out.columns.push_back(column);
    out.values.push_back(value);
  };
  for (int64_t i = 0; i < forth.rows(); ++i) {
    const auto a = forth.columns(i), b = back.columns(i);
    for (size_t m = 0, n = 0; m < a.size() || n < b.size();) {
      if (n == b.size() || (m < a.size() && a[m] < b[n])) {
        if (either) add(a[m], combined(forth.values(i)[m], 0));
        ++m;
      } else if (m == a.size() || b[n] < a[m]) {
        if (either) add(b[n], combined(0, back.values(i)[n]));
        ++n;
      } else {
        add(a[m], combined(forth.values(i)[m], back.values(i)[n]));
        ++m, ++n;
      }
    }
    out.starts.push_back(static_cast<int64_t>(out.values.size()));
  }
  return SparseMatrix(std::move(out));
}

}  // namespace

NeighborGraph::NeighborGraph(const NeighborTable& table, const GraphSettings& settings)
    : bandwidth_(resolve_bandwidth(table, settings)),
      affinity_(symmetrized(directed_weights(table, settings.kernel, bandwidth_,
                                             settings.edges == GraphSettings::Edges::kMean),
                            settings.edges)) {
  for (int64_t i = 0; i < rows(); ++i) {
    const auto values = affinity_.values(i);
    degrees_.push_back(std::accumulate(values.begin(), values.end(), 0.0));
  }
}

SparseMatrix NeighborGraph::laplacian(LaplacianForm form) const {
  std::vector<double> roots;
  for (const double degree : degrees_) roots.push_back(std::sqrt(degree));
  const auto scale = [&](int64_t i, int32_t j) {
    if (form == LaplacianForm::kUnnormalized) return 1.0;
    return form == LaplacianForm::kRandomWalk ? degrees_[i] : roots[i] * roots[j];
  };
  SparseMatrix::Contents out{.rows = rows(), .cols = rows()};
  const auto add = [&](int64_t column, double value) {
    out.columns.push_back(static_cast<int32_t>(column));
    out.values.push_back(value);
  };
  for (int64_t i = 0; i < rows(); ++i) {
    const auto columns = affinity_.columns(i);
    const auto values = affinity_.values(i);
    const double diagonal = form == LaplacianForm::kUnnormalized ? degrees_[i] : 1.0;
    bool placed = columns.empty();  // isolated rows get no diagonal either
    for (size_t e = 0; e < columns.size(); ++e) {
      if (!placed && columns[e] > i) add(i, diagonal), placed = true;
      add(columns[e], -values[e] / scale(i, columns[e]));
    }
    if (!placed) add(i, diagonal);
    out.starts.push_back(static_cast<int64_t>(out.values.size()));
  }
  return SparseMatrix(std::move(out));
}

int64_t NeighborGraph::components() const {
  std::vector<bool> seen(rows());
  std::vector<int32_t> waiting;
  int64_t found = 0;
  for (int64_t start = 0; start < rows(); ++start) {
    if (seen[start]) continue;
    ++found;
    seen[start] = true;
    waiting.push_back(static_cast<int32_t>(start));
    while (!waiting.empty()) {
      const int32_t row = waiting.back();
      waiting.pop_back();
      for (const int32_t next : affinity_.columns(row)) {
        if (seen[next]) continue;
        seen[next] = true;
        waiting.push_back(next);
      }
    }
  }
  return found;
}

}  // namespace darp
