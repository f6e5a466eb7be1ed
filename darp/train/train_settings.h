#pragma once
// How a policy is trained. Plain data, read and written through visit_fields (core/fields.h); the
// sentences there say what each field means.

#include <cstdint>
#include <string>

#include "darp/core/fields.h"
#include "darp/train/backstep.h"
#include "darp/train/ccil/ccil_settings.h"
#include "darp/train/smoothness_settings.h"

namespace darp {

/// AdamW: decay decoupled from the gradient.
struct OptimizerSettings {
  double learning_rate = 1e-3;
  double weight_decay = 1e-5;
  double beta1 = 0.9, beta2 = 0.999;
  double epsilon = 1e-8;
  double clip = 1;

  void visit_fields(FieldVisitor& v);
  bool operator==(const OptimizerSettings&) const = default;
};

/// How the learning rate changes; learning_rate.h has the equations.
struct ScheduleSettings {
  enum class Kind { kConstant, kCosine, kPlateau };
  Kind kind = Kind::kConstant;
  int64_t warmup = 0;
  double final_rate = 0;
  double factor = 0.5;
  int64_t patience = 5;

  void visit_fields(FieldVisitor& v);
  bool operator==(const ScheduleSettings&) const = default;
};

/// Episodes that are kept from learning, to measure on.
struct ValidationSettings {
  double fraction = 0;
  std::string filter;
  int64_t patience = 0;

  void visit_fields(FieldVisitor& v);
  bool operator==(const ValidationSettings&) const = default;

  /// Whether any episodes are kept.
  bool wanted() const { return fraction > 0 || !filter.empty(); }
};

struct TrainSettings {
  enum class Engine { kAuto, kFused, kGraph };
  enum class Precision { kFloat, kBfloat16, kAuto };

  int64_t epochs = 200;
  int64_t batch = 32;
  int64_t seed = 0;
  OptimizerSettings optimizer;
  ScheduleSettings schedule;
  double ema = 0, ema_power = 0;
  double query_noise = 0;
  BackstepSettings backstep;
  int64_t neighbor_sample = 0;
  SmoothnessSettings smoothness;
  CcilSettings ccil;
  ValidationSettings validation;
  double stop_above = 1000;
  Engine engine = Engine::kAuto;
  Precision precision = Precision::kFloat;

  void visit_fields(FieldVisitor& v);
  bool operator==(const TrainSettings&) const = default;

  /// Passes over demonstrations of this many steps.
  int64_t epochs_for(int64_t steps) const;

  /// What no single field can see: throws Error for settings that contradict each other and says
  /// which to change.
  void check() const;
  /// The same, and what this policy cannot be trained with.
  void check(const PolicySpec& spec) const;
};

}  // namespace darp
