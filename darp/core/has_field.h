#pragma once
// Whether settings have a field: kinds of things have different ones.

#include "darp/core/fields.h"

namespace darp {

namespace internal {
bool has_field(const FieldWalk& walk, std::string_view path);
}

/// Whether there is a field with this path ("net.widths").
template <class S>
bool has_field(S settings, std::string_view path) {
  return internal::has_field(internal::walk(settings), path);
}

}  // namespace darp
