#include "darp/kernels/distance_history.h"

#include <algorithm>
#include <utility>

#include "darp/kernels/diagonals.h"
#include "darp/kernels/episode_walk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "darp/kernels/distance_history.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace darp::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::CappedTag<float, Diagonals::kLanes>;
using IntTag = hn::RebindToSigned<FloatTag>;

constexpr int32_t kAtOnce = 4;  // groups summed side by side

/// Copies one step into its slot of every group.
void store_step(const float* distances, int64_t rows, int64_t time, int64_t slots, float* ring) {
  const FloatTag d;
  const Diagonals diagonals(rows, time);
  float* slot = ring + time % slots * Diagonals::kLanes;
  const auto place = [&](int64_t first) {
    return slot + diagonals.group_from(first) * slots * Diagonals::kLanes;
  };
  constexpr int64_t kAhead = 16 * Diagonals::kLanes;  // one line in `slots`: no pattern a CPU sees
  for (int64_t first = diagonals.lowest(); first < rows; first += Diagonals::kLanes) {
    if (first + kAhead < rows) __builtin_prefetch(place(first + kAhead), 1);
    for (size_t lane = 0; lane < Diagonals::kLanes; lane += hn::Lanes(d))
      hn::Store(hn::LoadU(d, distances + first + lane), d, place(first) + lane);
  }
}

/// The sums of one step, group by group; groups must not go down from call to call.
class StepSums {
 public:
  explicit StepSums(const HistoryStep& step)
      : step_(step),
        diagonals_(step.rows, step.time),
        oldest_slot_(step.oldest_slot()),
        most_(std::min(static_cast<int64_t>(step.weights.weight.size()), step.time + 1)),
        episodes_(step.episode_ends) {}

  /// Sums of kGroups groups, which start with the rows firsts[0], ... Row i's sum goes to all[i]
  /// or, if `all` is null, into the ring in place of the oldest step, whose last use this is. Lanes
  /// without a row mean nothing. Several at once, because one sum waits for its last addition
  /// before it can go on.
  template <size_t kGroups>
  HWY_INLINE void add_groups(const int32_t* firsts, float* all) {
    Group groups[kGroups];
    bool full = true;
    for (size_t g = 0; g < kGroups; ++g) {
      const int64_t first = firsts[g], begin = std::max<int64_t>(first, 0);
      const int64_t end = std::min(first + Diagonals::kLanes, step_.rows);
      groups[g].first = first;
      groups[g].ring = step_.ring + diagonals_.group_from(first) * step_.slots * Diagonals::kLanes;
      groups[g].out =
          all != nullptr ? all + first : groups[g].ring + oldest_slot_ * Diagonals::kLanes;
      groups[g].episode = episodes_.begin_of(begin);
      groups[g].upcoming = episodes_.upcoming();
      full = full && begin - groups[g].episode + 1 >= most_ && end <= episodes_.end();
    }
    for (size_t lane = 0; lane < Diagonals::kLanes; lane += hn::Lanes(FloatTag()))
      if (full)
        add_terms<kGroups, false>(groups, static_cast<int64_t>(lane));
      else
        add_terms<kGroups, true>(groups, static_cast<int64_t>(lane));
  }

 private:
  struct Group {
    int64_t first;            // row in lane 0
    float* ring;              // the past of its diagonals
    float* out;               // where the sums go
    int64_t episode;          // start of the first row's episode
    const int64_t* upcoming;  // ends of that episode and those behind it
  };

  /// How many steps before it each row has, from `lane` on.
  HWY_INLINE hn::Vec<IntTag> past_of(const Group& group, int64_t lane) const {
    const IntTag di;
    const int64_t end = std::min(group.first + Diagonals::kLanes, step_.rows);
    const auto row =
        hn::Add(hn::Iota(di, 0), hn::Set(di, static_cast<int32_t>(group.first + lane)));
    auto start = hn::Set(di, static_cast<int32_t>(group.episode));
    for (const int64_t* next = group.upcoming; *next < end; ++next) {
      const auto here = hn::Set(di, static_cast<int32_t>(*next));
      start = hn::IfThenElse(hn::Lt(row, here), start, here);
    }
    return hn::Sub(row, start);
  }

  /// The lanes from `lane` on. kLimited: some rows are so near their episode's start that they have
  /// fewer terms; adding zero for the others changes no bit.
  template <size_t kGroups, bool kLimited>
  HWY_INLINE void add_terms(const Group* groups, int64_t lane) const {
    const FloatTag d;
    const IntTag di;
    const float* weight = step_.weights.weight.data();
    hn::Vec<FloatTag> sum[kGroups];
    hn::Vec<IntTag> past[kGroups];
    for (size_t g = 0; g < kGroups; ++g) {
      sum[g] = hn::Mul(hn::Set(d, weight[0]), hn::LoadU(d, step_.now + groups[g].first + lane));
      past[g] = kLimited ? past_of(groups[g], lane) : hn::Zero(di);
    }
    int64_t slot = oldest_slot_;
    for (int64_t n = 1; n < most_;) {
      // From the newest slot downward, then again from the top.
      if (slot == 0) slot = step_.slots;
      const int64_t stop = n + std::min(slot, most_ - n);
      int64_t offset = (slot - 1) * Diagonals::kLanes + lane;
      slot -= stop - n;
      for (; n < stop; ++n, offset -= Diagonals::kLanes) {
        const auto w = hn::Set(d, weight[n]);
        const auto younger = hn::Set(di, static_cast<int32_t>(n - 1));
        for (size_t g = 0; g < kGroups; ++g) {
          auto term = hn::Mul(w, hn::Load(d, groups[g].ring + offset));
          if constexpr (kLimited)
            term = hn::IfThenElseZero(hn::RebindMask(d, hn::Gt(past[g], younger)), term);
          sum[g] = hn::Add(sum[g], term);
        }
      }
    }
    for (size_t g = 0; g < kGroups; ++g) {
      if (step_.weights.renormalize) {
        const float* used = step_.weights.weight_sum.data();
        const auto last = hn::Set(di, static_cast<int32_t>(most_ - 1));
        const auto index = hn::Max(hn::Min(past[g], last), hn::Zero(di));
        sum[g] = hn::Div(sum[g],
                         kLimited ? hn::GatherIndex(d, used, index) : hn::Set(d, used[most_ - 1]));
      }
      hn::StoreU(sum[g], d, groups[g].out + lane);
    }
  }

  const HistoryStep& step_;
  const Diagonals diagonals_;
  const int64_t oldest_slot_;
  const int64_t most_;  // terms, where a row has them
  EpisodeWalk episodes_;
};

/// The first rows of the groups that these rows lie in, each once. `firsts` has room for all rows
/// and one vector more.
int64_t groups_of(std::span<const int32_t> rows, const HistoryStep& step, int32_t* firsts) {
  const IntTag di;
  const Diagonals diagonals(step.rows, step.time);
  const auto lanes = hn::Set(di, Diagonals::kLanes - 1);
  const auto shift = hn::Set(di, static_cast<int32_t>(step.time % Diagonals::kLanes));
  const auto first_of = [&](auto row)
                            HWY_ATTR { return hn::Sub(row, hn::And(hn::Sub(row, shift), lanes)); };
  if (rows.empty()) return 0;
  firsts[0] = static_cast<int32_t>(rows[0] - diagonals.lane(rows[0]));
  int64_t found = 1;
  size_t i = 1;
  for (; i + hn::Lanes(di) <= rows.size(); i += hn::Lanes(di)) {
    const auto first = first_of(hn::LoadU(di, rows.data() + i));
    const auto before = first_of(hn::LoadU(di, rows.data() + i - 1));
    const auto fresh = hn::Ne(first, before);
    hn::StoreU(hn::Compress(first, fresh), di, firsts + found);
    found += static_cast<int64_t>(hn::CountTrue(di, fresh));
  }
  for (; i < rows.size(); ++i) {
    const auto first = static_cast<int32_t>(rows[i] - diagonals.lane(rows[i]));
    if (first != firsts[found - 1]) firsts[found++] = first;
  }
  return found;
}

/// Reads the sums of these rows from the ring, where add_groups left them.
void gather(const HistoryStep& step, std::span<const int32_t> rows, float* sums) {
  const FloatTag d;
  const IntTag di;
  const Diagonals diagonals(step.rows, step.time);
  const float* slot = step.ring + step.oldest_slot() * Diagonals::kLanes;
  size_t i = 0;
  if (diagonals.count() * step.slots <= INT32_MAX) {
    const auto lanes = hn::Set(di, Diagonals::kLanes - 1);
    const auto shift = hn::Set(di, static_cast<int32_t>(diagonals.diagonal(0)));
    const auto all = hn::Set(di, static_cast<int32_t>(diagonals.count()));
    const auto last = hn::Set(di, static_cast<int32_t>(diagonals.count() - 1));
    const auto slots = hn::Set(di, static_cast<int32_t>(step.slots));
    for (; i + hn::Lanes(di) <= rows.size(); i += hn::Lanes(di)) {
      auto diagonal = hn::Add(hn::LoadU(di, rows.data() + i), shift);
      diagonal = hn::Sub(diagonal, hn::IfThenElseZero(hn::Gt(diagonal, last), all));
      const auto lane = hn::And(diagonal, lanes);
      const auto offset = hn::Add(hn::Mul(hn::Sub(diagonal, lane), slots), lane);
      hn::StoreU(hn::GatherIndex(d, slot, offset), d, sums + i);
    }
  }
  for (; i < rows.size(); ++i) {
    const int64_t diagonal = diagonals.diagonal(rows[i]), lane = diagonal % Diagonals::kLanes;
    sums[i] = slot[(diagonal - lane) * step.slots + lane];
  }
}

void sums_of_some(const HistoryStep& step, std::span<const int32_t> rows, int32_t* firsts,
                  float* sums) {
  const int64_t groups = groups_of(rows, step, firsts);
  StepSums step_sums(step);
  int64_t group = 0;
  for (; group + kAtOnce <= groups; group += kAtOnce)
    step_sums.add_groups<kAtOnce>(firsts + group, nullptr);
  for (; group < groups; ++group) step_sums.add_groups<1>(firsts + group, nullptr);
  gather(step, rows, sums);
}

void sums_of_each(const HistoryStep& step, float* sums) {
  StepSums step_sums(step);
  // Groups reach into the margins at both ends.
  auto first = static_cast<int32_t>(Diagonals(step.rows, step.time).lowest());
  for (; first + (kAtOnce - 1) * Diagonals::kLanes < step.rows;
       first += kAtOnce * Diagonals::kLanes) {
    int32_t firsts[kAtOnce];
    for (int32_t g = 0; g < kAtOnce; ++g) firsts[g] = first + g * int32_t{Diagonals::kLanes};
    step_sums.add_groups<kAtOnce>(firsts, sums);
  }
  for (; first < step.rows; first += Diagonals::kLanes) step_sums.add_groups<1>(&first, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace darp::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace darp::kernels {

HWY_EXPORT(store_step);
HWY_EXPORT(sums_of_some);
HWY_EXPORT(sums_of_each);

DistanceHistory::DistanceHistory(int64_t rows, int64_t slots, std::span<const int64_t> episode_ends,
                                 int64_t most_rows)
    : storage_(
          Matrix::zeros(slots > 0 ? Diagonals::groups_for(rows) : 0, slots * Diagonals::kLanes)),
      firsts_(most_rows + kMargin),
      rows_(rows),
      slots_(slots),
      episode_ends_(episode_ends) {}

void DistanceHistory::store(const DistanceRow& distances, int64_t time) {
  if (slots_ == 0) return;
  HWY_DYNAMIC_DISPATCH(store_step)
  (distances.data(), rows_, time, slots_, storage_.mutable_view().data());
  summed_time_ = -1;
}

void DistanceHistory::sums(const DistanceRow& now, int64_t time, const HistoryWeights& weights,
                           std::span<const int32_t> rows, std::span<float> sums) {
  DARP_CHECK(rows.size() + kMargin <= firsts_.size(), "{} rows of {}", rows.size(), firsts_.size());
  if (slots_ == 0) {
    for (size_t i = 0; i < rows.size(); ++i) sums[i] = weights.weight[0] * now.data()[rows[i]];
    return;
  }
  DARP_CHECK(std::exchange(summed_time_, time) != time, "sums of step {} twice", time);
  HWY_DYNAMIC_DISPATCH(sums_of_some)(step(now, time, weights), rows, firsts_.data(), sums.data());
}

void DistanceHistory::sums_of_all(const DistanceRow& now, int64_t time,
                                  const HistoryWeights& weights, DistanceRow& sums) {
  HWY_DYNAMIC_DISPATCH(sums_of_each)(step(now, time, weights), sums.data());
}

HistoryStep DistanceHistory::step(const DistanceRow& now, int64_t time,
                                  const HistoryWeights& weights) {
  return {now.data(), storage_.mutable_view().data(), rows_, time, slots_, weights, episode_ends_};
}

}  // namespace darp::kernels
#endif  // HWY_ONCE
