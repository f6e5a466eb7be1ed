#include "darp/kernels/row_distance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "darp/core/rng.h"
#include "tests/simd_levels.h"

namespace darp::kernels {
namespace {

std::vector<float> random_numbers(Rng& rng, int64_t count, double scale) {
  std::vector<float> numbers(count);
  for (float& x : numbers) x = static_cast<float>(scale * rng.normal());
  return numbers;
}

std::vector<float> random_periods(Rng& rng, int64_t count) {
  std::vector<float> periods(count);
  for (float& x : periods) x = static_cast<float>(rng.uniform(0.5, 7));
  return periods;
}

/// The bound that the header states.
float allowed(float distance, int64_t cols) {
  return distance * static_cast<float>(cols + 2) * 0x1p-23f;
}

const int64_t kSizes[] = {0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 64, 97};

TEST(RowDistance, AgreesWithTheScalarTwinOnEveryLevelAndSize) {
  on_every_simd_level([] {
    Rng rng(1);
    for (const int64_t cols : kSizes)
      for (int64_t circles = 0; circles <= cols; ++circles) {
        // One float off the alignment that vectors have.
        const auto a = random_numbers(rng, cols + 1, 5), b = random_numbers(rng, cols + 1, 5);
        const auto periods = random_periods(rng, circles);
        const float expected = scalar::squared_distance(&a[1], &b[1], cols, periods);
        EXPECT_NEAR(squared_distance(&a[1], &b[1], cols, periods), expected,
                    allowed(expected, cols))
            << cols << " columns, " << circles << " of them circles";
      }
  });
}

TEST(RowDistance, OfManyRowsHasTheBitsOfOneAtATime) {
  on_every_simd_level([] {
    Rng rng(2);
    for (const int64_t cols : kSizes) {
      const int64_t circles = cols / 3;
      Matrix rows = Matrix::zeros(20, cols);
      for (int64_t i = 0; i < rows.rows(); ++i)
        for (float& x : rows.row(i)) x = static_cast<float>(rng.normal());
      const auto query = random_numbers(rng, cols, 1);
      const auto periods = random_periods(rng, circles);
      for (const int64_t count : {0, 1, 2, 3, 4, 5, 8, 11}) {
        std::vector<int32_t> which(count);
        for (int32_t& row : which) row = static_cast<int32_t>(rng.below(20));
        std::vector<float> out(count + 1, -1);
        squared_distances(query.data(), rows, which, periods, out.data());
        for (int64_t i = 0; i < count; ++i)
          EXPECT_EQ(out[i],
                    squared_distance(query.data(), rows.row(which[i]).data(), cols, periods));
        EXPECT_EQ(out[count], -1) << "wrote past the last distance";
      }
    }
  });
}

TEST(RowDistance, TakesTheShorterWayRoundACircle) {
  on_every_simd_level([] {
    const float a[] = {1, 0.5f, 350}, b[] = {3, 5.5f, 10};
    const float periods[] = {6, 360};
    // 2 along the line; 5 or 1 round the first circle; 340 or 20 round the second.
    EXPECT_EQ(squared_distance(a, b, 3, periods), 4 + 1 + 400);
    EXPECT_EQ(squared_distance(b, a, 3, periods), 4 + 1 + 400);
  });
}

TEST(RowDistance, TreatsACircleOfTheLargestLengthAsALine) {
  on_every_simd_level([] {
    Rng rng(3);
    const auto a = random_numbers(rng, 48, 100), b = random_numbers(rng, 48, 100);
    const std::vector<float> periods(16, std::numeric_limits<float>::max());
    const float line = squared_distance(a.data(), b.data(), 48, {});
    EXPECT_NEAR(squared_distance(a.data(), b.data(), 48, periods), line, allowed(line, 48));
  });
}

}  // namespace
}  // namespace darp::kernels
