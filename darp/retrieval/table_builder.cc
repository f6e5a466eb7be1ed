#include "darp/retrieval/table_builder.h"

#include <algorithm>

#include "darp/kernels/episode_walk.h"
#include "darp/retrieval/approximate_candidates.h"

namespace darp {
namespace {

constexpr int64_t kAtOnce = 4;  // queries that share one read of the rows

}  // namespace

TableBuilder::TableBuilder(std::shared_ptr<const Retriever> retriever)
    : session_(std::move(retriever)) {
  if (!session_.retriever().approximate())
    for (int64_t i = 0; i < kAtOnce; ++i) distances_.emplace_back(session_.retriever().rows());
}

void TableBuilder::fill(const TableQueries& queries, int64_t begin, int64_t end,
                        NeighborTable::Contents& table) {
  kernels::EpisodeWalk episodes(queries.episode_ends);
  while (begin < end) {
    const int64_t episode_begin = episodes.begin_of(begin);
    const int64_t stop = std::min(end, episodes.end());
    fill_episode(queries, episode_begin, begin, stop, table);
    begin = stop;
  }
}

/// Queries [begin, end) of one episode, after a run-up over the past that they look back on.
void TableBuilder::fill_episode(const TableQueries& queries, int64_t episode_begin, int64_t begin,
                                int64_t end, NeighborTable::Contents& table) {
  const Retriever& r = session_.retriever();
  const auto excluded = [&](int64_t query) {
    return queries.own_rows ? r.excluded_for(query) : RowRange{};
  };
  session_.reset();
  const int64_t start = std::max(episode_begin, begin - (r.history().lookback() - 1));
  for (int64_t first = start; first < end; first += kAtOnce) {
    const int64_t count = std::min(kAtOnce, end - first);
    scan(queries, first, count);
    for (int64_t query = first; query < first + count; ++query) {
      session_.draws_ = static_cast<uint64_t>(query);
      if (session_.approximate_) {
        const auto row = queries.prepared.row(query);
        std::copy(row.begin(), row.end(), session_.query_.begin());
        if (query >= begin)
          session_.answer_approximately(excluded(query));
        else
          session_.approximate_->remember(session_.query_, session_.time_++);
      } else {
        const kernels::DistanceRow& now = distances_[query - first];
        session_.advance(now);
        if (query >= begin) session_.find(now, excluded(query));
        session_.keep(now);
      }
      if (query >= begin) answer(query, table);
    }
  }
}

void TableBuilder::scan(const TableQueries& queries, int64_t first, int64_t count) {
  if (session_.approximate_) return;
  const float* from[kAtOnce];
  float* to[kAtOnce];
  for (int64_t i = 0; i < count; ++i) {
    from[i] = queries.prepared.row(first + i).data();
    to[i] = distances_[i].data();
  }
  const auto n = static_cast<size_t>(count);
  kernels::distances(*session_.retriever().blocks(), session_.retriever().space().comparison(),
                     std::span<const float* const>(from, n), std::span<float* const>(to, n));
}

void TableBuilder::answer(int64_t query, NeighborTable::Contents& table) const {
  const auto rows = session_.selector_.indices();
  table.counts[query] = static_cast<int32_t>(rows.size());
  std::copy(rows.begin(), rows.end(), table.rows.begin() + query * table.width);
  if (table.distances.empty()) return;
  const auto distances = session_.selector_.values();
  std::copy(distances.begin(), distances.end(), table.distances.begin() + query * table.width);
}

}  // namespace darp
