#include "darp/exhibit/exhibit.h"

#include <algorithm>

namespace darp {

const ExhibitHeading& heading_of(const Exhibit& exhibit) {
  return std::visit([](const auto& one) -> const ExhibitHeading& { return one; }, exhibit);
}

bool is_figure(const Exhibit& exhibit) {
  return !std::holds_alternative<ExhibitTable>(exhibit) &&
         !std::holds_alternative<ExhibitVideo>(exhibit);
}

bool is_exhibit_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

std::vector<std::string> paragraphs_of(std::string_view text) {
  std::vector<std::string> paragraphs;
  bool open = false;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const bool empty = line.find_first_not_of(" \t\r") == std::string_view::npos;
    if (!empty && open) paragraphs.back() += " " + std::string(line);
    if (!empty && !open) paragraphs.emplace_back(line);
    open = !empty;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return paragraphs;
}

}  // namespace darp
