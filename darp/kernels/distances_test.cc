#include "darp/kernels/distances.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "darp/core/rng.h"
#include "tests/simd_levels.h"

namespace darp::kernels {
namespace {

const int64_t kSizes[] = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 130};

Matrix random_matrix(Rng& rng, int64_t rows, int64_t cols) {
  Matrix m = Matrix::zeros(rows, cols);
  for (int64_t i = 0; i < rows; ++i)
    for (float& x : m.row(i)) x = static_cast<float>(3 * rng.normal());
  return m;
}

TEST(RowBlocks, GiveBackTheRowsTheyWereMadeOf) {
  Rng rng(1);
  for (const int64_t rows : kSizes)
    for (const int64_t cols : {1, 5, 16, 17}) {
      const Matrix m = random_matrix(rng, rows, cols);
      const RowBlocks blocks(m);
      Matrix back = Matrix::zeros(rows, cols);
      for (int64_t i = 0; i < rows; ++i) blocks.copy_row(i, back.row(i));
      EXPECT_TRUE(same_bits(m, back));
    }
}

TEST(RowBlocks, HoldLittleMoreThanTheNumbers) {
  const RowBlocks blocks(Matrix::zeros(1000, 11));
  EXPECT_LE(static_cast<double>(blocks.bytes()), 1.3 * 1000 * 11 * sizeof(float));
}

TEST(Distances, HaveTheSameBitsAsTheScalarTwinOnEveryLevel) {
  on_every_simd_level([] {
    Rng rng(2);
    for (const int64_t rows : kSizes)
      for (const int64_t cols : {1, 2, 5, 11, 16, 32, 33})
        for (const bool half : {false, true}) {
          const RowBlocks blocks(random_matrix(rng, rows, cols));
          std::vector<float> periods(rng.below(static_cast<uint64_t>(cols) + 1));
          for (float& p : periods) p = static_cast<float>(rng.uniform(0.5, 7));
          const Matrix queries = random_matrix(rng, 6, cols);
          const Comparison comparison{periods, half};
          std::vector<std::vector<float>> expected(6), got(6), together(6);
          std::vector<const float*> from;
          std::vector<float*> to;
          for (int64_t q = 0; q < 6; ++q) {
            for (auto* list : {&expected[q], &got[q], &together[q]})
              list->resize(blocks.padded_rows());
            scalar::distances(blocks, comparison, queries.row(q).data(), expected[q].data());
            distances(blocks, comparison, queries.row(q).data(), got[q].data());
            from.push_back(queries.row(q).data());
            to.push_back(together[q].data());
          }
          distances(blocks, comparison, from, to);
          for (int64_t q = 0; q < 6; ++q) {
            const size_t bytes = static_cast<size_t>(rows) * sizeof(float);
            ASSERT_EQ(std::memcmp(expected[q].data(), got[q].data(), bytes), 0);
            ASSERT_EQ(std::memcmp(expected[q].data(), together[q].data(), bytes), 0);
          }
        }
  });
}

TEST(Distances, StayWithinTheStatedBoundOfTheExactValue) {
  Rng rng(3);
  for (const int64_t cols : {1, 11, 32, 200}) {
    const Matrix m = random_matrix(rng, 50, cols), query = random_matrix(rng, 1, cols);
    const RowBlocks blocks(m);
    std::vector<float> got(blocks.padded_rows());
    distances(blocks, {}, query.row(0).data(), got.data());
    for (int64_t i = 0; i < 50; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < cols; ++j) {
        // The difference of two floats, rounded as the kernel rounds it, is where the bound starts.
        const double difference = query(0, j) - m(i, j);
        sum += difference * difference;
      }
      EXPECT_NEAR(got[i], std::sqrt(sum), std::sqrt(sum) * static_cast<double>(cols + 4) * 0x1p-24);
    }
  }
}

TEST(Distances, TakeTheShorterWayRoundACircle) {
  constexpr float kTurn = 2 * std::numbers::pi_v<float>;
  Matrix rows = Matrix::zeros(3, 1);
  rows(0, 0) = 3.0f;
  rows(1, 0) = -3.0f;
  rows(2, 0) = 3.0f + 5 * kTurn;
  const RowBlocks blocks(rows);
  const std::vector<float> periods = {kTurn};
  const float query = 3.1f;
  std::vector<float> got(blocks.padded_rows());
  distances(blocks, {periods}, &query, got.data());
  EXPECT_NEAR(got[0], 0.1, 1e-6);
  EXPECT_NEAR(got[1], kTurn - 6.1, 1e-5);
  EXPECT_NEAR(got[2], 0.1, 1e-5);
}

}  // namespace
}  // namespace darp::kernels
