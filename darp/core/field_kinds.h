#pragma once
// What the visitors of settings share: one function for all kinds of field, and how a field's type,
// bounds and value look as text.

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "darp/core/fields.h"

namespace darp::internal {

/// Sends every kind of plain field to Derived::each(info, value).
template <class Derived>
class EachField : public FieldVisitor {
 protected:
  void visit(const FieldInfo& info, bool& v) override { self().each(info, v); }
  void visit(const FieldInfo& info, int64_t& v) override { self().each(info, v); }
  void visit(const FieldInfo& info, double& v) override { self().each(info, v); }
  void visit(const FieldInfo& info, std::string& v) override { self().each(info, v); }
  void visit(const FieldInfo& info, std::vector<int64_t>& v) override { self().each(info, v); }
  void visit(const FieldInfo& info, std::vector<double>& v) override { self().each(info, v); }
  void visit(const FieldInfo& info, std::vector<std::string>& v) override { self().each(info, v); }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
};

/// "true or false", "integer", "number" or "text".
template <class T>
constexpr std::string_view type_name() {
  if constexpr (std::is_same_v<T, bool>) return "true or false";
  if constexpr (std::is_same_v<T, int64_t>) return "integer";
  if constexpr (std::is_same_v<T, double>) return "number";
  if constexpr (std::is_same_v<T, std::string>) return "text";
  return "";
}

/// "list of integers", "list of numbers" or "list of text".
template <class T>
std::string list_name() {
  return fmt::format("list of {}{}", type_name<T>(), std::is_same_v<T, std::string> ? "" : "s");
}

/// "", "at least 1", "at most 1" or "from 0 to 1".
std::string bounds_text(Bounds bounds);

/// The value as YAML that reads back to the same bits. Throws Error for numbers that are not finite
/// and text that is not UTF-8.
template <std::same_as<bool> T>  // no pointer may pass for a bool
std::string yaml_text(T value) {
  return value ? "true" : "false";
}
std::string yaml_text(int64_t value);
std::string yaml_text(double value);
std::string yaml_text(std::string_view value);
template <class T>
std::string yaml_text(const std::vector<T>& values) {
  std::string list = "[";
  for (const T& value : values) list += (list.size() > 1 ? ", " : "") + yaml_text(value);
  return list + "]";
}

/// `inner` below `path`, with a dot between them where there is a path.
inline std::string join_path(std::string_view path, std::string_view inner) {
  return path.empty() ? std::string(inner) : fmt::format("{}.{}", path, inner);
}

}  // namespace darp::internal
