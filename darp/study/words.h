#pragma once
// Lines of declarations are words with spaces between them.

#include <string>
#include <string_view>
#include <vector>

namespace darp {

inline std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    words.emplace_back(text.substr(0, text.find(' ')));
    text.remove_prefix(words.back().size());
  }
}

}  // namespace darp
