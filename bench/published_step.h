#pragma once
// The rival of inference_bench: one step of the published policy, written down with LibTorch's
// tensors.

#include <torch/torch.h>

#include <span>
#include <vector>

#include "darp/policy/policy_archive.h"

namespace darp::bench {

/// What the published code does for each observation, with everything that can be prepared
/// prepared: standardised rows, the windows of the past of every row and their weights are tensors
/// in memory, nothing records gradients. The history distances of all candidates are computed at
/// once, for which LibTorch takes less time than for a loop over the past.
class PublishedStep {
 public:
  /// For policies with the published conventions (apply_reference_conventions) and one network.
  explicit PublishedStep(const PolicyArchive& archive);

  void act(std::span<const float> observation, std::span<float> action);

 private:
  struct Layer {
    torch::Tensor weight, bias, scale, shift;
  };

  void remember_windows(const PolicyArchive& archive);
  torch::Tensor neighbors(const torch::Tensor& query);
  torch::Tensor network(torch::Tensor inputs) const;

  int64_t k_, kept_, lookback_, seen_ = 0;
  double difference_scale_;
  torch::Tensor offset_, scale_, action_offset_, action_scale_;
  torch::Tensor states_, actions_;   // standardised
  torch::Tensor windows_, weights_;  // [rows, lookback, dim], [rows, lookback]; the latest first
  torch::Tensor past_;               // queries, the latest first
  std::vector<Layer> layers_;
};

}  // namespace darp::bench
