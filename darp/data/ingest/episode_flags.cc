#include "darp/data/ingest/episode_flags.h"

#include "darp/core/error.h"

namespace darp {

std::vector<int64_t> episode_ends_from_flags(const EpisodeFlags& flags, int64_t rows,
                                             bool keep_unfinished, const std::string& source) {
  std::vector<bool> last(static_cast<size_t>(rows), false);
  for (const std::vector<int64_t>& set : flags.sets) {
    if (set.empty()) continue;
    if (static_cast<int64_t>(set.size()) != rows)
      throw Error(source, fmt::format("has {} rows but {} end-of-episode flags", rows, set.size()),
                  "each row needs one flag");
    for (size_t i = 0; i < last.size(); ++i) {
      if (set[i] != 0 && set[i] != 1)
        throw Error(source, fmt::format("has the end-of-episode flag {} at row {}", set[i], i),
                    "flags are 0 or 1, or booleans");
      last[i] = last[i] || set[i] == 1;
    }
  }
  std::vector<int64_t> ends;
  int64_t begin = 0;
  for (int64_t row = 0; row < rows; ++row)
    if (last[static_cast<size_t>(row)] ||
        row + 1 - begin == flags.max_episode_steps.value_or(rows + 1))
      ends.push_back(begin = row + 1);
  if (keep_unfinished && begin < rows) ends.push_back(rows);
  if (ends.empty())
    throw Error(source, fmt::format("marks no episode's end in {} rows", rows),
                "set the flag on the last row of each episode, or set keep_unfinished to read the "
                "rows as one episode");
  return ends;
}

void check_episode_ends(const std::vector<int64_t>& ends, int64_t rows, const std::string& where) {
  int64_t previous = 0;
  for (size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] <= previous)
      throw Error(where, fmt::format("ends episode {} at {} after {}", i, ends[i], previous),
                  "each entry is the number of rows up to the end of its episode: they increase");
    previous = ends[i];
  }
  if (previous != rows)
    throw Error(where, fmt::format("ends the last episode at {} of {} rows", previous, rows),
                "the last entry is the number of all rows");
}

}  // namespace darp
