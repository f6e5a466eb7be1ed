#pragma once
// What a network's answer means. With n numbers in an action (or a chunk of them, which a mixture
// sees as one), an answer holds
//   l2        n: the action
//   gaussian  2n: mean, raw scales
//   gmm       m (2n + 1): mean and raw scales of each of m modes, then the modes' logits
// A scale is softplus(raw) + least_scale; dimensions are independent within a mode.

#include <cstdint>
#include <span>
#include <vector>

#include "darp/core/fields.h"
#include "darp/core/matrix.h"
#include "darp/core/rng.h"

namespace darp {

struct HeadSettings {
  enum class Kind { kL2, kGaussian, kGmm };
  static constexpr int64_t kMostModes = 1024;

  Kind kind = Kind::kL2;
  int64_t modes = 8;
  double least_scale = 0.01;
  double huber = 0;

  void visit_fields(FieldVisitor& v);
  bool operator==(const HeadSettings&) const = default;
  void check() const;

  bool is_distribution() const { return kind != Kind::kL2; }
  /// 1 unless it is a mixture.
  int64_t mode_count() const { return kind == Kind::kGmm ? modes : 1; }
  /// Numbers of an answer for actions of `numbers`.
  int64_t outputs(int64_t numbers) const;
};

/// One answer's loss: the mean over the action's numbers of the squared error e^2, or minus the
/// log-likelihood. With `huber` = h above 0 an error of |e| > h costs h (2 |e| - h) instead, so
/// that its gradient grows no further (Huber, 1964). `weight` times the gradient by the answer goes
/// to `gradient` unless that is empty. No allocation.
double head_loss(const HeadSettings& head, std::span<const float> answer,
                 std::span<const float> action, double weight = 1,
                 std::span<float> gradient = {}) noexcept;

/// log p(action) of a distribution's answer, in double precision. No allocation.
double log_likelihood(const HeadSettings& head, std::span<const float> answer,
                      std::span<const float> action) noexcept;

/// One action of the mixture of all members' distributions (`answers` has a row for each), in
/// equal parts: drawn at random, or the component's mean at which the whole density is highest (the
/// first of equals). Distributions only. No allocation.
void sample_action(const HeadSettings& head, MatrixView answers, Rng& rng,
                   std::span<float> action) noexcept;
void modal_action(const HeadSettings& head, MatrixView answers, std::span<float> action) noexcept;

}  // namespace darp
