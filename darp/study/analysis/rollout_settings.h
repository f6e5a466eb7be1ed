#pragma once
// What the divergence and forking studies look at; the group `rollouts` of a study's declaration.

#include "darp/core/fields.h"

namespace darp {

struct RolloutSettings {
  int64_t count = 6;
  double fails_below = 0.5, succeeds_from = 0.8;
  int64_t fork_every = 10;
  double recovers_from = 0.8;
  std::vector<int64_t> components = {1, 2, 4, 8, 16};
  int64_t differences = 20'000;

  void visit_fields(FieldVisitor& v) {
    v.field("count", count, "Rollouts of each task that are looked at.", {.min = 1, .max = 1000});
    v.field("fails_below", fails_below,
            "An episode fails below this share of the expert's return (D4RL's scale), or without "
            "success where the task has it.",
            {.min = 0, .max = 1});
    v.field("succeeds_from", succeeds_from, "And succeeds from this share on.",
            {.min = 0, .max = 1});
    v.field("fork_every", fork_every, "Forking: steps from one fork to the next.",
            {.min = 1, .max = 100'000});
    v.field("recovers_from", recovers_from,
            "Forking: recovered means this share of what the second method has from the start.",
            {.min = 0, .max = 1});
    v.field("components", components,
            "Divergence: sizes of Gaussian mixtures, of which the one with the least BIC counts.",
            {.min = 1, .max = 1000});
    v.field("differences", differences, "Divergence: differences that a mixture is fitted to.",
            {.min = 100, .max = 1'000'000});
  }
};

}  // namespace darp
