#pragma once
// Random numbers without ambient state: a generator is a value (seed, stream, position) that is
// passed as an argument. Philox 4x32-10 (Salmon et al., 2011): counter-based, so streams split
// without overlap and any platform gives the same numbers. The standard library's distributions
// differ between implementations, hence our own.

#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace darp {

class Rng {
 public:
  explicit Rng(uint64_t seed, uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  /// A generator independent of this one and of every other index; this one does not move.
  Rng split(uint64_t index) const;

  uint32_t next_u32();
  uint64_t next_u64() { return next_u32() | uint64_t{next_u32()} << 32; }
  /// Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next_u64() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform in [0, bound), without bias; bound > 0.
  uint64_t below(uint64_t bound);
  /// Standard normal.
  double normal();

  template <class T>
  void shuffle(std::span<T> items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

  /// One Philox block, exposed for its published test vectors.
  static std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                                        std::array<uint32_t, 2> key);

 private:
  uint64_t seed_, stream_;
  uint64_t block_ = 0;
  std::array<uint32_t, 4> buffer_{};
  unsigned left_ = 0;
};

}  // namespace darp
