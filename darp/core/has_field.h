#pragma once
// What a field of settings is, by its path: kinds of things have different ones.

#include <optional>

#include "darp/core/fields.h"

namespace darp {

namespace internal {
std::optional<std::string> field_text(const FieldWalk& walk, std::string_view path);
}

/// The value of the field with this path ("net.widths") as apply_override() takes it; nothing where
/// there is no such field.
template <class S>
std::optional<std::string> field_text(S settings, std::string_view path) {
  return internal::field_text(internal::walk(settings), path);
}

template <class S>
bool has_field(S settings, std::string_view path) {
  return internal::field_text(internal::walk(settings), path).has_value();
}

}  // namespace darp
