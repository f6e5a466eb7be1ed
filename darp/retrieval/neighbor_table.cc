#include "darp/retrieval/neighbor_table.h"

#include <algorithm>
#include <mutex>

#include "darp/core/checked.h"
#include "darp/retrieval/table_builder.h"

namespace darp {
namespace {

/// Workers hold much memory (lookback x rows), so chunks borrow them instead of making their own.
class Workers {
 public:
  explicit Workers(std::shared_ptr<const Retriever> retriever) : retriever_(std::move(retriever)) {}

  std::unique_ptr<TableBuilder> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto worker = std::move(idle_.back());
        idle_.pop_back();
        return worker;
      }
    }
    return std::make_unique<TableBuilder>(retriever_);
  }
  void give_back(std::unique_ptr<TableBuilder> worker) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

 private:
  std::shared_ptr<const Retriever> retriever_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<TableBuilder>> idle_;
};

NeighborTable build(const std::shared_ptr<const Retriever>& retriever, const TableQueries& queries,
                    ThreadPool& pool, const TableOptions& options) {
  // Large enough that the run-up over the past costs little, small enough for many threads.
  constexpr int64_t kChunk = 128;
  const int64_t count = queries.prepared.rows();
  NeighborTable::Contents table;
  table.width = retriever->kept();
  table.counts.assign(count, 0);
  table.rows.assign(count * table.width, -1);
  if (options.distances) table.distances.assign(count * table.width, 0);
  Workers workers(retriever);
  pool.parallel_for(count, kChunk, [&](int64_t begin, int64_t end) {
    auto worker = workers.take();
    worker->fill(queries, begin, end, table);
    workers.give_back(std::move(worker));
    if (options.progress != nullptr) options.progress->advance(end - begin);
  });
  return NeighborTable(std::move(table));
}

}  // namespace

NeighborTable::NeighborTable(Contents contents) {
  const auto places = contents.counts.size() * static_cast<size_t>(contents.width);
  DARP_CHECK(contents.rows.size() == places, "{} rows in {} places", contents.rows.size(), places);
  DARP_CHECK(contents.distances.empty() || contents.distances.size() == places,
             "{} distances in {} places", contents.distances.size(), places);
  const auto held = std::make_shared<const Contents>(std::move(contents));
  width_ = held->width;
  counts_ = held->counts;
  rows_ = held->rows;
  distances_ = held->distances;
  owner_ = held;
}

NeighborTable build_neighbor_table(const std::shared_ptr<const Retriever>& retriever,
                                   ThreadPool& pool, const TableOptions& options) {
  Matrix prepared = Matrix::uninitialized(retriever->rows(), retriever->space().dim());
  for (int64_t i = 0; i < prepared.rows(); ++i) retriever->copy_row(i, prepared.row(i));
  return build(retriever, {prepared, retriever->episode_ends(), true}, pool, options);
}

NeighborTable build_neighbor_table(const std::shared_ptr<const Retriever>& retriever,
                                   MatrixView queries, std::span<const int64_t> episode_ends,
                                   ThreadPool& pool, const TableOptions& options) {
  DARP_CHECK((episode_ends.empty() ? 0 : episode_ends.back()) == queries.rows(),
             "episodes do not end with the {} queries", queries.rows());
  const Matrix prepared = retriever->space().prepare(queries);
  return build(retriever, {prepared, episode_ends, false}, pool, options);
}

}  // namespace darp
