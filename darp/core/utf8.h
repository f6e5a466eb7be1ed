#pragma once
// Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace darp {

/// Length in bytes (1 to 4) of the valid UTF-8 character that `text` starts with, or 0 if it starts
/// with none.
size_t utf8_sequence_length(std::string_view text);

bool is_valid_utf8(std::string_view text);

/// How many characters valid UTF-8 has: about as many columns of a terminal.
size_t utf8_columns(std::string_view text);

/// Appends the character; false, and nothing appended, for what is none (surrogates, numbers too
/// large).
bool append_utf8(std::string& text, uint32_t code);

}  // namespace darp
