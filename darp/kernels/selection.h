#pragma once
// The k smallest of many distances, ties by index: exact, deterministic, without allocation.

#include <cstdint>
#include <span>
#include <vector>

namespace darp::kernels {

/// What may not be selected.
struct Skip {
  int64_t begin = 0, end = 0;  // indices [begin, end)
  bool zeros = false;          // values that are exactly 0
};

/// Selects, and holds what it selected until the next call. One per thread.
class Selector {
 public:
  /// @param most  the largest k that will be asked for
  /// @param count the largest number of values that will be selected from
  Selector(int64_t most, int64_t count);

  /// Takes the k smallest of values[0, count) by (value, index); none is NaN or negative, infinite
  /// ones are never taken. The selection is in the order of indices. Returns its size, which is
  /// less than k when fewer values may be selected.
  int64_t select(const float* values, int64_t count, int64_t k, const Skip& skip);

  /// A selection of one's own: clear, then append in the order of indices; at most `most`.
  void clear() { size_ = 0; }
  void append(float value, int32_t index);

  /// Puts the selection into the order of (value, index).
  void sort();

  std::span<const float> values() const { return {values_.data(), size_}; }
  std::span<const int32_t> indices() const { return {indices_.data(), size_}; }
  std::span<float> mutable_values() { return {values_.data(), size_}; }

  /// Memory held.
  size_t bytes() const;

  /// Keeps only the k smallest of the selection by (value, index), in the order of indices.
  void keep_smallest(int64_t k);
  /// Keeps only the first of the selection, as it is ordered now, and every stride-th after it.
  void keep_every(int64_t stride);

 private:
  struct Segments;
  bool try_estimate(const Segments& segments, int64_t k, bool zeros);

  int64_t most_, largest_count_;
  size_t size_ = 0;
  std::vector<float> values_, sample_;
  std::vector<int32_t> indices_;
  std::vector<uint64_t> keys_;
  std::vector<uint32_t> items_;
};

}  // namespace darp::kernels
