#pragma once
// Which pushes bring the block to its goal.

#include <optional>
#include <vector>

#include "darp/core/fields.h"
#include "darp/expert/mpc/push.h"

namespace darp {

struct PushSearchSettings {
  int64_t pushes = 3, candidates = 400, kept = 16, polish = 80;

  void visit_fields(FieldVisitor& v) {
    v.field("pushes", pushes, "How many pushes are planned ahead.", {.min = 1, .max = 10});
    v.field("candidates", candidates,
            "First pushes that are tried out, and a quarter of those tried out for each next one.",
            {.min = 8, .max = 1e6});
    v.field("kept", kept, "States after a push from which the next one is tried.",
            {.min = 1, .max = 1000});
    v.field("polish", polish, "Small changes to the best pushes that are tried out.",
            {.min = 0, .max = 1e6});
  }
  bool operator==(const PushSearchSettings&) const = default;
};

/// Pushes one after the other.
struct PushPlan {
  std::vector<Push> pushes;
  double cost = 0;  // units of distance that are left, and time
};

/// The best that it found; a plan without pushes where nothing can be done. `earlier` is what is
/// left of the last plan. With `face` the first push is against that one.
PushPlan best_plan(const PushTState& from, const PushSearchSettings& settings,
                   const std::vector<Push>& earlier, std::optional<int> face, Rng& rng);

/// The cost of the best single push against each face; infinite where none is possible.
std::vector<double> face_costs(const PushTState& from, const PushSearchSettings& settings,
                               Rng& rng);

}  // namespace darp
