#include "darp/kernels/bfloat_rows.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "darp/core/rng.h"
#include "tests/bfloat_levels.h"

namespace darp::kernels {
namespace {

/// Rounding by its definition: the multiple of the last place that is nearest, ties to even.
float rounded(float x) {
  if (!std::isfinite(x)) return x;
  if (std::abs(x) < std::numeric_limits<float>::min()) return std::copysign(0.0f, x);
  const double place = std::ldexp(1.0, std::ilogb(x) - 7);
  return static_cast<float>(std::nearbyint(x / place) * place);
}

uint32_t bits(float x) {
  return std::bit_cast<uint32_t>(x);
}

/// One row of these numbers and back.
std::vector<float> through(const std::vector<float>& numbers) {
  const auto cols = static_cast<int64_t>(numbers.size());
  BfloatRows rows(1, cols);
  rows.resize(1, cols);
  rows.set(0, {numbers.data(), 1, cols, cols});
  std::vector<float> back;
  for (int64_t j = 0; j < cols; ++j) back.push_back(rows(0, j));
  return back;
}

TEST(BfloatRows, RoundToNearestWithTiesToEven) {
  const std::vector<float> numbers = {
      1 + 0x1p-8f, 1 + 3 * 0x1p-8f, 1 + 0x1.02p-8f, 1 + 0x1.fep-9f, -1 - 0x1p-8f, -1 - 3 * 0x1p-8f,
      2 - 0x1p-8f, 0x1.01p-126f,    0.0f,           0x1.fep127f,    0x1.fep127f,  3.0f};
  const std::vector<float> expected = {1.0f,  1 + 0x1p-6f,  1 + 0x1p-7f, 1.0f,
                                       -1.0f, -1 - 0x1p-6f, 2.0f,        0x1p-126f,
                                       0.0f,  0x1.fep127f,  0x1.fep127f, 3.0f};
  on_every_bfloat_level([&] { EXPECT_EQ(through(numbers), expected); });
}

TEST(BfloatRows, MakeLargeNumbersInfiniteAndTinyOnesZeroWithTheirSigns) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> numbers = {std::numeric_limits<float>::max(),
                                      std::numeric_limits<float>::lowest(),
                                      0x1.ffp127f,
                                      kInfinity,
                                      -kInfinity,
                                      0x1p-149f,
                                      -0x1p-149f,
                                      0x1.fffffcp-127f,
                                      -0x1.8p-127f,
                                      -0.0f};
  const std::vector<float> expected = {kInfinity, -kInfinity, kInfinity, kInfinity, -kInfinity,
                                       0.0f,      -0.0f,      0.0f,      -0.0f,     -0.0f};
  on_every_bfloat_level([&] {
    const std::vector<float> back = through(numbers);
    for (size_t j = 0; j < back.size(); ++j)
      EXPECT_EQ(bits(back[j]), bits(expected[j])) << numbers[j];
  });
}

TEST(BfloatRows, KeepNaN) {
  // The payload lies in the half that is cut off: it must not become an infinity.
  const std::vector<float> numbers = {std::bit_cast<float>(0x7F800001u),
                                      std::bit_cast<float>(0xFFFFFFFFu),
                                      std::numeric_limits<float>::quiet_NaN()};
  on_every_bfloat_level([&] {
    const std::vector<float> back = through(numbers);
    EXPECT_EQ(bits(back[0]), 0x7FC00000u);
    EXPECT_EQ(bits(back[1]), 0xFFFF0000u);
    EXPECT_EQ(bits(back[2]), 0x7FC00000u);
  });
}

TEST(BfloatRows, RoundEveryKindOfBitsByTheDefinition) {
  Rng rng(1);
  std::vector<float> numbers;
  while (numbers.size() < 2000)
    if (const auto x = std::bit_cast<float>(rng.next_u32()); !std::isnan(x)) numbers.push_back(x);
  // Halfway cases, at random only one in 65536.
  while (numbers.size() < 3000)
    if (const auto x = std::bit_cast<float>((rng.next_u32() & 0xFFFF0000u) | 0x8000u);
        !std::isnan(x))
      numbers.push_back(x);
  on_every_bfloat_level([&] {
    const std::vector<float> back = through(numbers);
    for (size_t j = 0; j < back.size(); ++j)
      ASSERT_EQ(bits(back[j]), bits(rounded(numbers[j]))) << std::hexfloat << numbers[j];
  });
}

/// The number that the interleaved rows hold.
float in_pairs(const BfloatRows& rows, int64_t row, int64_t col) {
  const uint32_t word = rows.pair_words()[row / 2 * rows.pair_stride() + col];
  return std::bit_cast<float>(row % 2 == 0 ? word << 16 : word & 0xFFFF0000u);
}

TEST(BfloatRows, HoldWhatTilesOfAnySizeSetInBothLayoutsAndZerosBeyond) {
  on_every_bfloat_level([] {
    Rng rng(2);
    BfloatRows rows(70, 130);
    for (int trial = 0; trial < 60; ++trial) {
      const auto count = static_cast<int64_t>(1 + rng.below(70));
      const auto cols = static_cast<int64_t>(1 + rng.below(130));
      rows.resize(count, cols);
      std::vector<float> numbers(static_cast<size_t>(count * cols));
      for (float& x : numbers) x = static_cast<float>(rng.normal());
      for (int64_t row = 0; row < count;) {
        const int64_t height = std::min(count - row, static_cast<int64_t>(1 + rng.below(13)));
        rows.set(row, {&numbers[static_cast<size_t>(row * cols)], height, cols, cols});
        row += height;
      }
      const int64_t padded_rows = (count + 31) / 32 * 32, padded_cols = (cols + 31) / 32 * 32;
      for (int64_t i = 0; i < padded_rows; ++i)
        for (int64_t j = 0; j < padded_cols; ++j) {
          const bool inside = i < count && j < cols;
          const float expected =
              inside ? rounded(numbers[static_cast<size_t>(i * cols + j)]) : 0.0f;
          ASSERT_EQ(rows(i, j), expected) << i << ", " << j << " of " << count << "x" << cols;
          ASSERT_EQ(in_pairs(rows, i, j), expected)
              << i << ", " << j << " of " << count << "x" << cols;
        }
    }
  });
}

TEST(BfloatRows, KeepTheirNumbersWhenResizedToTheSameShape) {
  const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
  BfloatRows rows(2, 3);
  rows.resize(2, 3);
  rows.set(0, {numbers.data(), 2, 3, 3});
  rows.resize(2, 3);
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(rows(i / 3, i % 3), static_cast<float>(i + 1));
}

TEST(BfloatRows, AbortOnWhatDoesNotFit) {
  const std::vector<float> numbers(8);
  BfloatRows rows(4, 8);
  EXPECT_DEATH(rows.resize(5, 8), "5x8 numbers in room for 4x8");
  EXPECT_DEATH(rows.resize(4, 9), "4x9 numbers in room for 4x8");
  rows.resize(2, 4);
  EXPECT_DEATH(rows.set(1, {numbers.data(), 2, 4, 4}), "rows 1..3 of width 4 into 2x4");
  EXPECT_DEATH(rows.set(0, {numbers.data(), 2, 3, 3}), "rows 0..2 of width 3 into 2x4");
}

}  // namespace
}  // namespace darp::kernels
