#pragma once
#include "darp/core/fields.h"

namespace darp {

struct AntSettings {
  bool contact_forces = false;

  void visit_fields(FieldVisitor& v) {
    v.field("contact_forces", contact_forces,
            "Observations of 111 numbers as gym has them; the last 84 are always zero.");
  }
  bool operator==(const AntSettings&) const = default;
};

}  // namespace darp
