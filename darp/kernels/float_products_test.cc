#include "darp/kernels/float_products.h"

#include <gtest/gtest.h>

#include "darp/core/rng.h"
#include "tests/random_matrix.h"
#include "tests/simd_levels.h"

namespace darp::kernels {
namespace {

Matrix transposed(MatrixView m) {
  Matrix t = Matrix::zeros(m.cols(), m.rows());
  for (int64_t i = 0; i < m.rows(); ++i)
    for (int64_t j = 0; j < m.cols(); ++j) t(j, i) = m(i, j);
  return t;
}

/// Levels without a fused multiply-add round twice per term.
void expect_close(MatrixView got, MatrixView expected, int64_t terms) {
  const float bound = static_cast<float>(terms + 2) * 0x1p-22f * 4;
  for (int64_t i = 0; i < got.rows(); ++i)
    for (int64_t j = 0; j < got.cols(); ++j)
      ASSERT_NEAR(got(i, j), expected(i, j), bound) << i << "," << j;
}

struct Size {
  int64_t rows, inner, outer;
};

const std::vector<Size>& sizes() {
  static const std::vector<Size> all = [] {
    std::vector<Size> sizes;
    for (const int64_t rows : {1, 2, 5, 11, 12, 13, 25, 31})
      for (const int64_t inner : {1, 7, 16, 33})
        for (const int64_t outer : {1, 3, 8, 15, 16, 17, 32, 33, 70})
          sizes.push_back({rows, inner, outer});
    sizes.push_back({145, 128, 128});
    sizes.push_back({159, 256, 256});
    return sizes;
  }();
  return all;
}

TEST(FloatProducts, EqualTheScalarTwinOnEveryLevelAndSize) {
  on_every_simd_level([] {
    Rng rng(1);
    for (const auto& [rows, inner, outer] : sizes()) {
      SCOPED_TRACE(fmt::format("{} x {} x {}", rows, inner, outer));
      const Matrix a = random_matrix(rng, rows, inner), b = random_matrix(rng, inner, outer);
      const Matrix bias = random_matrix(rng, 1, outer);
      Matrix got = Matrix::zeros(rows, outer), expected = Matrix::zeros(rows, outer);
      scalar::multiply(a, b, bias.row(0), expected.mutable_view());
      PackedFloat packed;
      packed.pack(b, PackedFloat::Factor::kWeight);
      multiply(a, packed, bias.row(0), got.mutable_view());
      expect_close(got, expected, inner);

      packed.pack(transposed(b), PackedFloat::Factor::kTransposedWeight);
      Matrix again = Matrix::zeros(rows, outer);
      multiply(a, packed, bias.row(0), again.mutable_view());
      EXPECT_TRUE(same_bits(again, got));
    }
  });
}

TEST(FloatProducts, OfTransposedFactorsAddUp) {
  on_every_simd_level([] {
    Rng rng(2);
    for (const auto& [rows, inner, outer] : sizes()) {
      SCOPED_TRACE(fmt::format("{} rows, {} x {}", rows, inner, outer));
      const Matrix left = random_matrix(rng, rows, inner), right = random_matrix(rng, rows, outer);
      Matrix got = random_matrix(rng, inner, outer);
      Matrix expected = Matrix::copy_of(got);
      add_products(left, right, got.mutable_view());
      scalar::add_products(left, right, expected.mutable_view());
      expect_close(got, expected, rows);
      Matrix zeros = Matrix::zeros(inner, outer);
      add_products(left, right, zeros.mutable_view());
      add_products(left, right, got.mutable_view(), Sum::kStart);
      EXPECT_TRUE(same_bits(got, zeros));
    }
  });
}

TEST(FloatProducts, DoNotDependOnHowRowsAreCut) {
  Rng rng(3);
  const Matrix a = random_matrix(rng, 37, 40), b = random_matrix(rng, 40, 50);
  PackedFloat packed;
  packed.pack(b, PackedFloat::Factor::kWeight);
  Matrix whole = Matrix::zeros(37, 50), parts = Matrix::zeros(37, 50);
  multiply(a, packed, {}, whole.mutable_view());
  for (int64_t begin = 0; begin < 37; begin += 5) {
    const int64_t end = std::min<int64_t>(37, begin + 5);
    multiply(a.view().rows_between(begin, end), packed, {},
             parts.mutable_view().rows_between(begin, end));
  }
  EXPECT_TRUE(same_bits(whole, parts));
}

TEST(FloatProducts, WriteNothingBesideTheResult) {
  on_every_simd_level([] {
    Rng rng(4);
    for (const int64_t outer : {1, 5, 16, 31}) {
      const Matrix a = random_matrix(rng, 13, 9), b = random_matrix(rng, 9, outer);
      Matrix around = Matrix::zeros(14, outer + 1);
      for (int64_t i = 0; i < around.rows(); ++i)
        for (float& x : around.row(i)) x = 7;
      PackedFloat packed;
      packed.pack(b, PackedFloat::Factor::kWeight);
      multiply(a, packed, {}, around.mutable_view().rows_between(0, 13).cols_between(0, outer));
      Matrix left = random_matrix(rng, 6, 13), right = random_matrix(rng, 6, outer);
      add_products(left, right, around.mutable_view().rows_between(0, 13).cols_between(0, outer));
      for (int64_t i = 0; i < 14; ++i) EXPECT_EQ(around(i, outer), 7);
      for (int64_t j = 0; j < outer; ++j) EXPECT_EQ(around(13, j), 7);
    }
  });
}

}  // namespace
}  // namespace darp::kernels
