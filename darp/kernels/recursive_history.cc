#include "darp/kernels/recursive_history.h"

#include <algorithm>
#include <cmath>

#include "darp/kernels/diagonals.h"
#include "darp/kernels/episode_walk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "darp/kernels/recursive_history.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace darp::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DoubleTag = hn::CappedTag<double, 8>;
using FloatTag = hn::Rebind<float, DoubleTag>;

/// What each lane of a group multiplies: 0 where there is no past to carry on, or nothing to let
/// go.
struct LaneFactors {
  alignas(64) double carry[Diagonals::kLanes];
  alignas(64) double let_go[Diagonals::kLanes];
  alignas(64) double divide[Diagonals::kLanes];

  /// For a lane whose row and query can look `past` steps back.
  void set(int64_t lane, int64_t past, const RecursionStep& step) {
    carry[lane] = past > 0 ? step.factor : 0;
    let_go[lane] = past >= step.lookback ? step.last_factor : 0;
    divide[lane] = step.weight_sum.empty() ? 1 : step.weight_sum[std::min(past, step.lookback - 1)];
  }
};

/// One group: the oldest distances give way to the newest.
HWY_INLINE void advance_group(const float* distances, const LaneFactors& factors, bool divide,
                              float* slot, double* sums, float* out) {
  const DoubleTag d;
  const FloatTag df;
  for (size_t lane = 0; lane < Diagonals::kLanes; lane += hn::Lanes(d)) {
    const auto now = hn::LoadU(df, distances + lane);
    const auto past = hn::Mul(hn::Load(d, factors.carry + lane), hn::Load(d, sums + lane));
    const auto gone =
        hn::Mul(hn::Load(d, factors.let_go + lane), hn::PromoteTo(d, hn::Load(df, slot + lane)));
    // What subtraction leaves of a sum of zeros may be below zero by a rounding.
    auto sum = hn::Max(hn::Add(hn::PromoteTo(d, now), hn::Sub(past, gone)), hn::Zero(d));
    hn::Store(sum, d, sums + lane);
    hn::Store(now, df, slot + lane);
    if (divide) sum = hn::Div(sum, hn::Load(d, factors.divide + lane));
    hn::StoreU(hn::DemoteTo(df, sum), df, out + lane);
  }
}

void advance_all(const RecursionStep& step) {
  const Diagonals diagonals(step.rows, step.time);
  EpisodeWalk episodes(step.episode_ends);
  LaneFactors factors;
  bool factors_are_full = false;
  for (int64_t first = diagonals.lowest(); first < step.rows; first += Diagonals::kLanes) {
    const int64_t end = first + Diagonals::kLanes;
    // Groups inside an episode, far enough from its start, all have the same factors.
    const bool full = first >= 0 &&
                      first - episodes.begin_of(first) >= std::min(step.time, step.lookback) &&
                      end <= episodes.end();
    if (!full || !factors_are_full)
      for (int64_t row = first; row < end; ++row) {
        const bool exists = row >= 0 && row < step.rows;
        const int64_t own = exists && !full ? row - episodes.begin_of(row) : step.time;
        factors.set(row - first, exists ? std::min(step.time, own) : 0, step);
      }
    factors_are_full = full;
    const int64_t group = diagonals.group_from(first);
    float* slot =
        step.ring + (group * step.lookback + step.time % step.lookback) * Diagonals::kLanes;
    advance_group(step.now + first, factors, !step.weight_sum.empty(), slot,
                  step.sums + group * Diagonals::kLanes, step.out + first);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace darp::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace darp::kernels {

HWY_EXPORT(advance_all);

RecursiveHistory::RecursiveHistory(int64_t rows, int64_t lookback, double rate, bool renormalize,
                                   std::span<const int64_t> episode_ends)
    : ring_(Matrix::zeros(Diagonals::groups_for(rows), lookback * Diagonals::kLanes)),
      sums_(Matrix::zeros(Diagonals::groups_for(rows), 2 * Diagonals::kLanes)),
      rows_(rows),
      lookback_(lookback),
      factor_(std::exp(-rate)),
      last_factor_(std::exp(-rate * static_cast<double>(lookback))),
      episode_ends_(episode_ends) {
  double sum = 0;
  for (int64_t n = 0; renormalize && n < lookback; ++n)
    weight_sum_.push_back(sum += std::exp(-rate * static_cast<double>(n)));
}

void RecursiveHistory::advance(const DistanceRow& distances, int64_t time, DistanceRow& sums) {
  HWY_DYNAMIC_DISPATCH(advance_all)
  ({.now = distances.data(),
    .ring = ring_.mutable_view().data(),
    .sums = reinterpret_cast<double*>(sums_.mutable_view().data()),  // never read as floats
    .out = sums.data(),
    .rows = rows_,
    .time = time,
    .lookback = lookback_,
    .factor = factor_,
    .last_factor = last_factor_,
    .weight_sum = weight_sum_,
    .episode_ends = episode_ends_});
}

}  // namespace darp::kernels
#endif  // HWY_ONCE
