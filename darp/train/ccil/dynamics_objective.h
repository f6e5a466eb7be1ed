#pragma once
// What the model of the dynamics is learned to minimise. With y(s, a) the network's answer to a
// standardised transition, t the standardised change s' - s, and r(y) the change that y stands for
// (0 in columns that never change), means being over the batch:
//
//   none, spectral  mean over transitions and columns of (y - t)^2
//   soft_sampling   the same + penalty x mean over transitions and samples of
//                     max(0, |D| - constant |n|)
//                   with noise z ~ N(0, 1) on states and actions, s~ = s + noise z_s, a~ alike, and
//                     faithful   D = y(s, a) - (s~ + r(y(s~, a~))),            n = z
//                     corrected  D = s + r(y(s, a)) - (s~ + r(y(s~, a~))),     n = noise z
//   slack           mean over transitions of |g (y - t)^2| - slack_weight x mean of g
//                   with the gate g = sigmoid(a second network of the raw s, a)

#include <optional>

#include "darp/core/rng.h"
#include "darp/train/ccil/ccil_settings.h"
#include "darp/train/ccil/relu_network.h"
#include "darp/train/ccil/transitions.h"

namespace darp {

/// The model's network takes states and actions side by side.
std::vector<Parameter> dynamics_parameters(const CcilSettings& settings, int64_t state_dim,
                                           int64_t action_dim);

/// Not for two threads at once; it uses those of the pool.
class DynamicsObjective {
 public:
  /// The pool must outlive this.
  DynamicsObjective(const Transitions& transitions, const CcilSettings& settings, ThreadPool& pool);

  const ColumnScaling& input_scaling() const { return input_scaling_; }
  const ColumnScaling& residual_scaling() const { return residual_scaling_; }

  /// The loss of these transitions and its gradient, laid out by dynamics_parameters, which is
  /// overwritten. `rng` draws the perturbations.
  double gradient(std::span<const float> parameters, std::span<const int64_t> rows, Rng rng,
                  std::span<float> gradient);

 private:
  void take(std::span<const int64_t> rows);
  void perturb(Rng rng);
  double squared_error();
  double slopes();
  double gated_error(std::span<const float> parameters, std::span<float> gradient);

  const LipschitzSettings lipschitz_;
  const int64_t state_dim_;
  const Matrix raw_all_;  // states and actions side by side
  const ColumnScaling input_scaling_, residual_scaling_;
  const Matrix inputs_all_, targets_all_;  // standardised
  const std::vector<Parameter> parameters_;
  ReluNetwork network_;
  std::optional<ReluNetwork> gate_;

  // Of the batch: its transitions, then the perturbed ones, those of one transition together.
  int64_t batch_ = 0;
  Matrix inputs_, targets_, raw_, noise_;
  MatrixView answers_;
  Matrix by_answers_, by_gate_;
};

}  // namespace darp
