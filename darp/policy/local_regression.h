#pragma once
// Locally weighted regression: the action from the neighbours' actions alone. With d_i the distance
// that ranked neighbour i, h the bandwidth and s_i, a_i its state and action,
//
//   w_i  = e^(-d_i / h), e^(-d_i^2 / (2 h^2)) or 1, divided by their sum
//   mean     a = sum of w_i a_i
//   linear   a = the value at the query of the affine map that minimises
//                sum of w_i |a_i - b - B (s_i - s_q)|^2 + r |B|^2,
//                r = ridge x the mean over columns of sum of w_i (s_i - s_q)^2
//
// As h goes to 0 both become the nearest neighbour's action.

#include <span>
#include <vector>

#include "darp/core/matrix.h"
#include "darp/policy/policy_spec.h"
#include "darp/retrieval/retrieval_session.h"

namespace darp {

/// One rollout's. Nothing allocates or throws after construction.
///
/// The linear fit's value is a weighted mean of the actions too. With x_i = s_i - s_q, m their
/// weighted mean and C = sum of w_i (x_i - m) (x_i - m)^T + r I, it has the weights
///   v_i = w_i (1 - u^T (x_i - m)),  C u = m
/// so that one system is solved, however many numbers an action has.
///
/// Where C is singular (ridge 0 and fewer neighbours than columns, say), a column that the constant
/// and the columns before it explain gets slope 0: one whose pivot in the Cholesky decomposition is
/// at most kLeastPivot x sum of w_i x_i^2 of that column.
class LocalRegression {
 public:
  static constexpr double kLeastPivot = 1e-10;

  /// @param states, actions standardised rows of the demonstrations (actions may be whole chunks);
  ///                        must outlive this
  /// @param median          of the distances from demonstrated steps to their last neighbour
  LocalRegression(const LwrSpec& spec, MatrixView states, MatrixView actions, float median);

  /// The standardised action for a standardised query; at least one neighbour.
  void answer(std::span<const float> query, const Neighbors& neighbors,
              std::span<float> action) noexcept;

 private:
  void set_weights(std::span<const float> distances) noexcept;
  void fit_line(std::span<const float> query, std::span<const int32_t> rows) noexcept;
  void set_differences(std::span<const float> query, std::span<const int32_t> rows) noexcept;
  void set_products() noexcept;
  void solve() noexcept;

  LwrSpec spec_;
  MatrixView states_, actions_;
  double median_;
  std::vector<double> weights_;  // of the neighbours
  // Of the linear fit, in the names above. C is kept as its lower half, row by row.
  std::vector<double> differences_;  // neighbours x columns, x_i - m
  std::vector<double> mean_, squares_, products_, solution_, inverse_;
  double penalty_ = 0;  // r
  size_t count_ = 0;    // neighbours
};

}  // namespace darp
