#include "darp/core/strict_json.h"

#include <algorithm>
#include <set>
#include <vector>

#include "darp/core/error.h"
#include "darp/core/suggest.h"

namespace darp {
namespace {

using nlohmann::json;

constexpr std::string_view kDamaged = "the file is damaged: copy or create it again";
constexpr int64_t kMostContainers = 100'000;

/// Looks at the text before anything is built of it: the builder itself takes any depth, and the
/// last of several equal keys. (Its callbacks could do the same, but take quadratic time.)
class JsonWatch final : public nlohmann::json_sax<json> {
 public:
  JsonWatch(std::string_view where, size_t depth) : where_(where), most_open_(depth) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return open(); }
  bool start_array(size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second)
      throw Error(where_, fmt::format("has the key '{}' twice", name), kDamaged);
    return true;
  }

  bool parse_error(size_t byte, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // Syntax errors name their byte; the only others are numbers beyond a double.
    if (dynamic_cast<const json::parse_error*>(&error) == nullptr)
      throw Error(where_, fmt::format("has a number that is too large at byte {}", byte), kDamaged);
    throw Error(where_, fmt::format("is not JSON at byte {}", byte), kDamaged);
  }

 private:
  bool open() {
    keys_.emplace_back();
    if (keys_.size() > most_open_) throw Error(where_, "is nested too deeply", kDamaged);
    if (++containers_ > kMostContainers)
      throw Error(where_, "has too many objects and lists", kDamaged);
    return true;
  }
  bool close() {
    keys_.pop_back();
    return true;
  }

  std::string_view where_;
  size_t most_open_;
  int64_t containers_ = 0;
  std::vector<std::set<std::string>> keys_;  // of what is open; of lists none
};

std::string_view kind_of(const json& value) {
  if (value.is_null()) return "null";
  if (value.is_boolean()) return "true or false";
  if (value.is_string()) return "text";
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  return "another number";
}

void append_json_lines(const nlohmann::ordered_json& value, const std::string& indent,
                       std::string& text) {
  const bool objects = value.is_array() && !value.empty() && value[0].is_object();
  if (!value.is_object() && !objects) {
    text += value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    return;
  }
  std::string_view separator;
  text += objects ? "[" : "{";
  for (const auto& [key, item] : value.items()) {
    text += fmt::format("{}\n{}  ", separator, indent);
    if (!objects) text += nlohmann::ordered_json(key).dump() + ": ";
    append_json_lines(item, indent + "  ", text);
    separator = ",";
  }
  text += fmt::format("\n{}{}", indent, objects ? "]" : "}");
}

}  // namespace

json parse_strict_json(std::string_view text, std::string_view where, size_t depth) {
  // To the parser a null byte is the end, whatever follows.
  if (text.find('\0') != std::string_view::npos)
    throw Error(where, "has a null byte, which JSON has not", kDamaged);
  JsonWatch watch(where, depth);
  json::sax_parse(text, &watch);
  return json::parse(text);
}

JsonPlace JsonPlace::member(std::string_view key) const {
  if (!value_->is_object()) expected("an object");
  const auto found = value_->find(key);
  if (found == value_->end())
    fail(fmt::format("has no '{}'", key), "write it with this version of darp");
  return {*found, file_, path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key)};
}

bool JsonPlace::has(std::string_view key) const {
  if (!value_->is_object()) expected("an object");
  return value_->contains(key);
}

void JsonPlace::check_keys(std::span<const std::string_view> known) const {
  if (!value_->is_object()) expected("an object");
  for (const auto& [key, unused] : value_->items())
    if (std::ranges::find(known, key) == known.end())
      fail(fmt::format("has the unknown key '{}'", printable(key, 100)),
           suggestion(key, std::vector<std::string>(known.begin(), known.end())));
}

size_t JsonPlace::size() const {
  if (!value_->is_array()) expected("a list");
  return value_->size();
}

JsonPlace JsonPlace::item(size_t index) const {
  DARP_CHECK(index < size(), "item {} of {}", index, size());
  return {(*value_)[index], file_, fmt::format("{}[{}]", path_, index)};
}

bool JsonPlace::boolean() const {
  if (!value_->is_boolean()) expected("true or false");
  return value_->get<bool>();
}

std::string JsonPlace::text() const {
  if (!value_->is_string()) expected("text");
  return value_->get<std::string>();
}

double JsonPlace::number() const {
  if (!value_->is_number()) expected("a number");
  return value_->get<double>();
}

uint64_t JsonPlace::unsigned_integer(uint64_t largest) const {
  if (!value_->is_number_unsigned() || value_->get<uint64_t>() > largest)
    expected(fmt::format("a whole number from 0 to {}", largest));
  return value_->get<uint64_t>();
}

std::string JsonPlace::where() const {
  return path_.empty() ? std::string(file_) : fmt::format("{}: {}", file_, path_);
}

void JsonPlace::fail(std::string_view what, std::string_view remedy) const {
  throw Error(where(), what, remedy);
}

void JsonPlace::expected(std::string_view kind) const {
  fail(fmt::format("is {} where {} belongs", kind_of(*value_), kind), kDamaged);
}

std::string json_lines(const nlohmann::ordered_json& value) {
  std::string text;
  append_json_lines(value, "", text);
  return text + "\n";
}

}  // namespace darp
