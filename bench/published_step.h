#pragma once
// The rival of inference_bench: one step of the published policy, written down with LibTorch's
// tensors.

#include <memory>
#include <span>

#include "darp/policy/policy_archive.h"

namespace darp::bench {

/// LibTorch works on one thread from here on.
void use_one_torch_thread();

/// What the published code does for each observation, with everything that can be prepared
/// prepared: standardised rows, the windows of the past of every row and their weights are tensors
/// in memory, nothing records gradients. The history distances of all candidates are computed at
/// once, for which LibTorch takes less time than for a loop over the past.
class PublishedStep {
 public:
  /// For policies with the published conventions (apply_reference_conventions) and one network.
  explicit PublishedStep(const PolicyArchive& archive);
  ~PublishedStep();

  void act(std::span<const float> observation, std::span<float> action);

 private:
  class Tensors;
  std::unique_ptr<Tensors> tensors_;  // LibTorch's headers take long to compile: not here
};

}  // namespace darp::bench
