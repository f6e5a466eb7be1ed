#pragma once
#include "darp/core/fields.h"

namespace darp {

struct MazeSettings {
  enum class Reward { kSparse, kDense } reward = Reward::kSparse;
  bool random_target = true, ends_at_target = true, target_in_observation = true;

  void visit_fields(FieldVisitor& v) {
    v.choice("reward", reward, {{"sparse", Reward::kSparse}, {"dense", Reward::kDense}},
             "1 within 0.5 of the target, or exp(-distance).");
    v.field("random_target", random_target,
            "Each seed has a target of its own; else the maze's goal.");
    v.field("ends_at_target", ends_at_target, "Episodes end as soon as the target is reached.");
    v.field("target_in_observation", target_in_observation,
            "Observations begin with the target; without it they have 4 numbers.");
  }
  bool operator==(const MazeSettings&) const = default;
};

}  // namespace darp
