#pragma once
// Demonstrations in memory: all episodes as two matrices, observations and actions, plus where each
// episode ends.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "darp/core/matrix.h"

namespace darp {

/// A named range of observation columns, e.g. robot0_eef_pos = [0, 3).
struct ObservationPart {
  std::string name;
  int64_t begin = 0, end = 0;

  int64_t width() const { return end - begin; }
  bool operator==(const ObservationPart&) const = default;
};

/// One episode: a window on its dataset's rows [first_row, first_row + steps).
struct Episode {
  std::string name;
  int64_t first_row = 0;
  MatrixView observations, actions;

  int64_t steps() const { return observations.rows(); }
};

/// What a dataset is made of; a reader fills it and hands it to Dataset, which checks it.
struct DatasetContents {
  Matrix observations, actions;  // row t of both is one instant
  std::vector<ObservationPart>
      parts;  // cover the observation columns in order; empty: one part "observation"
  std::vector<int64_t>
      episode_ends;  // cumulative, exclusive, increasing; the last is the number of rows
  std::vector<std::string> episode_names;  // one per episode; empty: demo_0, demo_1, ...
  std::vector<float> rewards;              // one per row, or empty where the source has none
  std::map<std::string, std::vector<int64_t>>
      filters;              // robomimic's mask/<key>: sorted episode numbers
  std::string environment;  // robomimic's env_args (JSON text), or empty
  std::string source;       // the file, for messages
  std::vector<std::string>
      notes;  // what a reader left out or changed, one sentence each, for people
};

/// Immutable, so that threads share it freely. A row number names a step for ever.
class Dataset {
 public:
  /// Throws Error, naming source, episode, step and entry, when contents are inconsistent: no rows,
  /// no columns, empty episodes, lengths that differ, duplicate names, NaN or infinite entries,
  /// parts that do not cover the columns.
  explicit Dataset(DatasetContents contents);

  int64_t steps() const { return contents_.observations.rows(); }
  int64_t observation_dim() const { return contents_.observations.cols(); }
  int64_t action_dim() const { return contents_.actions.cols(); }
  int64_t episodes() const { return static_cast<int64_t>(contents_.episode_ends.size()); }

  MatrixView observations() const { return contents_.observations; }
  MatrixView actions() const { return contents_.actions; }
  const std::vector<float>& rewards() const { return contents_.rewards; }
  const std::vector<ObservationPart>& parts() const { return contents_.parts; }
  const std::map<std::string, std::vector<int64_t>>& filters() const { return contents_.filters; }
  const std::string& environment() const { return contents_.environment; }
  const std::string& source() const { return contents_.source; }
  const std::vector<std::string>& notes() const { return contents_.notes; }

  Episode episode(int64_t index) const;
  int64_t episode_begin(int64_t index) const {
    return index == 0 ? 0 : contents_.episode_ends[index - 1];
  }
  int64_t episode_end(int64_t index) const { return contents_.episode_ends[index]; }
  const std::string& episode_name(int64_t index) const { return contents_.episode_names[index]; }
  const std::vector<std::string>& episode_names() const { return contents_.episode_names; }
  const std::vector<int64_t>& episode_ends() const { return contents_.episode_ends; }
  /// The episode that a row belongs to.
  int64_t episode_of(int64_t row) const;

  /// "robot0_eef_pos[2]": a column's name for people.
  std::string column_name(int64_t column) const;

  /// A copy of these episodes, in this order, under their names. Filters keep those of their
  /// episodes that are here.
  Dataset select(const std::vector<int64_t>& episode_indices) const;
  /// The episodes of a filter key. Throws Error that lists the keys there are.
  const std::vector<int64_t>& filter(const std::string& key) const;

  /// Hash over all that decides what is learned: shapes, part names, episode ends, observation and
  /// action bits.
  std::string content_hash() const;

 private:
  void check() const;

  DatasetContents contents_;
};

/// Same rows, parts, episodes, names, rewards, filters and environment, bit for bit; only `source`
/// and `notes` may differ.
bool identical(const Dataset& a, const Dataset& b);

/// Splits by whole episodes: {training, validation} episode numbers, each sorted, the same for the
/// same seed. At least one episode stays on each side; throws Error when that is impossible or the
/// fraction is not within (0, 1).
std::pair<std::vector<int64_t>, std::vector<int64_t>> split_episodes(const Dataset& dataset,
                                                                     double validation_fraction,
                                                                     uint64_t seed);

}  // namespace darp
