#pragma once
// Steps of many environments side by side, as an update wants them.

#include <memory>
#include <vector>

#include "darp/core/thread_pool.h"
#include "darp/env/environment.h"
#include "darp/eval/evaluator.h"
#include "darp/expert/ppo/running_moments.h"
#include "darp/expert/ppo/tanh_network.h"

namespace darp {

/// What an environment carries from one rollout to the next.
struct ActorState {
  std::vector<double> environment;  // Environment::save()
  double discounted = 0;            // of the rewards so far, for their scale
  double episode_return = 0;
  int64_t episodes = 0;  // begun
};

/// What acts and sees: the same for a whole rollout.
struct RolloutPolicy {
  const PackedNetwork& actor;
  std::span<const float> log_std, shift, scale;
};

/// Rows are in the order of environments, then time: row e horizon + t.
class Rollout {
 public:
  Rollout(const EnvironmentFactory& make, int64_t environments, int64_t horizon, uint64_t seed);

  /// Fills the rows with `horizon` steps of every environment; the same for any number of threads.
  /// What is left to chance depends on the seed and `iteration`. `pool` may have any number of
  /// threads. A simulation that blows up ends its episode, and nothing else.
  void collect(const RolloutPolicy& policy, double discount, int64_t iteration, ThreadPool& pool);

  int64_t rows() const { return observations.rows(); }
  int64_t environments() const { return static_cast<int64_t>(actors_.size()); }
  int64_t horizon() const { return horizon_; }
  const EnvironmentInfo& info() const { return actors_.front().environment->info(); }

  std::vector<ActorState> states() const;
  /// Goes on from states() of a rollout with the same environments and seed, to the same bits.
  /// Throws Error for states that no such environment saved.
  void restore(const std::vector<ActorState>& states);

  // Of the last collect().
  Matrix observations;  // as the network sees them
  Matrix actions;       // as drawn, not yet cut to their limits
  std::vector<float> log_probabilities, rewards;
  /// The observation after a row at which an episode ended without failing, or after the last one
  /// of an environment: what might still come must be estimated there. In the order of `cut_rows`.
  Matrix cut_observations;
  std::vector<int64_t> cut_rows;
  std::vector<uint8_t> failed;                               // rows whose episode is over for good
  RunningMoments observation_moments{1}, return_moments{1};  // of these rows alone
  std::vector<double> episode_returns;                       // of episodes that ended

 private:
  struct Actor {
    std::unique_ptr<Environment> environment;
    ActorState state;
    std::vector<float> observation;
    std::vector<float> action;  // within its limits
    // Of this rollout, put together in order afterwards.
    RunningMoments observations{1}, returns{1};
    std::vector<std::pair<int64_t, std::vector<float>>> cuts;
    std::vector<double> ended;
  };

  void begin_episode(int64_t index);
  void collect_group(int64_t begin, int64_t end, const RolloutPolicy& policy, double discount,
                     int64_t iteration);
  void take_step(int64_t index, int64_t row, double discount);

  const int64_t horizon_;
  const uint64_t seed_;
  std::vector<Actor> actors_;
};

}  // namespace darp
