#pragma once
// The neighbours of every row of a dataset within the dataset: what training reads again and again.

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "darp/core/matrix.h"
#include "darp/core/progress.h"
#include "darp/core/thread_pool.h"
#include "darp/retrieval/retriever.h"

namespace darp {

/// For each query row its neighbours, nearest first. Immutable; copies share the numbers.
class NeighborTable {
 public:
  /// Numbers in memory. `rows` is queries x width with unused places -1, `counts` says how many
  /// places are used, `distances` is queries x width or empty.
  struct Contents {
    int64_t width = 0;
    std::vector<int32_t> counts;
    std::vector<int32_t> rows;
    std::vector<float> distances;
  };
  explicit NeighborTable(Contents contents);

  int64_t queries() const { return static_cast<int64_t>(counts_.size()); }
  /// Most neighbours that a query has.
  int64_t width() const { return width_; }
  int64_t count(int64_t query) const { return counts_[query]; }
  std::span<const int32_t> rows(int64_t query) const {
    return rows_.subspan(query * width_, counts_[query]);
  }
  bool has_distances() const { return !distances_.empty(); }
  /// Only if has_distances().
  std::span<const float> distances(int64_t query) const {
    return distances_.subspan(query * width_, counts_[query]);
  }

 private:
  friend NeighborTable read_neighbor_table(const std::filesystem::path&, std::string_view, int64_t);
  friend void write_neighbor_table(const std::filesystem::path&, const NeighborTable&,
                                   std::string_view);
  NeighborTable() = default;

  std::shared_ptr<const void> owner_;  // of what the spans look at: contents or a mapped file
  int64_t width_ = 0;
  std::span<const int32_t> counts_, rows_;
  std::span<const float> distances_;
};

struct TableOptions {
  bool distances = false;        // keep the history distances too: as much memory again
  Progress* progress = nullptr;  // counts queries
};

/// The neighbours of the retriever's own rows, each asked at its place in its episode. The
/// settings' `exclude` says whether a query may find its own row or episode. The same numbers for
/// any number of threads.
NeighborTable build_neighbor_table(const std::shared_ptr<const Retriever>& retriever,
                                   ThreadPool& pool, const TableOptions& options = {});

/// The neighbours, among the retriever's rows, of other rows: a validation set, say. Nothing is
/// excluded but, if set, distance zero.
NeighborTable build_neighbor_table(const std::shared_ptr<const Retriever>& retriever,
                                   MatrixView queries, std::span<const int64_t> episode_ends,
                                   ThreadPool& pool, const TableOptions& options = {});

/// The retriever's own table from `folder`, where an earlier call left it; otherwise built and left
/// there. The file's name and content carry the retriever's key (data and settings); a file that
/// is damaged or not what it says is built again.
NeighborTable cached_neighbor_table(const std::shared_ptr<const Retriever>& retriever,
                                    const std::filesystem::path& folder, ThreadPool& pool,
                                    const TableOptions& options = {});

/// Writes a table, atomically, under a key.
void write_neighbor_table(const std::filesystem::path& path, const NeighborTable& table,
                          std::string_view key);
/// Maps a table. Throws Error if the file is not a table with this key whose rows are below
/// `rows`.
NeighborTable read_neighbor_table(const std::filesystem::path& path, std::string_view key,
                                  int64_t rows);

}  // namespace darp
