#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "darp/core/field_kinds.h"
#include "darp/core/suggest.h"
#include "darp/core/yaml_tree.h"

namespace darp::internal {
namespace {

using Kind = YamlNode::Kind;

std::string_view unsigned_part(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text;
}

template <class T>
std::optional<T> from_whole(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<bool> parse(std::string_view text, const bool&) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<int64_t> parse(std::string_view text, const int64_t&) {
  const std::string_view digits = unsigned_part(text);
  if (digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  if (digits.size() > 1 && digits[0] == '0')
    return std::nullopt;  // octal to some, decimal to others
  return from_whole<int64_t>(text);
}

std::optional<double> parse(std::string_view text, const double&) {
  // from_chars also knows "inf", "nan" and a '-' behind our '+'.
  const std::string_view number = unsigned_part(text);
  if (number.find_first_of("0123456789.") != 0) return std::nullopt;
  return from_whole<double>(text);
}

template <class T>
constexpr std::string_view remedy() {
  if constexpr (std::is_same_v<T, bool>) return "write true or false (not yes, no, on, off)";
  if constexpr (std::is_same_v<T, int64_t>)
    return "write decimal digits such as 100, without quotes, fraction, exponent or leading zeros";
  if constexpr (std::is_same_v<T, double>)
    return "write a finite number such as 0.5 or 1e-3, without quotes";
  return "put quotes around it: text that holds ': ' or starts with a sign of YAML needs them";
}

/// What a node is, in words.
std::string found(const YamlNode& node) {
  if (node.kind == Kind::kNull) return "empty";
  if (node.kind == Kind::kSequence) return "a list";
  if (node.kind == Kind::kMap) return "a group of settings";
  const std::string text = printable(node.text, 80);
  return node.quoted ? fmt::format("the text \"{}\"", text) : fmt::format("'{}'", text);
}

std::string with_article(std::string_view noun) {
  if (noun == "integer") return "an integer";
  return noun == "number" ? "a number" : std::string(noun);
}

/// Reads one map: the visited fields take their values, finish() refuses what nobody took.
class Reader : public EachField<Reader> {
 public:
  Reader(const YamlSource& source, const YamlNode& map, std::string path)
      : source_(source), path_(std::move(path)) {
    for (size_t i = 0; i + 1 < map.items.size(); i += 2) {
      const YamlNode& key = map.items[i];
      if (key.kind != Kind::kScalar)
        throw Error(source_.place(key.line),
                    fmt::format("a key is {}, expected a name", found(key)), "write name: value");
      if (!entries_.try_emplace(key.text, &key).second)
        throw Error(source_.place(key.line),
                    fmt::format("'{}' is set twice", printable(full(key.text), 200)),
                    "remove one of the two");
    }
  }

  void finish() const {
    const YamlNode* first = nullptr;
    for (const auto& [name, key] : entries_)
      if (std::find(names_.begin(), names_.end(), name) == names_.end() &&
          (first == nullptr || key < first))
        first = key;
    if (first == nullptr) return;
    throw Error(source_.place(first->line),
                fmt::format("unknown setting '{}'", printable(full(first->text), 200)),
                names_.empty() ? "this group has no settings" : suggestion(first->text, names_));
  }

  template <class T>
  void each(const FieldInfo& info, T& value) {
    if (const YamlNode* node = take(info.name))
      value = scalar<T>(*node, full(info.name), info.bounds);
  }
  template <class T>
  void each(const FieldInfo& info, std::vector<T>& values) {
    const YamlNode* node = take(info.name);
    if (node == nullptr) return;
    if (node->kind != Kind::kSequence)
      throw wrong(*node, full(info.name), "a " + list_name<T>(),
                  "write it in brackets: [a, b], or [] for none");
    values.clear();
    for (const YamlNode& item : node->items)
      values.push_back(
          scalar<T>(item, fmt::format("{}[{}]", full(info.name), values.size()), info.bounds));
  }

 protected:
  void visit_choice(const FieldInfo& info, const std::vector<std::string>& names,
                    size_t& index) override {
    const YamlNode* node = take(info.name);
    if (node == nullptr) return;
    const auto match = node->kind == Kind::kScalar
                           ? std::find(names.begin(), names.end(), node->text)
                           : names.end();
    if (match == names.end())
      throw wrong(*node, full(info.name), "one of its names", suggestion(node->text, names));
    index = static_cast<size_t>(match - names.begin());
  }

  void visit_group(const FieldInfo& info, const Walk& walk) override {
    const YamlNode* node = take(info.name);
    if (node == nullptr || node->kind == Kind::kNull) return;
    if (node->kind != Kind::kMap)
      throw wrong(*node, full(info.name), "a group of settings",
                  "write its settings below it, indented, or one as " + full(info.name) + ".name");
    Reader inner(source_, *node, full(info.name));
    walk(inner);
    inner.finish();
  }

 private:
  std::string full(std::string_view name) const { return join_path(path_, name); }

  /// The value under a declared name, or null.
  const YamlNode* take(std::string_view name) {
    DARP_CHECK(std::find(names_.begin(), names_.end(), name) == names_.end(),
               "setting '{}' is declared twice", full(name));
    names_.emplace_back(name);
    const auto entry = entries_.find(name);
    return entry == entries_.end() ? nullptr : entry->second + 1;  // the value stands after its key
  }

  Error wrong(const YamlNode& node, const std::string& path, const std::string& expected,
              std::string_view what_to_do) const {
    return Error(source_.place(node.line),
                 fmt::format("'{}' is {}, expected {}", path, found(node), expected), what_to_do);
  }

  template <class T>
  T scalar(const YamlNode& node, const std::string& path, Bounds bounds) const {
    const std::string expected = with_article(type_name<T>());
    if (node.kind != Kind::kScalar) {
      const bool empty_text = std::is_same_v<T, std::string> && node.kind == Kind::kNull;
      throw wrong(node, path, expected, empty_text ? "write \"\" for the empty text" : remedy<T>());
    }
    if constexpr (std::is_same_v<T, std::string>) {
      return node.text;
    } else {
      const std::optional<T> value = node.quoted ? std::nullopt : parse(node.text, T{});
      if (!value) throw wrong(node, path, expected, remedy<T>());
      // long double holds every int64_t and every double exactly.
      const auto exact = static_cast<long double>(*value);
      if (exact < bounds.min || exact > bounds.max)
        throw wrong(node, path, expected + " " + bounds_text(bounds), "");
      return *value;
    }
  }

  const YamlSource& source_;
  std::string path_;
  std::map<std::string_view, const YamlNode*> entries_;  // keys
  std::vector<std::string> names_;                       // declared so far
};

void read_tree(const YamlSource& source, const YamlNode& root, const FieldWalk& walk) {
  if (root.kind == Kind::kNull) return;
  if (root.kind != Kind::kMap)
    throw Error(source.place(root.line), fmt::format("is {}, expected settings", found(root)),
                "write lines of the form name: value");
  Reader reader(source, root, "");
  walk(reader);
  reader.finish();
}

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

YamlNode map_of(std::string_view key, YamlNode value) {
  YamlNode name, map;
  name.kind = Kind::kScalar;
  name.text = key;
  map.kind = Kind::kMap;
  map.items.push_back(std::move(name));
  map.items.push_back(std::move(value));
  return map;
}

/// The value of an override. Nothing at all is the empty text, which a shell gives for name="".
YamlNode override_value(const YamlSource& source) {
  if (!trim(source.text).empty()) return parse_yaml(source);
  YamlNode empty;
  empty.kind = Kind::kScalar;
  empty.quoted = true;
  return empty;
}

}  // namespace

void read_yaml(std::string_view text, std::string_view where, const FieldWalk& walk) {
  const YamlSource source{text, where};
  read_tree(source, parse_yaml(source), walk);
}

std::string text_in_yaml(std::string_view text, std::string_view where, std::string_view name) {
  const YamlSource source{text, where};
  const YamlNode top = parse_yaml(source);
  if (top.kind != Kind::kMap) return "";
  for (size_t i = 0; i + 1 < top.items.size(); i += 2) {
    if (top.items[i].text != name) continue;
    if (top.items[i + 1].kind == Kind::kScalar) return top.items[i + 1].text;
    throw Error(source.place(top.items[i].line), fmt::format("'{}' is no text", name),
                "write one name");
  }
  return "";
}

void apply_override(std::string_view assignment, const FieldWalk& walk, std::string_view option) {
  const std::string where = fmt::format("{} {}", option, printable(assignment, 200));
  constexpr std::string_view kExample = "write path=value, such as --set optimizer.rate=1e-3";
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) throw Error(where, "has no '='", kExample);
  std::string_view path = trim(assignment.substr(0, equals));
  if (path.empty()) throw Error(where, "has no path before the '='", kExample);

  // The same as a file that holds this one field, built from the inside.
  const YamlSource source{assignment.substr(equals + 1), where, false};
  YamlNode node = override_value(source);
  for (size_t depth = 0; !path.empty(); ++depth) {
    const size_t dot = path.rfind('.');
    const std::string_view name = dot == std::string_view::npos ? path : path.substr(dot + 1);
    if (name.empty() || dot == 0) throw Error(where, "has an empty name in its path", kExample);
    if (depth >= kYamlMaxDepth) throw Error(where, "has too many names in its path", kExample);
    node = map_of(name, std::move(node));
    path = dot == std::string_view::npos ? "" : path.substr(0, dot);
  }
  read_tree(source, node, walk);
}

}  // namespace darp::internal
