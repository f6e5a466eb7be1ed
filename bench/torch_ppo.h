#pragma once
// The rival of expert_bench: PPO's update, written down with LibTorch's tensors.

#include <memory>
#include <span>
#include <vector>

#include "darp/expert/ppo/ppo_objective.h"

namespace darp::bench {

/// LibTorch and its OpenBLAS work on this many threads from here on.
void use_torch_threads(int threads);

/// The loss of ppo_objective.h as few operators as it takes, autograd for its gradient. Parameters
/// and gradients are views into one flat tensor each, so that clipping and Adam are a few operators
/// in place of a few for each layer; rows are gathered once an epoch.
class TorchPpo {
 public:
  /// Copies the rows.
  TorchPpo(const PpoLayout& layout, const PpoSettings& settings, const PpoRows& rows);
  ~TorchPpo();

  /// The loss's gradient on these rows, in the order of PpoLayout.
  std::vector<float> gradient(std::span<const float> parameters, std::span<const int64_t> batch);

  /// An update from these parameters on, with Adam as it was at the beginning: the batches of each
  /// of `orders`. Gives the parameters.
  std::vector<float> update(std::span<const float> parameters,
                            const std::vector<std::vector<int64_t>>& orders);

 private:
  class Tensors;
  std::unique_ptr<Tensors> tensors_;  // LibTorch's headers take long to compile: not here
};

}  // namespace darp::bench
