#pragma once
// One step, one epoch, one network at a time: how a TrainState moves on. Knows nothing of files.

#include "darp/core/thread_pool.h"
#include "darp/policy/network_parameters.h"
#include "darp/train/checkpoint.h"
#include "darp/train/objective.h"
#include "darp/train/train_settings.h"

namespace darp {

/// What a finished epoch was like.
struct EpochReport {
  int64_t member = 0, epoch = 0, step = 0;  // steps so far
  double training_loss = 0;
  double validation_loss = 0;  // only with validation
  double learning_rate = 0;    // of the last step
  double gradient_norm = 0;    // of the last step, before clipping
  bool best = false;           // by validation loss so far
};

/// Moves a TrainState. The same state and data give the same next state to the bit.
class MemberTraining {
 public:
  /// All must outlive this. `validation` may be null; its examples are 0 to validation_rows - 1.
  struct Parts {
    const TrainSettings& settings;
    const std::vector<Parameter>& parameters;
    int64_t members = 1;
    Objective& training;
    int64_t training_rows = 0, observation_dim = 0;
    MatrixView backsteps = {};  // of every training row, or none: backstep.h
    Objective* validation = nullptr;
    int64_t validation_rows = 0;
    ThreadPool& pool;
  };
  explicit MemberTraining(const Parts& parts) : parts_(parts) {}

  int64_t batches() const;
  TrainLimits limits() const;

  /// The state before the first step of all.
  TrainState start() const;
  bool finished(const TrainState& state) const { return state.member == parts_.members; }

  /// Takes one step. Returns its loss. Throws Error for a loss or gradient that is not finite or a
  /// loss above `stop_above`: the state is then as it was.
  double step(TrainState& state);
  /// Whether the epoch's steps are done and end_epoch is due.
  bool epoch_is_over(const TrainState& state) const { return state.batch == batches(); }
  /// Validates, remembers the best weights, and goes on to the next epoch or, after the last one or
  /// an early stop, to the next member.
  EpochReport end_epoch(TrainState& state);

  /// The weights that answer now: averaged if there is averaging.
  static const std::vector<float>& answering(const TrainState& state) {
    return state.averaged.empty() ? state.parameters : state.averaged;
  }

 private:
  void start_member(TrainState& state) const;
  double validation_loss(const TrainState& state);

  const Parts parts_;
  std::vector<int64_t> order_;  // of the epoch that order_member_, order_epoch_ name
  int64_t order_member_ = -1, order_epoch_ = -1;
  double last_rate_ = 0, last_norm_ = 0;
};

}  // namespace darp
