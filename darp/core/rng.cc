#include "darp/core/rng.h"

#include <cmath>
#include <numbers>

#include "darp/core/error.h"

namespace darp {

std::array<uint32_t, 4> Rng::philox(std::array<uint32_t, 4> c, std::array<uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53u} * c[0], b = uint64_t{0xCD9E8D57u} * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(a)};
    k = {k[0] + 0x9E3779B9u, k[1] + 0xBB67AE85u};
  }
  return c;
}

Rng Rng::split(uint64_t index) const {
  // The child's stream is a Philox image of (parent's stream, index) under a key that no draw uses.
  const auto word = [](uint64_t x, int i) { return static_cast<uint32_t>(x >> (32 * i)); };
  const auto mixed = philox({word(stream_, 0), word(stream_, 1), word(index, 0), word(index, 1)},
                            {word(seed_, 0) ^ 0x5EED0001u, word(seed_, 1) ^ 0x5EED0002u});
  return Rng(seed_ ^ (mixed[2] | uint64_t{mixed[3]} << 32), mixed[0] | uint64_t{mixed[1]} << 32);
}

uint32_t Rng::next_u32() {
  if (left_ == 0) {
    const auto word = [](uint64_t x, int i) { return static_cast<uint32_t>(x >> (32 * i)); };
    buffer_ = philox({word(block_, 0), word(block_, 1), word(stream_, 0), word(stream_, 1)},
                     {word(seed_, 0), word(seed_, 1)});
    ++block_;
    left_ = 4;
  }
  return buffer_[4 - left_--];
}

uint64_t Rng::below(uint64_t bound) {
  DARP_CHECK(bound > 0, "a number below 0");
  // Reject the incomplete last interval: (2^64 mod bound) values at the bottom.
  const uint64_t reject = (0 - bound) % bound;
  uint64_t draw;
  do draw = next_u64();
  while (draw < reject);
  return draw % bound;
}

double Rng::normal() {
  // Box-Muller; 1 - u keeps the logarithm's argument above zero. The second value is not kept: one
  // call, one state.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace darp
