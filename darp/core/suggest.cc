#include "darp/core/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace darp {
namespace {

/// Insertions, deletions, replacements and swaps of neighbours that turn one string into the other.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_previous, previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      current[j] =
          std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before_previous[j - 2] + 1);
    }
    before_previous = std::exchange(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  std::string best;
  constexpr size_t kLongest = 100;  // hostile names cost nothing
  if (name.size() > kLongest) return best;
  size_t best_distance = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    if (const size_t distance = edit_distance(name, candidate); distance < best_distance)
      best_distance = distance, best = candidate;
  }
  return best;
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  const std::string near = nearest_name(name, candidates);
  std::string text = near.empty() ? "" : fmt::format("did you mean '{}'? ", near);
  constexpr size_t kMost = 30;
  text += fmt::format("valid: {}",
                      fmt::join(candidates.first(std::min(candidates.size(), kMost)), ", "));
  if (candidates.size() > kMost) text += fmt::format(" and {} more", candidates.size() - kMost);
  return text;
}

}  // namespace darp
