#pragma once
// One that pushes the T onto its mark: tries pushes out in its mind and does what was best.

#include <memory>

#include "darp/expert/expert.h"
#include "darp/expert/mpc/push_search.h"

namespace darp {

struct PushTMpcSettings {
  PushSearchSettings search;
  double walking = 24, pushing = 13;
  double detour = 40;

  void visit_fields(FieldVisitor& v) {
    v.group("search", search, "Which pushes are tried out before one is done.");
    v.field("walking", walking, "How fast the agent walks, in units a step.",
            {.min = 4, .max = 40});
    v.field("pushing", pushing, "How fast it pushes.", {.min = 4, .max = 40});
    v.field("detour", detour,
            "The first push is against a side drawn from those that are worse than the best by no "
            "more than this, in units of distance left; from the best two in any case.",
            {.min = 0, .max = 1000});
  }
  bool operator==(const PushTMpcSettings&) const = default;
};

/// Plans pushes (where, which way, how far) in copies of the room, walks around the block to where
/// the next begins, and plans anew after each. From the same start it takes different sides first.
/// For push_t only.
std::unique_ptr<Expert> make_push_t_mpc(const PushTMpcSettings& settings = {});

}  // namespace darp
