#pragma once
// Streaming retrieval: one observation after another, neighbours after each.

#include <memory>
#include <optional>
#include <span>

#include "darp/core/rng.h"
#include "darp/kernels/recursive_history.h"
#include "darp/kernels/selection.h"
#include "darp/retrieval/retriever.h"

namespace darp {

class ApproximateCandidates;

/// What a query got, nearest first, ties by row number. Valid until the session's next call.
struct Neighbors {
  std::span<const int32_t> rows;
  std::span<const float> distances;  // history distances
  int64_t wanted = 0;                // rows.size() is less when fewer rows were usable
};

/// One rollout's state. The distances of past steps are kept, so that a longer lookback costs loads
/// and adds, no further distances. Not for two threads at once. Nothing is allocated after
/// construction.
class RetrievalSession {
 public:
  explicit RetrievalSession(std::shared_ptr<const Retriever> retriever);
  ~RetrievalSession();
  RetrievalSession(RetrievalSession&&) noexcept;

  const Retriever& retriever() const { return *retriever_; }

  /// Starts an episode: the past is forgotten. Random neighbours depend on the seed and the steps
  /// since, not on what came before.
  void reset(uint64_t seed = 0) noexcept {
    time_ = 0;
    draws_ = first_draw(seed);
  }
  /// Steps pushed since reset.
  int64_t steps() const { return time_; }

  /// Takes the next observation and finds its neighbours. If the status is not kOk there are none;
  /// an observation that could not be compared is as if it had never come.
  QueryStatus try_push(std::span<const float> observation, RowRange excluded = {}) noexcept;
  /// The neighbours of the last push.
  Neighbors neighbors() const { return neighbors_; }
  /// Both in one; throws Error where try_push gives a status.
  Neighbors push(std::span<const float> observation, RowRange excluded = {});
  /// Takes an observation into the past without asking for neighbours.
  QueryStatus remember(std::span<const float> observation) noexcept;

  /// Memory held: about lookback x rows floats.
  size_t bytes() const;

 private:
  friend class TableBuilder;

  void answer_approximately(RowRange excluded) noexcept;
  void advance(const kernels::DistanceRow& now) noexcept;
  void find(const kernels::DistanceRow& now, RowRange excluded) noexcept;
  void keep(const kernels::DistanceRow& now) noexcept;
  void pick_random(const kernels::DistanceRow& now, const kernels::Skip& skip) noexcept;

  std::shared_ptr<const Retriever> retriever_;
  bool ranks_all_, random_;
  int64_t time_ = 0;
  /// Apart from each other and from those of tables, which are numbered by their queries.
  static uint64_t first_draw(uint64_t seed) { return (seed + 1) << 32; }
  uint64_t draws_ = first_draw(0);  // of random neighbours
  Neighbors neighbors_;
  kernels::Selector selector_;
  std::vector<float> query_;
  kernels::DistanceRow now_;
  std::optional<kernels::DistanceRow> sums_;  // of all rows, when all are ranked
  std::optional<kernels::DistanceHistory> past_;
  std::optional<kernels::RecursiveHistory> recursion_;
  std::unique_ptr<ApproximateCandidates> approximate_;
};

}  // namespace darp
