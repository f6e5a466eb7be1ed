#include "darp/policy/local_regression.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace darp {

LocalRegression::LocalRegression(const LwrSpec& spec, MatrixView states, MatrixView actions,
                                 float median)
    : spec_(spec), states_(states), actions_(actions), median_(static_cast<double>(median)) {
  weights_.resize(static_cast<size_t>(spec.retrieval.kept()));
  if (spec.fit != LwrSpec::Fit::kLinear) return;
  const auto columns = static_cast<size_t>(states.cols());
  differences_.resize(weights_.size() * columns);
  mean_.resize(columns);
  squares_.resize(columns);
  products_.resize(columns * columns);
  solution_.resize(columns);
  inverse_.resize(columns);
}

void LocalRegression::answer(std::span<const float> query, const Neighbors& neighbors,
                             std::span<float> action) noexcept {
  set_weights(neighbors.distances);
  if (spec_.fit == LwrSpec::Fit::kLinear) fit_line(query, neighbors.rows);
  for (size_t j = 0; j < action.size(); ++j) {
    double sum = 0;
    for (size_t i = 0; i < neighbors.rows.size(); ++i)
      sum +=
          weights_[i] * static_cast<double>(actions_(neighbors.rows[i], static_cast<int64_t>(j)));
    action[j] = static_cast<float>(sum);
  }
}

/// Relative to the nearest one, so that not all can vanish.
void LocalRegression::set_weights(std::span<const float> distances) noexcept {
  const auto nearest = static_cast<double>(distances.front());
  double h = spec_.bandwidth_scale;
  if (spec_.bandwidth == LwrSpec::Bandwidth::kLastNeighbor)
    h *= static_cast<double>(distances.back());
  if (spec_.bandwidth == LwrSpec::Bandwidth::kMedian) h *= median_;
  double sum = 0;
  for (size_t i = 0; i < distances.size(); ++i) {
    const auto d = static_cast<double>(distances[i]);
    double exponent = 0;
    if (spec_.kernel == LwrSpec::Kernel::kExponential) exponent = (d - nearest) / h;
    if (spec_.kernel == LwrSpec::Kernel::kGaussian)
      exponent = (d - nearest) * (d + nearest) / (2 * h * h);
    // No bandwidth at all is the limit of ever smaller ones.
    if (!(h > 0) && spec_.kernel != LwrSpec::Kernel::kUniform)
      exponent = d > nearest ? std::numeric_limits<double>::infinity() : 0;
    sum += weights_[i] = std::exp(-exponent);
  }
  for (size_t i = 0; i < distances.size(); ++i) weights_[i] /= sum;
}

/// Turns the weights of the mean into those of the linear fit.
void LocalRegression::fit_line(std::span<const float> query,
                               std::span<const int32_t> rows) noexcept {
  set_differences(query, rows);
  set_products();
  solve();
  const size_t columns = mean_.size();
  for (size_t i = 0; i < count_; ++i) {
    double along = 0;
    for (size_t j = 0; j < columns; ++j) along += solution_[j] * differences_[i * columns + j];
    weights_[i] *= 1 - along;
  }
}

void LocalRegression::set_differences(std::span<const float> query,
                                      std::span<const int32_t> rows) noexcept {
  const size_t columns = mean_.size();
  count_ = rows.size();
  std::ranges::fill(mean_, 0.0);
  std::ranges::fill(squares_, 0.0);
  double all = 0;
  for (size_t i = 0; i < count_; ++i)
    for (size_t j = 0; j < columns; ++j) {
      const double x = static_cast<double>(states_(rows[i], static_cast<int64_t>(j))) -
                       static_cast<double>(query[j]);
      differences_[i * columns + j] = x;
      mean_[j] += weights_[i] * x;
      squares_[j] += weights_[i] * x * x;
    }
  for (const double square : squares_) all += square;
  penalty_ = spec_.ridge * (all / static_cast<double>(columns));
  for (size_t i = 0; i < count_; ++i)
    for (size_t j = 0; j < columns; ++j) differences_[i * columns + j] -= mean_[j];
}

void LocalRegression::set_products() noexcept {
  const size_t columns = mean_.size();
  std::ranges::fill(products_, 0.0);
  for (size_t i = 0; i < count_; ++i) {
    const double* x = differences_.data() + i * columns;
    for (size_t j = 0; j < columns; ++j) {
      const double scaled = weights_[i] * x[j];
      double* row = products_.data() + j * columns;
      for (size_t l = 0; l <= j; ++l) row[l] += scaled * x[l];
    }
  }
  for (size_t j = 0; j < columns; ++j) products_[j * columns + j] += penalty_;
}

/// Cholesky, in place. A pivot whose inverse counts as 0 takes its column out of the system.
void LocalRegression::solve() noexcept {
  const size_t columns = mean_.size();
  const auto less_dot = [](double from, const double* a, const double* b, size_t count) {
    for (size_t l = 0; l < count; ++l) from -= a[l] * b[l];
    return from;
  };
  for (size_t j = 0; j < columns; ++j) {
    double* row = products_.data() + j * columns;
    for (size_t l = 0; l < j; ++l)
      row[l] = less_dot(row[l], row, products_.data() + l * columns, l) * inverse_[l];
    const double pivot = less_dot(row[j], row, row, j);
    inverse_[j] = pivot > kLeastPivot * squares_[j] ? 1 / std::sqrt(pivot) : 0;
    solution_[j] = less_dot(mean_[j], row, solution_.data(), j) * inverse_[j];
  }
  for (size_t j = columns; j-- > 0;) {
    double rest = solution_[j];
    for (size_t l = j + 1; l < columns; ++l) rest -= products_[l * columns + j] * solution_[l];
    solution_[j] = rest * inverse_[j];
  }
}

}  // namespace darp
