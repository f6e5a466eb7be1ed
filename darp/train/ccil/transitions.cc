#include "darp/train/ccil/transitions.h"

#include <algorithm>
#include <cmath>

namespace darp {
namespace {

constexpr double kSmallestDeviation = 1e-8;

}  // namespace

ColumnScaling::ColumnScaling(MatrixView rows) : shift_(rows.cols()), scale_(shift_.size()) {
  const auto count = static_cast<double>(rows.rows());
  for (size_t j = 0; j < shift_.size(); ++j) {
    const auto column = static_cast<int64_t>(j);
    double sum = 0, deviation = 0;
    for (int64_t i = 0; i < rows.rows(); ++i) sum += static_cast<double>(rows(i, column));
    shift_[j] = sum / count;
    for (int64_t i = 0; i < rows.rows(); ++i)
      deviation += std::abs(static_cast<double>(rows(i, column)) - shift_[j]);
    scale_[j] = deviation / count;
  }
}

double ColumnScaling::unit(int64_t column) const {
  const double scale = scale_[column];
  return scale < kSmallestDeviation ? 0 : scale + kSmallestDeviation;
}

float ColumnScaling::standardized(int64_t column, double x) const {
  const double size = unit(column);
  return size > 0 ? static_cast<float>((x - shift_[column]) / size) : 0.0f;
}

double ColumnScaling::restored(int64_t column, double x) const {
  const double size = unit(column);
  return size > 0 ? x * size + shift_[column] : 0;
}

Transitions::Transitions(const Dataset& dataset) {
  const int64_t count = dataset.steps() - dataset.episodes();
  if (count == 0)
    throw Error(dataset.source(), "has no step that another one follows",
                "use demonstrations with more than one step, or set train.ccil.labels to none");
  states = Matrix::uninitialized(count, dataset.observation_dim());
  actions = Matrix::uninitialized(count, dataset.action_dim());
  next = Matrix::uninitialized(count, dataset.observation_dim());
  int64_t row = 0;
  for (int64_t e = 0; e < dataset.episodes(); ++e) {
    const int64_t begin = dataset.episode_begin(e), end = dataset.episode_end(e) - 1;
    const auto take = [&](MatrixView from, int64_t first, Matrix& to) {
      copy(from.rows_between(first, first + end - begin),
           to.mutable_view().rows_between(row, row + end - begin));
    };
    take(dataset.observations(), begin, states);
    take(dataset.actions(), begin, actions);
    take(dataset.observations(), begin + 1, next);
    row += end - begin;
  }
}

Matrix Transitions::inputs() const {
  return side_by_side(states, actions);
}

Matrix Transitions::residuals() const {
  Matrix residuals = Matrix::uninitialized(rows(), states.cols());
  for (int64_t i = 0; i < rows(); ++i)
    for (int64_t j = 0; j < states.cols(); ++j) residuals(i, j) = next(i, j) - states(i, j);
  return residuals;
}

Matrix side_by_side(MatrixView left, MatrixView right) {
  Matrix both = Matrix::uninitialized(left.rows(), left.cols() + right.cols());
  copy(left, both.mutable_view().cols_between(0, left.cols()));
  copy(right, both.mutable_view().cols_between(left.cols(), both.cols()));
  return both;
}

}  // namespace darp
