#pragma once
// Numbers for people.

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace darp {

/// 25650 -> "25,650".
inline std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (int64_t i = static_cast<int64_t>(digits.size()) - 3; i > (number < 0 ? 1 : 0); i -= 3)
    digits.insert(static_cast<size_t>(i), ",");
  return digits;
}

/// "1 episode", "25,650 steps".
inline std::string counted(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

}  // namespace darp
