#include "darp/study/analysis/spectral_filters.h"

#include <algorithm>
#include <cmath>

namespace darp {
namespace {

double inner(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

}  // namespace

SparseMatrix aggregation_matrix(const NeighborTable& table, GraphKernel kernel, double bandwidth) {
  SparseMatrix::Contents out{.rows = table.queries(), .cols = table.queries()};
  std::vector<float> weights;
  std::vector<std::pair<int32_t, double>> entries;
  for (int64_t query = 0; query < table.queries(); ++query) {
    const auto rows = table.rows(query);
    weights.assign(rows.size(), rows.empty() ? 1.0F : 1.0F / static_cast<float>(rows.size()));
    if (kernel != GraphKernel::kUniform)
      neighbor_weights(table.distances(query), kernel, bandwidth, weights);
    entries.clear();
    for (size_t i = 0; i < rows.size(); ++i) entries.emplace_back(rows[i], weights[i]);
    if (rows.empty()) entries.emplace_back(static_cast<int32_t>(query), 1.0);
    std::sort(entries.begin(), entries.end());
    // The weights are floats: their sum is made 1 again.
    double sum = 0;
    for (const auto& [row, weight] : entries) sum += weight;
    for (const auto& [row, weight] : entries) {
      out.columns.push_back(row);
      out.values.push_back(weight / sum);
    }
    out.starts.push_back(static_cast<int64_t>(out.columns.size()));
  }
  return SparseMatrix(std::move(out));
}

SparseMatrix walk_matrix(const NeighborGraph& graph) {
  const SparseMatrix& affinity = graph.affinity();
  SparseMatrix::Contents out{.rows = graph.rows(), .cols = graph.rows()};
  for (int64_t i = 0; i < graph.rows(); ++i) {
    const auto columns = affinity.columns(i);
    for (size_t e = 0; e < columns.size(); ++e) {
      out.columns.push_back(columns[e]);
      out.values.push_back(affinity.values(i)[e] / graph.degrees()[static_cast<size_t>(i)]);
    }
    // An isolated row is its own average, as in NeighborGraph::laplacian.
    if (columns.empty()) out.columns.push_back(static_cast<int32_t>(i)), out.values.push_back(1);
    out.starts.push_back(static_cast<int64_t>(out.columns.size()));
  }
  return SparseMatrix(std::move(out));
}

ModeGains mode_gains(const Spectrum& spectrum, const SparseMatrix& map, ThreadPool* pool) {
  const int64_t n = spectrum.rows();
  DARP_CHECK(map.rows() == n && map.cols() == n, "a map of {} rows on {} modes", map.rows(), n);
  DoubleMatrix modes(n, n), images(n, n);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < n; ++i) modes(i, j) = spectrum.modes(j, i);
  map.multiply(modes.view(), images.mutable_view(), pool);

  const auto count = static_cast<size_t>(n);
  ModeGains gains{std::vector<double>(count), std::vector<double>(count)};
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      gains.gain[static_cast<size_t>(j)] +=
          spectrum.weights[static_cast<size_t>(i)] * modes(i, j) * images(i, j);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const double off = images(i, j) - gains.gain[static_cast<size_t>(j)] * modes(i, j);
      gains.leak[static_cast<size_t>(j)] += spectrum.weights[static_cast<size_t>(i)] * off * off;
    }
  for (double& leak : gains.leak) leak = std::sqrt(leak);
  return gains;
}

std::vector<double> penalty_gains(const Spectrum& spectrum, const SparseMatrix& laplacian,
                                  double lambda) {
  std::vector<double> every_mode(static_cast<size_t>(spectrum.rows()));
  for (int64_t j = 0; j < spectrum.rows(); ++j)
    for (size_t i = 0; i < every_mode.size(); ++i) every_mode[i] += spectrum.modes.row(j)[i];
  const std::vector<double> smooth = solve_penalty(laplacian, lambda, every_mode);
  std::vector<double> gains;
  for (int64_t j = 0; j < spectrum.rows(); ++j)
    gains.push_back(inner(spectrum.modes.row(j), smooth));
  return gains;
}

std::vector<double> solve_penalty(const SparseMatrix& laplacian, double lambda,
                                  std::span<const double> a) {
  constexpr int kMostSteps = 1000;
  constexpr double kTolerance = 1e-14;
  std::vector<double> f(a.size()), residual(a.begin(), a.end()), direction = residual,
                                                                 image(a.size());
  const double start = inner(a, a);
  double size = start;
  for (int step = 0; step < kMostSteps; ++step) {
    if (size <= kTolerance * kTolerance * start) return f;
    laplacian.multiply(direction, image);
    for (size_t i = 0; i < image.size(); ++i) image[i] = direction[i] + lambda * image[i];
    const double along = size / inner(direction, image);
    for (size_t i = 0; i < f.size(); ++i) {
      f[i] += along * direction[i];
      residual[i] -= along * image[i];
    }
    const double next = inner(residual, residual);
    for (size_t i = 0; i < f.size(); ++i) direction[i] = residual[i] + next / size * direction[i];
    size = next;
  }
  throw Error("penalised objective", fmt::format("is not solved after {} steps", kMostSteps),
              "take a smaller lambda");
}

}  // namespace darp
