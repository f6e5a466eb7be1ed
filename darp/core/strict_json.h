#pragma once
// JSON from files that nobody vouches for: what is wrong becomes an Error that says where; and JSON
// for files that people read too. For sources, not headers: it brings nlohmann's header along.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace darp {

/// The one value in `text`. Throws Error, with `where`, for what is no JSON or not UTF-8, for
/// numbers that no double holds, keys that an object has twice, objects and lists more than `depth`
/// deep or more than 100,000 of them. Takes at most some 25 times the memory of the text.
nlohmann::json parse_strict_json(std::string_view text, std::string_view where, size_t depth);

/// A value and where it stands ("a.json: returns[5]"). What it is not is an Error that says so.
/// Valid as long as the value.
class JsonPlace {
 public:
  JsonPlace(const nlohmann::json& value, std::string_view file) : value_(&value), file_(file) {}

  /// What an object has under a key.
  JsonPlace member(std::string_view key) const;
  /// Whether an object has it.
  bool has(std::string_view key) const;
  /// Throws Error if an object has another key than these.
  void check_keys(std::span<const std::string_view> known) const;
  /// Of a list.
  size_t size() const;
  JsonPlace item(size_t index) const;

  bool is_null() const { return value_->is_null(); }
  bool boolean() const;
  std::string text() const;
  double number() const;
  uint64_t unsigned_integer(uint64_t largest = UINT64_MAX) const;

  std::string where() const;
  [[noreturn]] void fail(std::string_view what, std::string_view remedy) const;

 private:
  JsonPlace(const nlohmann::json& value, std::string_view file, std::string path)
      : value_(&value), file_(file), path_(std::move(path)) {}
  [[noreturn]] void expected(std::string_view kind) const;

  const nlohmann::json* value_;
  std::string_view file_;
  std::string path_;
};

/// A line for each key of an object and for each object of a list; other lists on one line. The
/// last line is ended.
std::string json_lines(const nlohmann::ordered_json& value);

}  // namespace darp
