#include "darp/report/markup.h"

#include <algorithm>
#include <array>

#include "darp/core/utf8.h"

namespace darp {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

uint32_t code_of(std::string_view sequence) {
  constexpr std::array<uint32_t, 5> kFirstBits = {0, 0x7F, 0x1F, 0x0F, 0x07};
  uint32_t code = static_cast<unsigned char>(sequence[0]) & kFirstBits[sequence.size()];
  for (const char c : sequence.substr(1))
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return code;
}

/// Whether a character may stand in a page: XML forbids some, and some make text read as another.
bool is_shown(uint32_t code) {
  if (code < 0x20) return code == '\n' || code == '\t';
  const bool control = code >= 0x7F && code < 0xA0;
  const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
                     code == 0x200E || code == 0x200F;
  return !control && !turns && (code & 0xFFFE) != 0xFFFE;
}

std::string_view entity_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return "";
  }
}

}  // namespace

Markup escaped(std::string_view text) {
  Markup markup;
  while (!text.empty()) {
    const size_t length = utf8_sequence_length(text);
    const std::string_view sequence = text.substr(0, std::max<size_t>(length, 1));
    if (length == 0 || !is_shown(code_of(sequence)))
      markup.text += kReplacement;
    else if (const std::string_view entity = entity_of(text[0]); !entity.empty())
      markup.text += entity;
    else
      markup.text += sequence;
    text.remove_prefix(sequence.size());
  }
  return markup;
}

std::string shortened(std::string_view text, size_t columns) {
  size_t end = 0, before_last = 0;
  for (size_t count = 0; end < text.size(); ++count) {
    if (count == columns) return std::string(text.substr(0, before_last)) + "\xE2\x80\xA6";
    before_last = end;
    end += std::max<size_t>(utf8_sequence_length(text.substr(end)), 1);
  }
  return std::string(text);
}

std::string data_uri(std::string_view type, Bytes bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string uri = "data:" + std::string(type) + ";base64,";
  uri.reserve(uri.size() + (bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? std::to_integer<uint32_t>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k) uri += k <= count ? kDigits[group >> (18 - 6 * k) & 63u] : '=';
  }
  return uri;
}

}  // namespace darp
