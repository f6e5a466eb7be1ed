#pragma once
// A learned model of the dynamics, s' = s + f(s, a).

#include <atomic>
#include <optional>

#include "darp/core/progress.h"
#include "darp/core/thread_pool.h"
#include "darp/policy/network_parameters.h"
#include "darp/train/ccil/ccil_settings.h"
#include "darp/train/ccil/transitions.h"

namespace darp {

/// Immutable.
class DynamicsModel {
 public:
  /// @param layers of the network; `weights` as its forward pass uses them
  DynamicsModel(std::vector<Parameter> layers, std::vector<float> weights, ColumnScaling inputs,
                ColumnScaling residuals);

  /// f(s, a) of each row, in the units of the data. Columns that never changed get 0.
  Matrix residuals(MatrixView states, MatrixView actions, ThreadPool& pool) const;

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<float>& weights() const { return weights_; }

 private:
  std::vector<Parameter> parameters_;
  std::vector<float> weights_;
  ColumnScaling inputs_, residuals_;
};

struct DynamicsOptions {
  uint64_t seed = 0;
  Progress::Output progress = Progress::standard_error();
  const std::atomic<bool>* stop = nullptr;  // set: give up
};

/// Learns the model. The same seed, transitions and settings give the same bits, with any number of
/// threads. Nothing if it was stopped. Throws Error if it diverges.
std::optional<DynamicsModel> learn_dynamics(const Transitions& transitions,
                                            const CcilSettings& settings, ThreadPool& pool,
                                            const DynamicsOptions& options);

}  // namespace darp
