#pragma once
// How pickles spell scalars: the text lines of protocol 0, Latin-1 smuggled as text by protocols 0
// to 2, and long integers. Everything here returns nothing when the spelling is wrong; the caller
// knows the place to name in the Error.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "darp/core/bytes.h"

namespace darp {

/// A decimal number that fills the whole line and fits.
std::optional<int64_t> parse_integer_line(std::string_view line);
std::optional<double> parse_float_line(std::string_view line);
/// Two's complement, little-endian, of any length, if the number fits 64 bits.
std::optional<int64_t> decode_long(Bytes bytes);

/// Python's raw-unicode-escape (\uXXXX, \UXXXXXXXX, else Latin-1) as UTF-8. At most twice as long.
std::optional<std::string> decode_unicode_line(std::string_view line);
/// A string as Python's repr() writes it, quotes included. Never longer than the line.
std::optional<std::string> decode_quoted_line(std::string_view line);

/// Valid UTF-8 as Latin-1, one byte per character; nothing if a character is beyond U+00FF.
std::optional<std::string> encode_latin1(std::string_view text);

}  // namespace darp
