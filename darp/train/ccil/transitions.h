#pragma once
// What a model of the dynamics is learned from.

#include <vector>

#include "darp/data/dataset.h"

namespace darp {

/// Each column's mean and mean absolute deviation. A column that deviates by less than 1e-8 is
/// constant: it is shown as 0, whatever it is.
class ColumnScaling {
 public:
  explicit ColumnScaling(MatrixView rows);

  int64_t columns() const { return static_cast<int64_t>(shift_.size()); }
  /// What a change of 1 in standardised units is; 0 for constants.
  double unit(int64_t column) const;
  float standardized(int64_t column, double x) const;
  /// The inverse; 0 for constants.
  double restored(int64_t column, double x) const;

 private:
  std::vector<double> shift_, scale_;
};

/// Every step of every episode but its last, with the state that came next.
struct Transitions {
  Matrix states, actions, next;

  /// Throws Error if there are none.
  explicit Transitions(const Dataset& dataset);

  int64_t rows() const { return states.rows(); }
  /// States and actions side by side.
  Matrix inputs() const;
  /// next - states.
  Matrix residuals() const;
};

/// Two tables of as many rows side by side.
Matrix side_by_side(MatrixView left, MatrixView right);

}  // namespace darp
