#pragma once
// From networks' answers to actions: draws, chunks, units, limits. All executors use it, so that
// the same answers and seed give the same actions everywhere.

#include <cstdint>
#include <span>
#include <vector>

#include "darp/core/rng.h"
#include "darp/policy/policy_archive.h"

namespace darp {

/// One rollout's. Nothing allocates or throws after construction. A step is
///   if (wants_answers()) fill answers(), then choose();
///   next(action);
class ActionChooser {
 public:
  /// Keeps nothing of the archive.
  explicit ActionChooser(const PolicyArchive& archive);

  /// Starts an episode: what is drawn at random depends on the seed and the number of the step.
  void reset(uint64_t seed) noexcept;

  /// Chooses among made-up answers until even its rarer branches, and those of the mathematics that
  /// it calls, have been in memory once. Resets.
  void warm_up() noexcept;

  /// Whether the next action needs new answers: always, unless a chunk is being carried out.
  bool wants_answers() const noexcept { return done_ == execute_; }
  /// A row for each member, as its head gives it, standardised.
  MutableMatrixView answers() noexcept { return {answers_.data(), members_, outputs_, outputs_}; }
  /// For what executors draw themselves at this step, such as the noise that diffusion starts from.
  Rng draws(int64_t member) const noexcept;

  /// Takes the answers. False if there is no finite action in them; then nothing has changed.
  bool choose() noexcept;
  /// The next action in the environment's units, within limits.
  void next(std::span<float> action) noexcept;

  /// What is within the limits of `action`, which is in the environment's units.
  void limit(std::span<float> action) const noexcept;

 private:
  HeadSettings head_;
  Acting acting_;
  int64_t length_, execute_, members_, outputs_;
  Normalizer actions_;
  std::vector<float> lowest_, highest_;
  std::vector<float> answers_;
  std::vector<float> chosen_, chunk_;  // the whole chunk: standardised, in the environment's units
  uint64_t seed_ = 0;
  int64_t step_ = 0;  // answers taken so far
  int64_t done_;      // actions of the chunk that were carried out
};

}  // namespace darp
