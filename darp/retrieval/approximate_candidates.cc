#include "darp/retrieval/approximate_candidates.h"

#include <algorithm>

#include "darp/kernels/episode_walk.h"

namespace darp {
namespace {

/// Enough that k are left after an episode was skipped, and some rows at distance zero.
int64_t most_candidates(const Retriever& r) {
  return std::min(r.rows(), r.settings().k + r.longest_episode() + 64);
}

}  // namespace

ApproximateCandidates::ApproximateCandidates(const Retriever& retriever)
    : retriever_(retriever),
      search_(*retriever.hnsw(), std::max(retriever.search_effort(), most_candidates(retriever))),
      most_(most_candidates(retriever)),
      queries_(Matrix::zeros(retriever.history().lookback(), retriever.space().dim())),
      block_(kernels::RowBlocks::kLanes, retriever.space().dim()),
      distances_(most_),
      rows_(most_),
      terms_(most_),
      nearest_(retriever.settings().k, most_) {}

void ApproximateCandidates::remember(std::span<const float> query, int64_t time) noexcept {
  std::copy(query.begin(), query.end(), queries_.row(time % queries_.rows()).begin());
}

/// distances_[i] = from the query to the row `back` steps before candidate i, where it has one.
void ApproximateCandidates::measure(std::span<const float> query, int64_t back) noexcept {
  constexpr size_t kLanes = kernels::RowBlocks::kLanes;
  float lanes[kLanes];
  for (size_t begin = 0; begin < rows_.size(); begin += kLanes) {
    const size_t end = std::min(begin + kLanes, rows_.size());
    bool any = false;
    for (size_t i = begin; i < end; ++i)
      if (terms_[i] > back) {
        block_.set_row(static_cast<int64_t>(i - begin), retriever_.hnsw()->row(rows_[i] - back));
        any = true;
      }
    if (!any) continue;
    kernels::distances(block_, retriever_.space().comparison(), query.data(), lanes);
    std::copy(lanes, lanes + (end - begin), distances_.begin() + static_cast<int64_t>(begin));
  }
}

void ApproximateCandidates::find(int64_t time, const kernels::Skip& skip,
                                 kernels::Selector& out) noexcept {
  const auto& r = retriever_;
  const auto query_at = [&](int64_t when) { return queries_.row(when % queries_.rows()); };
  // As many more than k as the skipped rows may take away.
  const int64_t extra = std::max<int64_t>(0, skip.end - skip.begin) + (skip.zeros ? 64 : 0);
  const auto found = search_.nearest(query_at(time).data(), std::min(r.settings().k + extra, most_),
                                     r.search_effort() + extra);
  rows_.clear();
  for (const int32_t row : found)
    if (row < skip.begin || row >= skip.end) rows_.push_back(row);
  terms_.assign(rows_.size(), 1);
  measure(query_at(time), 0);
  // The k nearest by exact distance.
  nearest_.select(distances_.data(), static_cast<int64_t>(rows_.size()), r.settings().k,
                  {0, 0, skip.zeros});
  out.clear();
  const kernels::HistoryWeights weights = r.history().weights();
  for (size_t i = 0; i < nearest_.indices().size(); ++i)
    out.append(weights.weight[0] * nearest_.values()[i], rows_[nearest_.indices()[i]]);
  // Their past, one step after another, exactly as a scan would sum it.
  rows_.assign(out.indices().begin(), out.indices().end());
  terms_.resize(rows_.size());
  const int64_t most = std::min(r.history().lookback(), time + 1);
  kernels::EpisodeWalk episodes(r.episode_ends());
  for (size_t i = 0; i < rows_.size(); ++i)
    terms_[i] = static_cast<int32_t>(std::min(most, rows_[i] - episodes.begin_of(rows_[i]) + 1));
  const std::span<float> sums = out.mutable_values();
  for (int64_t n = 1; n < most; ++n) {
    measure(query_at(time - n), n);
    for (size_t i = 0; i < rows_.size(); ++i)
      if (terms_[i] > n) sums[i] += weights.weight[n] * distances_[i];
  }
  if (weights.renormalize)
    for (size_t i = 0; i < rows_.size(); ++i) sums[i] /= weights.weight_sum[terms_[i] - 1];
}

size_t ApproximateCandidates::bytes() const {
  return queries_.bytes() + block_.bytes() + nearest_.bytes() +
         (distances_.size() + rows_.capacity() + terms_.capacity()) * sizeof(float);
}

}  // namespace darp
