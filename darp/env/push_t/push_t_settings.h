#pragma once
#include "darp/core/fields.h"

namespace darp {

struct PushTSettings {
  enum class Start { kPosition, kLegacy } start = Start::kPosition;

  void visit_fields(FieldVisitor& v) {
    v.choice("start", start, {{"position", Start::kPosition}, {"legacy", Start::kLegacy}},
             "What a seed's numbers mean: where the block's origin is, or, as when people recorded "
             "the demonstrations, where it was before the block was turned.");
  }
  bool operator==(const PushTSettings&) const = default;
};

}  // namespace darp
