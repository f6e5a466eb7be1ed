#pragma once
// How a search goes. Plain data, read and written through visit_fields (core/fields.h).

#include <cstdint>

#include "darp/core/fields.h"

namespace darp {

struct TuneSettings {
  enum class Objective { kReturn, kValidation };
  Objective objective = Objective::kReturn;
  int64_t trials = 32;    // settings that are tried
  int64_t episodes = 10;  // search episodes at the last rung
  int64_t rungs = 3;      // 1: no halving
  int64_t reduction = 3;  // each rung has so many times the epochs (and episodes) of the one
                          // before, and takes the best 1/reduction of its trials
  int64_t startup = 8;    // random trials before TPE
  int64_t seed = 0;

  void visit_fields(FieldVisitor& v);
  /// Throws Error for what is out of bounds.
  void check() const;

  /// What is left of `full` (epochs, episodes) at a rung: at least 1, all of it at the last.
  int64_t scaled(int64_t full, int64_t rung) const;
};

}  // namespace darp
