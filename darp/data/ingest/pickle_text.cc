#include "darp/data/ingest/pickle_text.h"

#include <charconv>

#include "darp/core/utf8.h"

namespace darp {
namespace {

template <class T>
std::optional<T> parse_whole(std::string_view line) {
  T value{};
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
  return value;
}

/// Takes `digits` hexadecimal digits off the front of `text`.
std::optional<uint32_t> take_hex(std::string_view& text, size_t digits) {
  if (text.size() < digits) return std::nullopt;
  uint32_t value = 0;
  const char* const end = text.data() + digits;
  const auto result = std::from_chars(text.data(), end, value, 16);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

/// The byte that an escape of repr() stands for; `rest` starts after the backslash.
std::optional<char> take_escape(std::string_view& rest) {
  if (rest.empty()) return std::nullopt;
  const char letter = rest.front();
  rest.remove_prefix(1);
  switch (letter) {
    case '\\':
    case '\'':
    case '"':
      return letter;
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'x':
      if (const auto value = take_hex(rest, 2)) return static_cast<char>(*value);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<int64_t> parse_integer_line(std::string_view line) {
  return parse_whole<int64_t>(line);
}

std::optional<double> parse_float_line(std::string_view line) {
  return parse_whole<double>(line);
}

std::optional<int64_t> decode_long(Bytes bytes) {
  const auto byte = [&](size_t i) { return std::to_integer<uint8_t>(bytes[i]); };
  const bool negative = !bytes.empty() && (byte(bytes.size() - 1) & 0x80) != 0;
  uint64_t value = negative ? ~uint64_t{0} : 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i < 8)
      value = (value & ~(uint64_t{0xFF} << 8 * i)) | uint64_t{byte(i)} << 8 * i;
    else if (byte(i) != (negative ? 0xFF : 0))
      return std::nullopt;
  }
  // The ninth byte and on only repeat the sign, so the eighth must have it as well.
  if ((static_cast<int64_t>(value) < 0) != negative) return std::nullopt;
  return static_cast<int64_t>(value);
}

std::optional<std::string> decode_unicode_line(std::string_view line) {
  std::string text;
  text.reserve(line.size());
  while (!line.empty()) {
    const bool escape = line.starts_with("\\u") || line.starts_with("\\U");
    std::optional<uint32_t> code = static_cast<unsigned char>(line[0]);
    const size_t digits = escape && line[1] == 'u' ? 4 : 8;
    line.remove_prefix(escape ? 2 : 1);
    if (escape) code = take_hex(line, digits);
    if (!code || !append_utf8(text, *code)) return std::nullopt;
  }
  return text;
}

std::optional<std::string> decode_quoted_line(std::string_view line) {
  if (line.size() < 2 || line.front() != line.back() || (line[0] != '\'' && line[0] != '"'))
    return std::nullopt;
  const char quote = line.front();
  line = line.substr(1, line.size() - 2);
  std::string text;
  text.reserve(line.size());
  while (!line.empty()) {
    std::optional<char> next = line.front();
    line.remove_prefix(1);
    if (next == quote) return std::nullopt;
    if (next == '\\') next = take_escape(line);
    if (!next) return std::nullopt;
    text.push_back(*next);
  }
  return text;
}

std::optional<std::string> encode_latin1(std::string_view text) {
  std::string latin;
  latin.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // U+0080..U+00FF start with C2 or C3 in UTF-8; a later start is a later character.
    if (byte < 0x80) {
      latin.push_back(text[i]);
    } else if ((byte == 0xC2 || byte == 0xC3) && i + 1 < text.size()) {
      latin.push_back(static_cast<char>((byte & 0x03) << 6 | (text[++i] & 0x3F)));
    } else {
      return std::nullopt;
    }
  }
  return latin;
}

}  // namespace darp
