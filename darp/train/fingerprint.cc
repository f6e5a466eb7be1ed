#include "darp/train/fingerprint.h"

#include <algorithm>
#include <map>
#include <vector>

#include "darp/core/error.h"

namespace darp {
namespace {

constexpr size_t kShown = 3, kDeepest = 16, kValueShown = 80;

/// Every "name: value" line under its full path; indentation of two makes a level, as in
/// write_yaml. Texts come from files, hence the limit on depth.
std::map<std::string, std::string> by_path(std::string_view text) {
  std::map<std::string, std::string> lines;
  std::vector<std::string> groups;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (indent == line.size() || line[indent] == '#') continue;
    groups.resize(std::min({indent / 2, groups.size(), kDeepest}));
    const size_t colon = std::min(line.find(':', indent), line.size());
    const std::string name = (groups.empty() ? "" : groups.back() + ".") +
                             std::string(line.substr(indent, colon - indent));
    const size_t value = line.find_first_not_of(' ', colon + 1);
    if (value == std::string_view::npos)
      groups.push_back(name);
    else
      lines[name] = line.substr(value);
  }
  return lines;
}

std::string shown(std::string_view text) {
  return printable(text, kValueShown);
}

}  // namespace

std::string fingerprint_changes(std::string_view before, std::string_view now) {
  const auto old_lines = by_path(before), new_lines = by_path(now);
  std::vector<std::string> changes;
  for (const auto& [path, value] : new_lines) {
    const auto old_line = old_lines.find(path);
    if (old_line == old_lines.end())
      changes.push_back(fmt::format("{} is new", shown(path)));
    else if (old_line->second != value)
      changes.push_back(
          fmt::format("{} was {}, is {}", shown(path), shown(old_line->second), shown(value)));
  }
  for (const auto& [path, value] : old_lines)
    if (!new_lines.contains(path)) changes.push_back(fmt::format("{} is gone", shown(path)));
  std::string text;
  for (size_t i = 0; i < std::min(kShown, changes.size()); ++i)
    text += (i > 0 ? "; " : "") + changes[i];
  if (changes.size() > kShown) text += fmt::format("; and {} more", changes.size() - kShown);
  return text;
}

}  // namespace darp
