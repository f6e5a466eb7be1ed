#include "darp/core/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace darp {
namespace {

using Block = std::array<uint32_t, 4>;

TEST(Rng, PhiloxGivesThePublishedNumbers) {
  // Known answers of Random123 for philox4x32-10.
  EXPECT_EQ(Rng::philox({}, {}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(Rng::philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Rng::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Rng, DrawsTheBlocksInOrder) {
  Rng rng(0);
  for (const uint32_t expected : {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u})
    EXPECT_EQ(rng.next_u32(), expected);
  EXPECT_EQ(rng.next_u32(), Rng::philox({1, 0, 0, 0}, {0, 0})[0]);
}

TEST(Rng, SameSeedSameNumbersAndACopyGoesOnAlike) {
  Rng a(42), b(42), other_seed(43), other_stream(42, 1);
  int differ_seed = 0, differ_stream = 0;
  for (int i = 0; i < 100; ++i) {
    const uint64_t draw = a.next_u64();
    ASSERT_EQ(draw, b.next_u64());
    differ_seed += draw != other_seed.next_u64();
    differ_stream += draw != other_stream.next_u64();
  }
  EXPECT_EQ(differ_seed, 100);
  EXPECT_EQ(differ_stream, 100);
  a.next_u32();
  Rng copy = a;
  EXPECT_EQ(copy.next_u64(), a.next_u64());
}

TEST(Rng, SplitsDifferFromEachOtherAndFromTheirParent) {
  const Rng parent(5);
  std::set<uint64_t> first_draws = {Rng(parent).next_u64()};
  for (uint64_t i = 0; i < 1000; ++i) {
    Rng child = parent.split(i);
    first_draws.insert(child.split(i).next_u64());
    first_draws.insert(child.next_u64());
  }
  EXPECT_EQ(first_draws.size(), 2001u);
}

TEST(Rng, SplittingDependsOnSeedAndIndexAlone) {
  Rng parent(5);
  const uint64_t before = parent.split(7).next_u64();
  parent.next_u32();
  EXPECT_EQ(parent.split(7).next_u64(), before);
  Rng untouched(5);
  untouched.split(7);
  EXPECT_EQ(untouched.next_u64(), Rng(5).next_u64());
}

TEST(Rng, SplitStreamsAreNotCorrelated) {
  // The correlation of n independent pairs has a standard deviation of 1/sqrt(n): five of them.
  const Rng parent(11);
  constexpr int kDraws = 20000;
  for (uint64_t i = 0; i < 10; ++i) {
    Rng a = parent.split(i), b = parent.split(i + 1);
    double sum = 0;
    for (int n = 0; n < kDraws; ++n) sum += (a.uniform() - 0.5) * (b.uniform() - 0.5) * 12;
    EXPECT_NEAR(sum / kDraws, 0, 5 / std::sqrt(double{kDraws})) << i;
  }
}

TEST(Rng, UniformHasItsMoments) {
  Rng rng(1);
  constexpr int kDraws = 100000;
  double sum = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = rng.uniform();
    ASSERT_TRUE(x >= 0 && x < 1);
    sum += x, squares += x * x;
  }
  // Five standard deviations of the estimates.
  EXPECT_NEAR(sum / kDraws, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kDraws));
  for (int i = 0; i < 100; ++i) {
    const double x = rng.uniform(-2, 3);
    ASSERT_TRUE(x >= -2 && x < 3);
  }
}

TEST(Rng, NormalHasItsMoments) {
  Rng rng(2);
  constexpr int kDraws = 100000;
  double sum = 0, squares = 0, fourths = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = rng.normal();
    ASSERT_TRUE(std::isfinite(x));
    sum += x, squares += x * x, fourths += x * x * x * x;
  }
  // Five standard deviations: the variances of x, x^2 and x^4 are 1, 2 and 96.
  EXPECT_NEAR(sum / kDraws, 0, 5 * std::sqrt(1.0 / kDraws));
  EXPECT_NEAR(squares / kDraws, 1, 5 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(fourths / kDraws, 3, 5 * std::sqrt(96.0 / kDraws));
}

TEST(Rng, BelowIsEvenlyDistributed) {
  Rng rng(3);
  constexpr uint64_t kBound = 7;
  constexpr int kDraws = 70000;
  int counts[kBound] = {};
  for (int i = 0; i < kDraws; ++i) ++counts[rng.below(kBound)];
  double chi_square = 0;
  for (const int count : counts)
    chi_square += std::pow(count - kDraws / double{kBound}, 2) / (kDraws / double{kBound});
  EXPECT_LT(chi_square, 22.46);  // 6 degrees of freedom, p = 0.001
}

TEST(Rng, BelowHasNoBiasForBoundsNearThePowerOfTwo) {
  // Without rejection, draws modulo 3 * 2^62 would fall into the lowest third half of the time.
  Rng rng(4);
  constexpr uint64_t kThird = uint64_t{1} << 62;
  constexpr int kDraws = 30000;
  int low = 0;
  for (int i = 0; i < kDraws; ++i) low += rng.below(3 * kThird) < kThird;
  EXPECT_NEAR(low / double{kDraws}, 1.0 / 3, 5 * std::sqrt(2.0 / 9 / kDraws));
}

TEST(Rng, BelowTakesEveryBound) {
  Rng rng(5);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(rng.below(1), 0u);
    EXPECT_LT(rng.below(UINT64_MAX), UINT64_MAX);
  }
  EXPECT_DEATH(rng.below(0), "a number below 0");
}

TEST(Rng, ShuffleIsAPermutationAndReachesAllOfThem) {
  Rng rng(6);
  std::vector<int> items(100);
  std::iota(items.begin(), items.end(), 0);
  const std::vector<int> sorted = items;
  rng.shuffle(std::span(items));
  EXPECT_NE(items, sorted);
  std::sort(items.begin(), items.end());
  EXPECT_EQ(items, sorted);

  std::set<std::vector<int>> seen;
  for (int i = 0; i < 500; ++i) {
    std::vector<int> four = {1, 2, 3, 4};
    rng.shuffle(std::span(four));
    seen.insert(four);
  }
  EXPECT_EQ(seen.size(), 24u);
  rng.shuffle(std::span<int>());
}

}  // namespace
}  // namespace darp
