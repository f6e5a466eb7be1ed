#include "darp/policy/novelty.h"

#include <algorithm>
#include <cmath>

#include "darp/policy/make_retriever.h"
#include "darp/retrieval/retrieval_session.h"

namespace darp {
namespace {

constexpr int64_t kMostAsked = 20'000;
constexpr float kNotAsked = -1;

/// Rows of the episodes that are asked.
std::vector<RowRange> asked_episodes(const std::vector<int64_t>& ends) {
  const int64_t episodes = std::ssize(ends), rows = ends.back();
  const int64_t count =
      rows <= kMostAsked ? episodes : std::max<int64_t>(1, episodes * kMostAsked / rows);
  std::vector<RowRange> asked;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t e = (2 * i + 1) * episodes / (2 * count);
    asked.push_back({e == 0 ? 0 : ends[e - 1], ends[e]});
  }
  return asked;
}

/// What a step of this episode may not find.
RowRange left_out(const Retriever& retriever, const RowRange& episode, int64_t row) {
  const int64_t k = retriever.settings().k, rows = retriever.rows();
  if (rows - (episode.end - episode.begin) >= k) return episode;
  if (rows - 1 >= k) return {row, row + 1};
  return {};
}

/// Writes the distance of each step's last neighbour, if it has one, to the step's row.
void ask(RetrievalSession& session, MatrixView states, const RowRange& episode,
         std::span<float> farthest) {
  session.reset();
  for (int64_t row = episode.begin; row < episode.end; ++row) {
    const RowRange excluded = left_out(session.retriever(), episode, row);
    if (session.try_push(states.row(row), excluded) == QueryStatus::kOk)
      farthest[row] = session.neighbors().distances.back();
  }
}

/// Order statistics, linear in between. All 0 for no values.
std::vector<float> quantiles_of(std::vector<float> values) {
  std::vector<float> quantiles(kDistanceQuantiles, 0.0f);
  if (values.empty()) return quantiles;
  std::ranges::sort(values);
  const int64_t last = std::ssize(values) - 1, steps = kDistanceQuantiles - 1;
  for (int64_t i = 0; i <= steps; ++i) {
    const int64_t below = i * last / steps, above = std::min(below + 1, last);
    const double part = static_cast<double>(i * last % steps) / static_cast<double>(steps);
    quantiles[i] = static_cast<float>(
        std::lerp(static_cast<double>(values[below]), static_cast<double>(values[above]), part));
  }
  return quantiles;
}

}  // namespace

std::vector<float> distance_quantiles(const std::shared_ptr<const Retriever>& retriever,
                                      MatrixView states, ThreadPool& pool, Progress* progress) {
  DARP_CHECK(states.rows() == retriever->rows(), "{} states for {} rows", states.rows(),
             retriever->rows());
  const std::vector<RowRange> episodes = asked_episodes(retriever->episode_ends());
  // Each job makes a session, which is large, so there are not too many. Random neighbours depend
  // on all that a session was asked before: one job.
  constexpr int64_t kJobs = 64;
  const int64_t count = std::ssize(episodes), rows = retriever->rows();
  const bool random = retriever->settings().pick == RetrievalSettings::Pick::kRandom;
  const int64_t grain = random ? count : (count + kJobs - 1) / kJobs;
  std::vector<float> farthest(rows, kNotAsked);
  pool.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    RetrievalSession session(retriever);
    for (int64_t i = begin; i < end; ++i) {
      ask(session, states, episodes[i], farthest);
      if (progress != nullptr) progress->advance(rows * (i + 1) / count - rows * i / count);
    }
  });
  std::erase(farthest, kNotAsked);
  return quantiles_of(std::move(farthest));
}

std::vector<float> distance_quantiles(const PolicySpec& spec, const Normalizer& observations,
                                      const DemonstrationRows& rows, ThreadPool& pool,
                                      Progress* progress) {
  if (spec.retrieval() == nullptr) return {};
  const Matrix states = observations.apply(rows.observations);
  return distance_quantiles(
      make_retriever(*spec.retrieval(), observations, states, rows.episode_ends), states, pool,
      progress);
}

float novelty(std::span<const float> quantiles, float distance) noexcept {
  const float most = quantiles.back();
  if (distance < 0) distance = 0;
  if (!(distance < most)) {
    const float ratio = most > 0 ? distance / most : 1 + distance;
    return ratio < kMostNovel ? ratio : kMostNovel;
  }
  // Equal quantiles count as their last one, so that nothing jumps.
  const auto part = [&](auto after) {
    return static_cast<float>(after - quantiles.begin() - 1) /
           static_cast<float>(quantiles.size() - 1);
  };
  const auto above = std::ranges::upper_bound(quantiles, distance);
  const bool first = above == quantiles.begin();
  const float near = first ? 0 : *(above - 1), far = *above;
  const float low = first ? 0 : part(above);
  const float high = part(std::upper_bound(above, quantiles.end(), far));
  // Nothing between them where differences too small to be normal count as zero.
  const float gap = far - near;
  return gap > 0 ? std::lerp(low, high, (distance - near) / gap) : high;
}

}  // namespace darp
