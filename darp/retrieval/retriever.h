#pragma once
// Which demonstrated rows are nearest, given what just happened. A Retriever is built once and
// shared; each rollout asks through a RetrievalSession of its own; a dataset's neighbours within
// itself come from build_neighbor_table (neighbor_table.h).

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "darp/core/progress.h"
#include "darp/retrieval/history_metric.h"
#include "darp/retrieval/hnsw_index.h"
#include "darp/retrieval/metric_space.h"
#include "darp/retrieval/retrieval_settings.h"

namespace darp {

/// Rows [begin, end) that may not be retrieved.
struct RowRange {
  int64_t begin = 0, end = 0;
};

/// Rows, index and settings. Immutable: threads share it freely.
class Retriever {
 public:
  /// Recall that an approximate index must reach on a sample, unless its effort was given.
  static constexpr double kWantedRecall = 0.99;

  /// @param rows         one row per demonstrated step, in the space used for retrieval: normalised
  ///                     observations, or an embedding. Row numbers are those of the dataset.
  /// @param episode_ends the rows before which episodes end, ascending, the last = rows.rows()
  /// @param progress     counts rows while an approximate index is built
  /// Throws Error, saying what to change, for rows or settings that cannot work.
  Retriever(MatrixView rows, std::vector<int64_t> episode_ends, const RetrievalSettings& settings,
            Progress* progress = nullptr);
  /// The part of that which needs no rows, only the places where their episodes end.
  static void check(const RetrievalSettings& settings, const std::vector<int64_t>& episode_ends);
  Retriever(const Retriever&) = delete;
  Retriever& operator=(const Retriever&) = delete;

  const RetrievalSettings& settings() const { return settings_; }
  const MetricSpace& space() const { return space_; }
  const HistoryMetric& history() const { return history_; }
  int64_t rows() const { return rows_; }
  int64_t width() const { return space_.width(); }
  const std::vector<int64_t>& episode_ends() const { return episode_ends_; }
  int64_t longest_episode() const { return longest_episode_; }
  /// Neighbours that a query gets when enough rows are usable.
  int64_t ranked() const { return settings_.ranked(); }
  int64_t kept() const { return settings_.kept(); }

  bool approximate() const { return hnsw_ != nullptr; }
  /// Measured when an approximate index was built: the part of the true k nearest that it finds.
  std::optional<double> recall() const { return recall_; }
  int64_t search_effort() const { return search_effort_; }
  /// "1,000 rows of 11 columns, exact" or "..., approximate: recall 0.993 measured on 100 rows".
  std::string summary() const;

  /// Memory held.
  size_t bytes() const;
  /// Names rows, episodes and settings: the same key, the same neighbours.
  const std::string& key() const { return key_; }

  /// What `exclude` keeps from a query that is one of the rows: itself, its episode or nothing. Of
  /// a single episode, the half that the query is in.
  RowRange excluded_for(int64_t row) const;

  /// A row's prepared coordinates; `out` has space().dim() floats.
  void copy_row(int64_t row, std::span<float> out) const;

  /// What sessions scan. Null when approximate.
  const kernels::RowBlocks* blocks() const { return blocks_.get(); }
  const HnswIndex* hnsw() const { return hnsw_.get(); }

 private:
  void build_approximate(Matrix prepared, Progress* progress);

  RetrievalSettings settings_;
  MetricSpace space_;
  HistoryMetric history_;
  int64_t rows_;
  std::vector<int64_t> episode_ends_;
  int64_t longest_episode_ = 0;
  std::unique_ptr<const kernels::RowBlocks> blocks_;
  std::unique_ptr<const HnswIndex> hnsw_;
  int64_t search_effort_ = 0;
  std::optional<double> recall_;
  std::string key_;
};

}  // namespace darp
