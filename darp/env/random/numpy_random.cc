#include "darp/env/random/numpy_random.h"

#include <cmath>
#include <string>

#include "darp/core/error.h"
#include "darp/env/random/sha512.h"

namespace darp {
namespace {

constexpr size_t kTwisterSize = 624, kTwisterShift = 397;

}  // namespace

NumpyRandom NumpyRandom::from_seed(uint32_t seed) {
  NumpyRandom random;
  for (uint32_t i = 0; i < kTwisterSize; ++i) {
    random.state_[i] = seed;
    seed = 1812433253u * (seed ^ seed >> 30) + i + 1;
  }
  return random;
}

NumpyRandom NumpyRandom::from_key(std::span<const uint32_t> key) {
  DARP_CHECK(!key.empty(), "a key of no numbers");
  NumpyRandom random = from_seed(19650218u);
  auto& state = random.state_;
  uint32_t i = 1, j = 0;
  const auto next_place = [&] {
    if (++i >= kTwisterSize) state[0] = state[kTwisterSize - 1], i = 1;
  };
  for (size_t n = std::max(kTwisterSize, key.size()); n > 0; --n) {
    state[i] = (state[i] ^ (state[i - 1] ^ state[i - 1] >> 30) * 1664525u) + key[j] + j;
    next_place();
    j = (j + 1) % static_cast<uint32_t>(key.size());
  }
  for (size_t n = kTwisterSize - 1; n > 0; --n) {
    state[i] = (state[i] ^ (state[i - 1] ^ state[i - 1] >> 30) * 1566083941u) - i;
    next_place();
  }
  state[0] = 0x80000000u;
  return random;
}

NumpyRandom NumpyRandom::from_gym_seed(uint64_t seed) {
  return from_key(gym_key(seed));
}

void NumpyRandom::twist() {
  for (size_t i = 0; i < kTwisterSize; ++i) {
    const uint32_t y = (state_[i] & 0x80000000u) | (state_[(i + 1) % kTwisterSize] & 0x7FFFFFFFu);
    state_[i] = state_[(i + kTwisterShift) % kTwisterSize] ^ y >> 1 ^ ((y & 1) ? 0x9908B0DFu : 0u);
  }
  position_ = 0;
}

uint32_t NumpyRandom::next_u32() {
  if (position_ == static_cast<int>(kTwisterSize)) twist();
  uint32_t y = state_[static_cast<size_t>(position_++)];
  y ^= y >> 11;
  y ^= y << 7 & 0x9D2C5680u;
  y ^= y << 15 & 0xEFC60000u;
  return y ^ y >> 18;
}

double NumpyRandom::uniform() {
  const uint32_t high = next_u32() >> 5, low = next_u32() >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

double NumpyRandom::normal() {
  if (has_normal_) {
    has_normal_ = false;
    return next_normal_;
  }
  double x1, x2, squared;
  do {
    x1 = 2.0 * uniform() - 1.0;
    x2 = 2.0 * uniform() - 1.0;
    squared = x1 * x1 + x2 * x2;
  } while (squared >= 1.0 || squared == 0.0);
  const double f = std::sqrt(-2.0 * std::log(squared) / squared);
  next_normal_ = f * x1;
  has_normal_ = true;
  return f * x2;
}

uint32_t NumpyRandom::integer(uint32_t most) {
  if (most == 0) return 0;
  const uint32_t mask = ~0u >> __builtin_clz(most);
  uint32_t value;
  do value = next_u32() & mask;
  while (value > most);
  return value;
}

std::vector<uint32_t> gym_key(uint64_t seed) {
  const auto digest = sha512(as_byte_span(std::to_string(seed)));
  std::vector<uint32_t> key;
  for (size_t word = 0; word < 2; ++word) {
    uint32_t value = 0;
    for (size_t i = 4; i-- > 0;) value = value << 8 | digest[4 * word + i];
    key.push_back(value);
  }
  while (key.size() > 1 && key.back() == 0) key.pop_back();
  return key;
}

}  // namespace darp
