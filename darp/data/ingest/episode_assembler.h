#pragma once
// How every reader turns arrays into DatasetContents: rows are allocated once, when all sizes are
// known, and filled in place.

#include <string>
#include <utility>
#include <vector>

#include "darp/data/dataset.h"

namespace darp {

/// Tells of what a file holds before its numbers are read: part names with widths, action width,
/// episodes with lengths.
class EpisodeAssembler {
 public:
  explicit EpisodeAssembler(std::string source);

  /// Declares the observation parts, in column order, and the action width. Call once.
  void set_columns(const std::vector<std::pair<std::string, int64_t>>& parts, int64_t action_dim);
  /// Declares the next episode.
  void add_episode(std::string name, int64_t steps);
  void set_environment(std::string env_args) { contents_.environment = std::move(env_args); }
  /// Declares all episodes by their cumulative ends; without names they are demo_0, demo_1, ...
  void add_episodes(const std::vector<int64_t>& ends, const std::vector<std::string>& names = {});
  void add_note(std::string sentence) { contents_.notes.push_back(std::move(sentence)); }
  /// Notes, for people, that the file has more rows than the episodes declared so far.
  void note_rows_left_out(int64_t rows_in_file);
  /// Names of episodes to a filter key; names that are not episodes are an Error.
  void add_filter(const std::string& key, const std::vector<std::string>& episode_names);
  void add_filter(const std::string& key, std::vector<int64_t> episodes);

  const std::string& source() const { return contents_.source; }
  /// What was declared so far; the matrices are empty until they are allocated.
  const DatasetContents& declared() const { return contents_; }
  int64_t action_dim() const { return action_dim_; }

  /// Allocates the matrices; from here on the windows below may be filled.
  void allocate(bool with_rewards);
  int64_t episodes() const { return static_cast<int64_t>(contents_.episode_ends.size()); }
  int64_t steps() const {
    return contents_.episode_ends.empty() ? 0 : contents_.episode_ends.back();
  }
  /// Part `part` of episode `episode`: its rows, its columns.
  MutableMatrixView observations(int64_t episode, int64_t part);
  MutableMatrixView actions(int64_t episode);
  /// One column.
  MutableMatrixView rewards(int64_t episode);
  /// The same over all episodes at once, for files that store them end to end.
  MutableMatrixView all_observations(int64_t part);
  MutableMatrixView all_columns() { return contents_.observations.mutable_view(); }
  MutableMatrixView all_actions() { return contents_.actions.mutable_view(); }
  MutableMatrixView all_rewards();

  /// Checks and hands over.
  Dataset finish() { return Dataset(std::move(contents_)); }

 private:
  DatasetContents contents_;
  int64_t action_dim_ = 0;
};

}  // namespace darp
