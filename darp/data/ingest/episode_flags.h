#pragma once
// Formats that store episodes end to end mark where each ends with flags per row.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace darp {

struct EpisodeFlags {
  /// Terminals, timeouts, ...: an episode ends after a row where any of them is 1. Empty ones do
  /// not count.
  std::vector<std::vector<int64_t>> sets;
  std::optional<int64_t> max_episode_steps;  // also ends after this many steps
};

/// Cumulative, exclusive ends over `rows` rows. Rows after the last end are an unfinished episode:
/// dropped, or kept as one when asked. Throws Error when flags are missing or of the wrong length,
/// or when no episode ever ends.
std::vector<int64_t> episode_ends_from_flags(const EpisodeFlags& flags, int64_t rows,
                                             bool keep_unfinished, const std::string& source);

/// Throws Error naming `where` unless the ends increase from above 0 to exactly `rows`.
void check_episode_ends(const std::vector<int64_t>& ends, int64_t rows, const std::string& where);

}  // namespace darp
