#pragma once
// YAML text as a plain tree, for the settings reader. This is the only place that talks to
// yaml-cpp.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace darp::internal {

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };

  Kind kind = Kind::kNull;
  size_t line = 0;              ///< from 1; 0 where lines mean nothing
  std::string text;             ///< of a scalar
  bool quoted = false;          ///< a scalar that is text whatever it looks like
  std::vector<YamlNode> items;  ///< of a sequence; of a map: key, value, key, value, ...
};

/// Text and what to call it in errors.
struct YamlSource {
  std::string_view text, where;
  bool has_lines = true;

  /// "train.yaml:12", or `where` alone if the source has no lines.
  std::string place(size_t line) const;
};

constexpr size_t kYamlMaxBytes = size_t{1} << 20;
constexpr size_t kYamlMaxDepth = 64;

/// The one document in the text; an empty one is a null node. Throws Error for text that is too
/// large, too deep, not UTF-8 or not YAML, for a second document, for aliases and foreign tags.
YamlNode parse_yaml(const YamlSource& source);

}  // namespace darp::internal
