#pragma once
// Everything that training is between two steps, and its file. A run that reads this back goes on
// to the same bits: what it draws at random depends on seed, member, epoch and batch alone
// (batch_order.h).
//
// The file is safetensors (data/safetensors.h) with a checksum: one tensor per field, counts as
// I64, doubles as the U64 of their bits (infinity is a value here), vectors as F32.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "darp/train/learning_rate.h"

namespace darp {

struct TrainState {
  // The next thing to do: this batch of this epoch of this member. `step` counts the member's
  // steps.
  int64_t member = 0, epoch = 0, batch = 0, step = 0;
  // The member's numbers. `averaged` is empty without averaging.
  std::vector<float> parameters, first_moments, second_moments, averaged;
  // The epoch's losses so far.
  double loss_sum = 0;
  int64_t loss_count = 0;
  PlateauState plateau;
  // The member's best epoch by validation loss; -1 and empty before there is one.
  double best_loss = std::numeric_limits<double>::infinity();
  int64_t best_epoch = -1;
  std::vector<float> best;
  // The weights of the members before this one.
  std::vector<std::vector<float>> finished;
  // How much of the logs belongs to this state: they are cut there on resuming.
  int64_t metrics_bytes = 0, tensorboard_bytes = 0;
  // Settings and data (fingerprint.h).
  std::string fingerprint;

  bool operator==(const TrainState&) const = default;
};

/// What a state must fit into before anybody counts on its numbers.
struct TrainLimits {
  int64_t parameters = 0, members = 1, epochs = 1, batches = 1;  // of a network, run, member, epoch
  bool averages = false;
};

/// Replaces the file, atomically: whatever fails, the old one stays. Throws Error when it cannot be
/// written and when weights are not finite.
void write_checkpoint(const std::filesystem::path& path, const TrainState& state);

/// Throws Error for a file that is missing, damaged or no checkpoint, whose numbers do not fit the
/// limits, and when the fingerprint is another: the message says what changed.
TrainState read_checkpoint(const std::filesystem::path& path, const TrainLimits& limits,
                           std::string_view fingerprint);

}  // namespace darp
