#pragma once
// CCIL (Ke et al., 2024): behaviour cloning on the demonstrations and on corrective labels, which
// are states beside the demonstrated ones together with an action that leads back. Labels come from
// a model of the dynamics s' = s + f(s, a) that is learned from the same demonstrations with its
// Lipschitz constant kept in check. The policy in use is plain behaviour cloning.

#include <cstdint>
#include <vector>

#include "darp/core/fields.h"
#include "darp/policy/policy_spec.h"

namespace darp {

/// How the model of the dynamics is learned: Adam, decay as part of the gradient.
struct DynamicsSettings {
  std::vector<int64_t> hidden = {512, 512};
  int64_t epochs = 200, batch = 512;
  double learning_rate = 1e-3, weight_decay = 1e-5;

  void visit_fields(FieldVisitor& v);
  bool operator==(const DynamicsSettings&) const = default;
};

/// What keeps the model from changing fast; dynamics_objective.h has the equations.
struct LipschitzSettings {
  enum class Kind { kNone, kSoftSampling, kSpectral, kSlack };
  /// What soft sampling compares: as the authors' code does, or as their paper says.
  enum class Mode { kFaithful, kCorrected };

  Kind kind = Kind::kNone;
  double constant = 2;
  int64_t samples = 5;
  double noise = 3e-4;
  double penalty = 5e-4;
  Mode mode = Mode::kFaithful;
  double slack_weight = 1;

  /// The kind, then what belongs to it.
  void visit_fields(FieldVisitor& v);
  bool operator==(const LipschitzSettings&) const = default;
};

/// The rest is there, in files too, only where there are labels.
struct CcilSettings {
  enum class Labels { kNone, kBackwardEuler, kForwardEuler, kNoisyAction };

  Labels labels = Labels::kNone;
  int64_t draws = 20;
  double action_noise = 1e-5;
  double max_distance = 0;
  int64_t copies = 1;
  DynamicsSettings dynamics;
  LipschitzSettings lipschitz;

  void visit_fields(FieldVisitor& v);
  bool operator==(const CcilSettings&) const = default;

  bool wanted() const { return labels != Labels::kNone; }
  /// Throws Error, saying what to change, for a policy that cannot be learned so.
  void check(const PolicySpec& spec) const;
};

}  // namespace darp
