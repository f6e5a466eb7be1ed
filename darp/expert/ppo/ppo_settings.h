#pragma once
// How an expert learns by trial and error. Plain data, read and written through visit_fields
// (core/fields.h); the sentences there say what each field means.

#include <cstdint>
#include <string_view>
#include <vector>

#include "darp/core/fields.h"

namespace darp {

/// How good the expert is, measured now and then without the noise it explores with, on search
/// seeds. The best network is what training gives.
struct ExpertEvaluationSettings {
  int64_t every = 250'000;
  int64_t episodes = 10;

  void visit_fields(FieldVisitor& v);
};

/// Proximal policy optimisation (Schulman et al., 2017).
struct PpoSettings {
  int64_t steps = 10'000'000;
  int64_t environments = 32;
  int64_t horizon = 256;
  int64_t epochs = 10;
  int64_t batch = 512;
  double learning_rate = 3e-4;
  double final_rate = 0;
  double discount = 0.99;
  double gae = 0.95;
  double clip = 0.2;
  double entropy = 0;
  double value_weight = 0.5;
  double gradient_clip = 0.5;
  double log_std = -0.5;
  std::vector<int64_t> actor = {64, 64}, critic = {64, 64};
  int64_t seed = 0;
  ExpertEvaluationSettings evaluation;

  void visit_fields(FieldVisitor& v);
  /// Throws Error for settings that contradict each other and says which to change.
  void check() const;

  /// Steps of all environments between two updates, and how many updates there are.
  int64_t rows() const { return environments * horizon; }
  int64_t iterations() const { return (steps + rows() - 1) / rows(); }
};

/// Those that made the bundled expert of the environment; the defaults for others.
PpoSettings ppo_recipe(std::string_view environment);

}  // namespace darp
