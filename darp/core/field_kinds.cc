#include "darp/core/field_kinds.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "darp/core/utf8.h"

namespace darp::internal {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Whether every YAML reader takes the bare text for this text, not for a number, a truth value or
/// syntax.
bool is_safe_bare(std::string_view text) {
  if (text.empty() || text.size() > 200) return false;
  if (!is_letter(text[0]) && text[0] != '_' && text[0] != '/') return false;
  for (const char c : text)
    if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '_' && c != '/' && c != '.' && c != '-')
      return false;
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  constexpr std::array<std::string_view, 9> kReserved = {"null", "true", "false", "yes", "no",
                                                         "on",   "off",  "y",     "n"};
  return std::find(kReserved.begin(), kReserved.end(), lower) == kReserved.end();
}

unsigned code_point(std::string_view character) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0);
  unsigned code = byte(0) & (0xFFu >> (character.size() + 1));
  for (size_t i = 1; i < character.size(); ++i) code = code << 6 | (byte(i) & 0x3Fu);
  return code;
}

/// One character inside double quotes. What is invisible or breaks lines is escaped, so that a
/// written file shows what it holds.
std::string quoted_character(std::string_view character) {
  const unsigned code = code_point(character);
  if (code == '"') return "\\\"";
  if (code == '\\') return "\\\\";
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  if (code < 0x20 || (code >= 0x7F && code < 0xA1)) return fmt::format("\\x{:02x}", code);
  const bool invisible = (code >= 0x2000 && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
                         (code >= 0x2060 && code <= 0x206F) || (code & 0xFFFE) == 0xFFFE ||
                         code == 0xFEFF;
  if (invisible) return fmt::format("\\U{:08x}", code);
  return std::string(character);
}

}  // namespace

std::string bounds_text(Bounds bounds) {
  const bool below = std::isfinite(bounds.min), above = std::isfinite(bounds.max);
  if (below && above) return fmt::format("from {} to {}", bounds.min, bounds.max);
  if (below) return fmt::format("at least {}", bounds.min);
  if (above) return fmt::format("at most {}", bounds.max);
  return "";
}

std::string yaml_text(int64_t value) {
  return fmt::format("{}", value);
}

std::string yaml_text(double value) {
  if (!std::isfinite(value))
    throw Error("", fmt::format("the number {} cannot be a setting", value),
                "settings hold finite numbers");
  return fmt::format("{}", value);
}

std::string yaml_text(std::string_view value) {
  if (is_safe_bare(value)) return std::string(value);
  std::string quoted = "\"";
  while (!value.empty()) {
    const size_t length = utf8_sequence_length(value);
    if (length == 0)
      throw Error(
          "",
          fmt::format("the text '{}' cannot be a setting: it is not UTF-8", printable(value, 100)),
          "use names in UTF-8");
    quoted += quoted_character(value.substr(0, length));
    value.remove_prefix(length);
  }
  return quoted + "\"";
}

}  // namespace darp::internal
