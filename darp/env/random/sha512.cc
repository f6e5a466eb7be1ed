#include "darp/env/random/sha512.h"

#include <bit>

namespace darp {
namespace {

using Words = std::array<uint64_t, 8>;

/// First 64 bits behind the point of a root of p: floor(p^(1/n) * 2^64) mod 2^64, found bit by bit
/// in exact integers, so that no table has to be typed.
uint64_t root_fraction(uint64_t p, int n) {
  // The whole part is small; 64 fraction bits follow one at a time by comparing powers.
  uint64_t whole = 1;
  while ((n == 2 ? (whole + 1) * (whole + 1) : (whole + 1) * (whole + 1) * (whole + 1)) <= p)
    ++whole;
  // x = whole * 2^64 + fraction has up to 69 bits: powers are kept as base-2^32 digits.
  const auto power_at_most = [&](uint64_t fraction) {
    std::array<uint32_t, 3> x = {static_cast<uint32_t>(fraction),
                                 static_cast<uint32_t>(fraction >> 32),
                                 static_cast<uint32_t>(whole)};
    std::array<uint32_t, 12> product{1};
    for (int round = 0; round < n; ++round) {
      std::array<uint32_t, 12> next{};
      for (size_t i = 0; i < 12; ++i) {
        uint64_t carry = 0;
        for (size_t j = 0; j < 3 && i + j < 12; ++j) {
          const uint64_t sum = uint64_t{product[i]} * x[j] + next[i + j] + carry;
          next[i + j] = static_cast<uint32_t>(sum);
          carry = sum >> 32;
        }
        for (size_t k = i + 3; k < 12 && carry != 0; ++k) {
          const uint64_t sum = uint64_t{next[k]} + carry;
          next[k] = static_cast<uint32_t>(sum);
          carry = sum >> 32;
        }
      }
      product = next;
    }
    // p * 2^(64 n) has the digit p at place 2n; the power is at most that.
    for (size_t place = 11; place > static_cast<size_t>(2 * n); --place)
      if (product[place] != 0) return false;
    if (product[static_cast<size_t>(2 * n)] != p) return product[static_cast<size_t>(2 * n)] < p;
    for (size_t place = 0; place < static_cast<size_t>(2 * n); ++place)
      if (product[place] != 0) return false;
    return true;
  };
  uint64_t fraction = 0;
  for (int bit = 63; bit >= 0; --bit)
    if (power_at_most(fraction | uint64_t{1} << bit)) fraction |= uint64_t{1} << bit;
  return fraction;
}

struct Constants {
  Words start;
  std::array<uint64_t, 80> rounds;
};

/// Of the first 80 primes: square roots of the first eight, cube roots of all.
Constants sha_constants() {
  Constants c;
  size_t found = 0;
  for (uint64_t n = 2; found < 80; ++n) {
    bool prime = true;
    for (uint64_t d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
    if (!prime) continue;
    if (found < 8) c.start[found] = root_fraction(n, 2);
    c.rounds[found++] = root_fraction(n, 3);
  }
  return c;
}

uint64_t big_endian(const uint8_t* bytes) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | bytes[i];
  return value;
}

void add_block(const Constants& constants, const uint8_t* block, Words& hash) {
  std::array<uint64_t, 80> w;
  for (size_t i = 0; i < 16; ++i) w[i] = big_endian(block + 8 * i);
  for (size_t i = 16; i < 80; ++i) {
    const uint64_t s0 = std::rotr(w[i - 15], 1) ^ std::rotr(w[i - 15], 8) ^ w[i - 15] >> 7;
    const uint64_t s1 = std::rotr(w[i - 2], 19) ^ std::rotr(w[i - 2], 61) ^ w[i - 2] >> 6;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (size_t i = 0; i < 80; ++i) {
    const uint64_t s1 = std::rotr(e, 14) ^ std::rotr(e, 18) ^ std::rotr(e, 41);
    const uint64_t t1 = h + s1 + ((e & f) ^ (~e & g)) + constants.rounds[i] + w[i];
    const uint64_t s0 = std::rotr(a, 28) ^ std::rotr(a, 34) ^ std::rotr(a, 39);
    const uint64_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const Words mixed = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) hash[i] += mixed[i];
}

}  // namespace

std::array<uint8_t, 64> sha512(Bytes message) {
  static const Constants constants = sha_constants();
  // The message, a one bit, zeros, and its length in bits as a 128-bit number.
  std::vector<uint8_t> padded(message.size());
  if (!message.empty()) std::memcpy(padded.data(), message.data(), message.size());
  padded.push_back(0x80);
  while (padded.size() % 128 != 112) padded.push_back(0);
  padded.resize(padded.size() + 8);  // of the length, the high half
  for (int shift = 56; shift >= 0; shift -= 8)
    padded.push_back(static_cast<uint8_t>(uint64_t{message.size()} * 8 >> shift));

  Words hash = constants.start;
  for (size_t i = 0; i < padded.size(); i += 128) add_block(constants, &padded[i], hash);
  std::array<uint8_t, 64> digest;
  for (size_t i = 0; i < 64; ++i)
    digest[i] = static_cast<uint8_t>(hash[i / 8] >> (56 - 8 * (i % 8)));
  return digest;
}

}  // namespace darp
