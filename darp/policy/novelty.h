#pragma once
// How unusual is a step? Its neighbours' distance says it, measured against the distances that
// demonstrated steps have from each other: those a policy keeps as quantiles.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "darp/core/progress.h"
#include "darp/core/thread_pool.h"
#include "darp/policy/policy_archive.h"
#include "darp/retrieval/retriever.h"

namespace darp {

/// 0 %, 1 %, ..., 100 %.
inline constexpr int64_t kDistanceQuantiles = 101;
/// novelty() gives nothing above it.
inline constexpr float kMostNovel = 1e6f;

/// Quantiles, ascending, of what demonstrated steps get when they ask for neighbours as a rollout
/// would: the history distance of the last, farthest one. A step's own episode is left out, for a
/// new rollout has no steps in the data; if k of the other rows are not there, its own row; if k is
/// all rows, nothing. Of more than 20,000 rows about as many are asked, in whole episodes evenly
/// apart. Steps without any neighbour do not count; if no step has one, all quantiles are 0.
///
/// `states` are the retriever's rows, before it prepared them. `progress` counts rows, those that
/// are not asked too. The same numbers for any number of threads.
std::vector<float> distance_quantiles(const std::shared_ptr<const Retriever>& retriever,
                                      MatrixView states, ThreadPool& pool,
                                      Progress* progress = nullptr);
/// The same for a policy's parts, with the retriever that its executors make. Empty for policies
/// that retrieve nothing. Throws Error for rows or settings that make no Retriever.
std::vector<float> distance_quantiles(const PolicySpec& spec, const Normalizer& observations,
                                      const DemonstrationRows& rows, ThreadPool& pool,
                                      Progress* progress = nullptr);

/// The part of demonstrated steps that are as near as `distance`, the history distance of a step's
/// last neighbour: 0 to 1, linear between (distinct) quantiles. Beyond the largest quantile q it is
/// distance / q, or 1 + distance if q is 0, up to kMostNovel. It never falls as the distance grows,
/// and never jumps. NaN is as novel as can be. `quantiles` has kDistanceQuantiles numbers, or
/// another number above 1 of equal steps. No allocation.
float novelty(std::span<const float> quantiles, float distance) noexcept;

}  // namespace darp
