#pragma once
// PPO's loss on a batch and its gradient, over one flat vector: the actor's parameters, the
// logarithms of its noise, the critic's parameters. For a step with action a, advantage A
// (standardised over the batch), r = p(a) / p_old(a), return R and value v, the loss is the mean of
//   - min(r A, cut(r) A) + w (v - R)^2 / 2 - e entropy,   cut(r) within 1 +- clip.

#include <memory>
#include <span>
#include <vector>

#include "darp/core/thread_pool.h"
#include "darp/expert/ppo/ppo_settings.h"
#include "darp/expert/ppo/tanh_network.h"

namespace darp {

/// Where things are in the flat vector.
struct PpoLayout {
  NetworkShape actor, critic;

  PpoLayout(int64_t observations, int64_t actions, const PpoSettings& settings);

  int64_t parameters() const { return actor.parameters() + actor.outputs() + critic.parameters(); }
  template <class T>
  std::span<T> actor_part(std::span<T> all) const {
    return all.first(static_cast<size_t>(actor.parameters()));
  }
  template <class T>
  std::span<T> log_std_part(std::span<T> all) const {
    return all.subspan(static_cast<size_t>(actor.parameters()),
                       static_cast<size_t>(actor.outputs()));
  }
  template <class T>
  std::span<T> critic_part(std::span<T> all) const {
    return all.last(static_cast<size_t>(critic.parameters()));
  }
};

/// Everything that was gathered for an update, a row per step.
struct PpoRows {
  MatrixView observations, actions;
  std::span<const float> log_probabilities, advantages, returns;
};

struct PpoReport {
  double policy_loss = 0, value_loss = 0, entropy = 0;
  double divergence = 0;  // estimate of KL(old, new)
  double cut = 0;         // part of the steps where cut(r) was not r

  PpoReport& operator+=(const PpoReport& other);
};

/// Not for two threads at once; uses those of its pool.
class PpoObjective {
 public:
  PpoObjective(PpoLayout layout, const PpoSettings& settings, ThreadPool& pool);
  ~PpoObjective();

  /// The loss's parts on these rows, and its gradient: the same bits for any number of threads.
  PpoReport evaluate(std::span<const float> parameters, const PpoRows& rows,
                     std::span<const int64_t> batch, std::span<float> gradient);

  /// The critic's answers.
  std::vector<float> values(std::span<const float> parameters, MatrixView observations);

 private:
  struct Block;
  void evaluate_block(Block& block, const PpoRows& rows, std::span<const int64_t> batch,
                      std::span<const float> log_std, double mean, double inverse);

  const PpoLayout layout_;
  const PpoSettings settings_;
  ThreadPool& pool_;
  PackedNetwork actor_, critic_;
  std::vector<std::unique_ptr<Block>> blocks_;
  int64_t batch_size_ = 0;
};

}  // namespace darp
