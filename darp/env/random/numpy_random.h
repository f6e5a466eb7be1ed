#pragma once
// numpy's legacy random numbers (RandomState, MT19937) to the bit: the seeds of the literature then
// mean the initial states of the literature.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace darp {

class NumpyRandom {
 public:
  /// As numpy.random.RandomState(seed); the low 32 bits count.
  static NumpyRandom from_seed(uint32_t seed);
  /// As RandomState with a list of numbers.
  static NumpyRandom from_key(std::span<const uint32_t> key);
  /// As gym 0.19 seeds its environments: a list hashed from the seed's decimal digits.
  static NumpyRandom from_gym_seed(uint64_t seed);

  uint32_t next_u32();
  /// [0, 1), 53 bits.
  double uniform();
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Standard normal, the polar method; every second one is kept for the next call.
  double normal();
  /// 0 ... most, both included, by masks and rejection (randint, choice).
  uint32_t integer(uint32_t most);

 private:
  NumpyRandom() = default;
  void twist();

  std::array<uint32_t, 624> state_{};
  int position_ = 624;
  bool has_normal_ = false;
  double next_normal_ = 0;
};

/// What gym makes of a seed: the first eight bytes of SHA-512 of its decimal digits as
/// little-endian 32-bit numbers, high zeros dropped.
std::vector<uint32_t> gym_key(uint64_t seed);

}  // namespace darp
