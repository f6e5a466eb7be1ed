#include "darp/retrieval/hnsw_search.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "darp/kernels/row_distance.h"

namespace darp {
namespace {

// A candidate is one number that sorts by distance, then node; its last bit says that it was
// expanded. Distances are not negative, so their bits sort as they do.

uint64_t candidate(float distance, int32_t node) {
  return uint64_t{std::bit_cast<uint32_t>(distance)} << 32 | static_cast<uint64_t>(node) << 1;
}

int32_t node_of(uint64_t candidate) {
  return static_cast<int32_t>(static_cast<uint32_t>(candidate) >> 1);
}

/// How many of the sorted `numbers` are less than `bound`; without branches to mispredict.
int64_t count_below(std::span<const uint64_t> numbers, uint64_t bound) {
  const uint64_t* begin = numbers.data();
  for (size_t left = numbers.size(); left > 0;) {
    const size_t half = (left + 1) / 2;
    begin += half & -static_cast<size_t>(begin[half - 1] < bound);
    left -= half;
  }
  return begin - numbers.data();
}

/// Starts to load up to 4 cache lines; what follows them the CPU guesses by itself.
template <class T>
void prefetch(const T* begin, int64_t count) {
  constexpr int64_t kLine = 64 / sizeof(T);
  for (int64_t i = 0; i < std::min(count, 4 * kLine); i += kLine) __builtin_prefetch(begin + i);
}

/// Nodes expanded in one step of the walk: their links and what these lead to load side by side.
constexpr int64_t kBeam = 8;

/// Effort in the layers above the lowest: one candidate alone would get stuck in the wrong place
/// now and then.
constexpr int64_t kUpperEffort = 8;

}  // namespace

HnswSearch::HnswSearch(const HnswIndex& index, int64_t largest_effort)
    : index_(index),
      largest_effort_(std::clamp(largest_effort, int64_t{0}, index.rows())),
      query_(index.rows_.cols()),
      visited_((index.rows() + 63) / 64),
      batch_(std::max(kBeam * index.most_links_, kUpperEffort)),
      pool_(std::max(largest_effort_, kUpperEffort) + batch_.size()),
      beam_(kBeam),
      fresh_(batch_.size() + 1),
      rows_(fresh_.size()),
      distances_(fresh_.size()),
      result_(largest_effort_) {}

std::span<const int32_t> HnswSearch::nearest(const float* query, int64_t count,
                                             int64_t effort) noexcept {
  count = std::clamp(count, int64_t{0}, largest_effort_);
  if (count == 0) return {};
  std::copy_n(query, index_.cols(), query_.begin());

  // The lowest layer alone starts at row 0, which has links even if it has twins. Otherwise each
  // layer starts where the one above it ended.
  const bool single = index_.layers_.size() == 1;
  fresh_size_ = single ? 1 : std::min(index_.layers_.back().nodes(), kUpperEffort);
  std::iota(fresh_.begin(), fresh_.begin() + fresh_size_, 0);
  for (size_t level = index_.layers_.size(); level-- > 1;) {
    const HnswLayer& layer = index_.layers_[level];
    walk(layer, kUpperEffort);
    for (int64_t i = 0; i < pool_size_; ++i) fresh_[i] = layer.below[node_of(pool_[i])];
    fresh_size_ = pool_size_;
  }
  walk(index_.layers_[0], std::clamp(effort, count, largest_effort_));
  return collect(count);
}

/// The rows of the nearest candidates, with their twins.
std::span<const int32_t> HnswSearch::collect(int64_t count) noexcept {
  int64_t found = 0;
  for (int64_t i = 0; i < pool_size_ && found < count; ++i) {
    int32_t row = node_of(pool_[i]);
    result_[found++] = row;
    while (found < count && !index_.twins_.empty() && (row = index_.twins_[row]) >= 0)
      result_[found++] = row;
  }
  std::sort(result_.begin(), result_.begin() + found);
  return {result_.data(), static_cast<size_t>(found)};
}

/// From the nodes in fresh_ on, expands the nearest candidates until all `effort` nearest are.
void HnswSearch::walk(const HnswLayer& layer, int64_t effort) noexcept {
  std::fill_n(visited_.begin(), (layer.nodes() + 63) / 64, 0);
  for (int64_t i = 0; i < fresh_size_; ++i)
    visited_[fresh_[i] >> 6] |= uint64_t{1} << (fresh_[i] & 63);
  pool_size_ = 0;
  int64_t next = 0;  // all before it are expanded
  do {
    measure(layer);
    next = take_beam(layer, std::min(next, merge(effort)));
    fresh_size_ = 0;
    for (int64_t i = 0; i < beam_size_; ++i) gather(layer.links_of(beam_[i]));
  } while (beam_size_ > 0);
}

/// Distances of fresh_.
void HnswSearch::measure(const HnswLayer& layer) noexcept {
  const MatrixView rows = index_.rows_;
  const int32_t* which = fresh_.data();
  if (!layer.rows.empty()) {
    for (int64_t i = 0; i < fresh_size_; ++i) rows_[i] = layer.rows[fresh_[i]];
    which = rows_.data();
  }
  for (int64_t i = 0; i < fresh_size_; ++i)
    prefetch(rows.data() + which[i] * rows.stride(), rows.cols());
  kernels::squared_distances(query_.data(), rows, {which, static_cast<size_t>(fresh_size_)},
                             index_.periods_, distances_.data());
}

/// Merges fresh_ into the pool and returns the place of the nearest that is new.
int64_t HnswSearch::merge(int64_t effort) noexcept {
  const uint64_t bound = pool_size_ < effort ? ~uint64_t{0} : pool_[pool_size_ - 1];
  int64_t added = 0;
  for (int64_t i = 0; i < fresh_size_; ++i) {
    batch_[added] = candidate(distances_[i], fresh_[i]);
    added += batch_[added] < bound;
  }
  std::sort(batch_.begin(), batch_.begin() + added);

  // From the farthest down, each shifts the part of the pool behind it to its final place.
  int64_t end = pool_size_;
  pool_size_ = std::min(pool_size_ + added, effort);
  for (int64_t i = added; i-- > 0;) {
    const int64_t at = count_below({pool_.data(), static_cast<size_t>(end)}, batch_[i]);
    std::copy_backward(pool_.begin() + at, pool_.begin() + end, pool_.begin() + end + i + 1);
    pool_[at + i] = batch_[i];
    end = at;
  }
  return end;
}

/// Marks the nearest candidates from `next` on as expanded and puts them into beam_. Returns the
/// place behind the last.
int64_t HnswSearch::take_beam(const HnswLayer& layer, int64_t next) noexcept {
  for (beam_size_ = 0; next < pool_size_ && beam_size_ < kBeam; ++next) {
    if (pool_[next] & 1) continue;
    pool_[next] |= 1;
    beam_[beam_size_++] = node_of(pool_[next]);
  }
  for (int64_t i = 0; i < beam_size_; ++i) {
    const auto links = layer.links_of(beam_[i]);
    prefetch(links.data(), static_cast<int64_t>(links.size()));
  }
  return next;
}

/// Appends what was not visited yet to fresh_; without branches to mispredict.
void HnswSearch::gather(std::span<const int32_t> links) noexcept {
  for (const int32_t link : links) {
    const uint64_t before = visited_[link >> 6];
    visited_[link >> 6] = before | uint64_t{1} << (link & 63);
    fresh_[fresh_size_] = link;
    fresh_size_ += static_cast<int64_t>(~before >> (link & 63) & 1);
  }
}

}  // namespace darp
