#include "darp/kernels/selection.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "darp/core/error.h"
#include "darp/kernels/selection_scan.h"

namespace darp::kernels {
namespace {

constexpr int64_t kVector = 16;
constexpr int64_t kFew = 16;  // so few values are ranked one by one
constexpr float kBelowZero = -1;
constexpr int32_t kSteps = 1 << 16;
constexpr int64_t kDirect = 4096;  // up to here counting all values is cheaper than sampling
constexpr int64_t kLeastSample = 1024, kMostSample = 16384, kSampleStep = 64;

float from_bits(uint32_t bits) {
  return std::bit_cast<float>(bits);
}
uint32_t to_bits(float value) {
  return std::bit_cast<uint32_t>(value);
}

}  // namespace

/// Up to two stretches of the values, around what is skipped.
struct Selector::Segments {
  Segment segment[2];
  int size = 0;

  void add(const float* values, const int32_t* indices, int64_t first, int64_t count) {
    if (count > 0) segment[size++] = {values, indices, static_cast<int32_t>(first), count};
  }
  std::span<const Segment> all() const { return {segment, static_cast<size_t>(size)}; }

  int64_t count() const {
    int64_t sum = 0;
    for (const Segment& s : all()) sum += s.count;
    return sum;
  }
  int64_t count_at_most(float limit) const {
    int64_t sum = 0;
    for (const Segment& s : all()) sum += kernels::count_at_most(s.values, s.count, limit);
    return sum;
  }
  int64_t gather_between(float above, float limit, int64_t most, float* out_values,
                         int32_t* out_indices) const {
    int64_t found = 0;
    for (const Segment& s : all()) {
      if (found > most) return found;
      found += kernels::gather_between(s, above, limit, most - found, out_values + found,
                                       out_indices + found);
    }
    return found;
  }

  FiniteRange finite_range() const {
    FiniteRange all{std::numeric_limits<float>::infinity(), 0, 0};
    for (const Segment& s : this->all()) {
      const FiniteRange one = kernels::finite_range(s.values, s.count);
      all = {std::min(all.least, one.least), std::max(all.most, one.most), all.count + one.count};
    }
    return all;
  }

  /// The value of rank `rank` (1 is the smallest); at least so many are finite. Narrows an interval
  /// of values, as bit patterns, which order like the numbers, until few are left in it: by turns
  /// where a straight line through the counts at its ends says and in the middle, so that never
  /// more than twice 31 passes are needed, and about seven are.
  float value_of_rank(int64_t rank) const {
    const FiniteRange range = finite_range();
    int64_t below = range.least > 0 ? 0 : count_at_most(0);
    if (rank <= below) return 0;
    // The values inside are above `low` and at most `high`.
    uint32_t low = range.least > 0 ? to_bits(range.least) - 1 : 0, high = to_bits(range.most);
    int64_t inside = range.count - below;
    for (bool straight = true; high - low > 1 && inside > kFew; straight = !straight) {
      uint32_t middle = low + (high - low) / 2;
      if (straight) {
        const float part = (static_cast<float>(rank - below) - 0.5f) / static_cast<float>(inside);
        const float guess = from_bits(low) + (from_bits(high) - from_bits(low)) * part;
        middle = std::clamp(to_bits(guess), low + 1, high - 1);
      }
      const int64_t at_most = count_at_most(from_bits(middle));
      if (at_most >= rank) {
        high = middle;
        inside = at_most - below;
      } else {
        low = middle;
        inside -= at_most - below;
        below = at_most;
      }
    }
    return inside > kFew ? from_bits(high) : value_of_rank_between(low, high, rank - below);
  }

  /// The value of rank `rank` among the few above `low` and at most `high`.
  float value_of_rank_between(uint32_t low, uint32_t high, int64_t rank) const {
    float few[kFew + kVector];
    int32_t unused[kFew + kVector];
    const int64_t count = gather_between(from_bits(low), from_bits(high), kFew, few, unused);
    // Without branches: each value's rank is how many are smaller.
    float found = 0;
    for (int64_t i = 0; i < count; ++i) {
      int64_t smaller = 0, same = 0;
      for (int64_t j = 0; j < count; ++j) {
        smaller += few[j] < few[i] ? 1 : 0;
        same += few[j] == few[i] ? 1 : 0;
      }
      found = smaller < rank && rank <= smaller + same ? few[i] : found;
    }
    return found;
  }

  /// Cuts what follows the `allowed`-th value that equals `limit` into a segment of its own, where
  /// only values below `limit` count. Returns the two parts.
  std::pair<Segments, Segments> cut_after(float limit, int64_t allowed) const {
    Segments before, after;
    for (const Segment& s : all()) {
      int64_t i = 0;
      for (; i < s.count && allowed > 0; ++i) allowed -= s.values[i] == limit ? 1 : 0;
      const int32_t* rest = s.indices != nullptr ? s.indices + i : nullptr;
      before.add(s.values, s.indices, s.first, i);
      after.add(s.values + i, rest, s.first + i, s.count - i);
    }
    return {before, after};
  }

  /// The `k` smallest, of those above `above`, in the order of indices; there are at least k.
  void take(int64_t k, float above, float* out_values, int32_t* out_indices) const {
    const int64_t skipped = above < 0 ? 0 : count_at_most(above);
    const float limit = value_of_rank(k + skipped);
    const int64_t surplus = count_at_most(limit) - skipped - k;
    if (surplus == 0) {
      gather_between(above, limit, k, out_values, out_indices);
      return;
    }
    const float below = std::nextafter(limit, kBelowZero);
    const int64_t smaller = count_at_most(below) - skipped;
    const auto [before, after] = cut_after(limit, k - smaller);
    const int64_t found = before.gather_between(above, limit, k, out_values, out_indices);
    after.gather_between(above, below, k - found, out_values + found, out_indices + found);
  }
};

namespace {

/// How many of so many values are looked at to guess a limit.
int64_t sample_size(int64_t count) {
  return count > kDirect ? std::clamp(count / kSampleStep, kLeastSample, kMostSample) : 0;
}

}  // namespace

// A guessed limit lets more than k values through, by a factor of up to about four.
Selector::Selector(int64_t most, int64_t count)
    : most_(most),
      largest_count_(count),
      values_((count > kDirect ? 4 * most + kDirect : most) + 2 * kVector),
      sample_(2 * sample_size(count)),
      indices_(values_.size()),
      keys_(most),
      items_(2 * most) {
  DARP_CHECK(most >= 1 && count >= 0, "room for {} of {} values", most, count);
}

/// Reads a sample, guesses a limit that a few more than k values do not exceed, and gathers those.
/// False if the guess was wrong.
bool Selector::try_estimate(const Segments& segments, int64_t k, bool zeros) {
  const int64_t count = segments.count();
  const int64_t step = count / sample_size(count);
  int64_t taken = 0;
  for (const Segment& s : segments.all())
    for (int64_t i = step / 2; i < s.count && taken < static_cast<int64_t>(sample_.size());
         i += step)
      sample_[taken++] = s.values[i];
  // The sample's rank of the k-th value spreads by sqrt(expected): four times that is safe.
  const double expected =
      static_cast<double>(taken) * static_cast<double>(k) / static_cast<double>(count);
  const auto rank = static_cast<int64_t>(expected + 4 * std::sqrt(expected)) + 4;
  Segments sample;
  sample.add(sample_.data(), nullptr, 0, taken);
  if (rank > sample.count_at_most(std::numeric_limits<float>::max())) return false;
  const float above = zeros ? 0 : kBelowZero, limit = sample.value_of_rank(rank);
  const auto room = static_cast<int64_t>(values_.size()) - kVector;
  const int64_t found =
      segments.gather_between(above, limit, room, values_.data(), indices_.data());
  if (found < k || found > room) return false;
  size_ = static_cast<size_t>(found);
  keep_smallest(k);
  return true;
}

int64_t Selector::select(const float* values, int64_t count, int64_t k, const Skip& skip) {
  DARP_CHECK(k >= 1 && k <= most_ && count <= largest_count_, "{} of {}, not {} of {}", k, count,
             most_, largest_count_);
  Segments segments;
  const int64_t first = std::clamp<int64_t>(skip.begin, 0, count);
  const int64_t second = std::clamp(skip.end, first, count);
  segments.add(values, nullptr, 0, first);
  segments.add(values + second, nullptr, second, count - second);
  size_ = 0;
  if (segments.count() > kDirect && try_estimate(segments, k, skip.zeros)) return k;
  const float above = skip.zeros ? 0 : kBelowZero;
  const int64_t usable = segments.count_at_most(std::numeric_limits<float>::max()) -
                         (skip.zeros ? segments.count_at_most(0) : 0);
  size_ = static_cast<size_t>(std::min(k, usable));
  if (size_ > 0) segments.take(static_cast<int64_t>(size_), above, values_.data(), indices_.data());
  return static_cast<int64_t>(size_);
}

void Selector::append(float value, int32_t index) {
  DARP_CHECK(static_cast<int64_t>(size_) < most_, "room for {} values", most_);
  values_[size_] = value;
  indices_[size_++] = index;
}

size_t Selector::bytes() const {
  return (values_.size() + sample_.size()) * sizeof(float) + indices_.size() * sizeof(int32_t) +
         keys_.size() * sizeof(uint64_t) + items_.size() * sizeof(uint32_t);
}

void Selector::keep_smallest(int64_t k) {
  if (static_cast<int64_t>(size_) <= k) return;
  Segments segments;
  segments.add(values_.data(), indices_.data(), 0, static_cast<int64_t>(size_));
  segments.take(k, kBelowZero, values_.data(), indices_.data());
  size_ = static_cast<size_t>(k);
}

void Selector::keep_every(int64_t stride) {
  if (stride == 1) return;
  size_t kept = 0;
  for (size_t i = 0; i < size_; i += static_cast<size_t>(stride), ++kept) {
    values_[kept] = values_[i];
    indices_[kept] = indices_[i];
  }
  size_ = kept;
}

namespace {

/// Sorts items by their upper 16 bits, stable: two passes of counting, without a branch that
/// depends on the data.
void sort_by_upper_half(std::span<uint32_t> items, std::span<uint32_t> spare) {
  std::array<uint32_t, 256> low{}, high{};
  for (const uint32_t item : items) ++low[item >> 16 & 0xff], ++high[item >> 24];
  uint32_t low_start = 0, high_start = 0;
  for (size_t digit = 0; digit < 256; ++digit) {
    low_start += std::exchange(low[digit], low_start);
    high_start += std::exchange(high[digit], high_start);
  }
  for (const uint32_t item : items) spare[low[item >> 16 & 0xff]++] = item;
  for (const uint32_t item : spare) items[high[item >> 24]++] = item;
}

}  // namespace

/// Sorts roughly, by the place within the range of values in 65,536 steps, then by insertion, which
/// has little left to do unless most values pile up in few of the steps.
void Selector::sort() {
  if (size_ < 2) return;
  const std::span<uint64_t> keys(keys_.data(), size_);
  int32_t least = INT32_MAX, most = 0;  // bit patterns order like the numbers
  for (const float value : values()) {
    least = std::min(least, std::bit_cast<int32_t>(value));
    most = std::max(most, std::bit_cast<int32_t>(value));
  }
  const float low = std::bit_cast<float>(least), range = std::bit_cast<float>(most) - low;
  const auto key_of = [&](size_t i) {
    return uint64_t{to_bits(values_[i])} << 32 | static_cast<uint32_t>(indices_[i]);
  };
  if (size_ <= kSteps && range > 0) {
    const float scale = static_cast<float>(kSteps - 1) / range;
    for (size_t i = 0; i < size_; ++i) {
      const auto step = static_cast<int32_t>((values_[i] - low) * scale);
      items_[i] =
          static_cast<uint32_t>(std::min(step, kSteps - 1)) << 16 | static_cast<uint32_t>(i);
    }
    sort_by_upper_half({items_.data(), size_}, {items_.data() + most_, size_});
    for (size_t i = 0; i < size_; ++i) keys[i] = key_of(items_[i] & 0xffff);
  } else {
    for (size_t i = 0; i < size_; ++i) keys[i] = key_of(i);
  }
  size_t moves = 0;
  const size_t patience = 8 * size_;
  for (size_t i = 1; i < size_ && moves <= patience; ++i) {
    const uint64_t key = keys[i];
    size_t j = i;
    for (; j > 0 && keys[j - 1] > key; --j, ++moves) keys[j] = keys[j - 1];
    keys[j] = key;
  }
  if (moves > patience) std::sort(keys.begin(), keys.end());
  for (size_t i = 0; i < size_; ++i) {
    values_[i] = from_bits(static_cast<uint32_t>(keys[i] >> 32));
    indices_[i] = static_cast<int32_t>(keys[i] & 0xffffffff);
  }
}

}  // namespace darp::kernels
