#pragma once
// What a policy's networks answer in use, kind by kind: the part of the LibTorch executor that
// knows methods. One source per family; make_torch_answer chooses by the policy's kind.

#include <ATen/ATen.h>

#include <memory>
#include <span>

#include "darp/core/rng.h"
#include "darp/policy/policy_archive.h"

namespace darp {

/// One rollout's. Keeps the archive alive if it needs it.
class TorchAnswer {
 public:
  virtual ~TorchAnswer() = default;

  /// Starts an episode.
  virtual void reset(uint64_t seed) = 0;
  /// Takes the next observation, standardised: every step, also while a chunk is carried out.
  virtual void see(std::span<const float> query) = 0;
  /// One member's answer to what was seen last, as the policy's head takes it: PolicySpec::outputs
  /// numbers, standardised, in order. What is drawn at random is drawn from `draws`.
  virtual at::Tensor answer(int64_t member, Rng draws) = 0;
};

std::unique_ptr<TorchAnswer> make_torch_answer(std::shared_ptr<const PolicyArchive> archive);

/// Behaviour cloning and difference-aware retrieval.
std::unique_ptr<TorchAnswer> make_neighbor_answer(std::shared_ptr<const PolicyArchive> archive);
/// Locally weighted regression.
std::unique_ptr<TorchAnswer> make_local_answer(std::shared_ptr<const PolicyArchive> archive);
/// REGENT: the answer at the query, which stands last.
std::unique_ptr<TorchAnswer> make_regent_answer(std::shared_ptr<const PolicyArchive> archive);
/// Diffusion, with neighbours or without: chunks found among noise by DDIM (noise_schedule.h).
std::unique_ptr<TorchAnswer> make_diffusion_answer(std::shared_ptr<const PolicyArchive> archive);

}  // namespace darp
