#pragma once
// Answers one query after another for a neighbour table: internal to build_neighbor_table.

#include <memory>
#include <vector>

#include "darp/retrieval/neighbor_table.h"
#include "darp/retrieval/retrieval_session.h"

namespace darp {

/// Queries as a table asks them: prepared coordinates, in episodes.
struct TableQueries {
  MatrixView prepared;
  std::span<const int64_t> episode_ends;
  bool own_rows = false;  // they are the retriever's rows: `exclude` applies
};

/// One thread's worker: a session and the distances of a few queries at once.
class TableBuilder {
 public:
  explicit TableBuilder(std::shared_ptr<const Retriever> retriever);

  /// Writes the answers of queries [begin, end) into the table. What it writes does not depend on
  /// earlier calls.
  void fill(const TableQueries& queries, int64_t begin, int64_t end,
            NeighborTable::Contents& table);

 private:
  void fill_episode(const TableQueries& queries, int64_t episode_begin, int64_t begin, int64_t end,
                    NeighborTable::Contents& table);
  void scan(const TableQueries& queries, int64_t first, int64_t count);
  void answer(int64_t query, NeighborTable::Contents& table) const;

  RetrievalSession session_;
  std::vector<kernels::DistanceRow> distances_;
};

}  // namespace darp
