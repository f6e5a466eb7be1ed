#include "darp/kernels/bfloat_products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "darp/core/rng.h"
#include "tests/bfloat_levels.h"

namespace darp::kernels {
namespace {

constexpr int64_t kRows[] = {1, 3, 7, 8, 9, 15, 17, 31, 33, 145, 159};
constexpr int64_t kWidths[] = {1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 65, 127, 128, 129, 256, 300};

/// Numbers without padding or room behind them, so that sanitizers see every read too far.
struct Numbers {
  int64_t rows, cols;
  std::vector<float> values;

  Numbers(Rng& rng, int64_t row_count, int64_t col_count)
      : rows(row_count), cols(col_count), values(static_cast<size_t>(row_count * col_count)) {
    for (float& x : values) x = static_cast<float>(rng.normal());
  }
  MatrixView view() const { return {values.data(), rows, cols, cols}; }
};

BfloatRows bfloat_rows(const Numbers& numbers) {
  BfloatRows rows(numbers.rows, numbers.cols);
  rows.resize(numbers.rows, numbers.cols);
  rows.set(0, numbers.view());
  return rows;
}

/// A matrix inside a larger one of guard cells, off every alignment.
class Guarded {
 public:
  Guarded(int64_t rows, int64_t cols, float value)
      : rows_(rows), cols_(cols), all_(Matrix::zeros(rows + 2, cols + 2)) {
    for (int64_t i = 0; i < all_.rows(); ++i)
      for (float& x : all_.row(i)) x = kGuard;
    for (int64_t i = 0; i < rows; ++i)
      for (float& x : view().row(i)) x = value;
  }
  MutableMatrixView view() {
    return all_.mutable_view().rows_between(1, rows_ + 1).cols_between(1, cols_ + 1);
  }
  void expect_guards() const {
    for (int64_t i = 0; i < all_.rows(); ++i)
      for (int64_t j = 0; j < all_.cols(); ++j)
        if (i == 0 || i > rows_ || j == 0 || j > cols_) {
          ASSERT_EQ(all_(i, j), kGuard) << "guard cell " << i << ", " << j;
        }
  }

 private:
  static constexpr float kGuard = 12345.5f;

  int64_t rows_, cols_;
  Matrix all_;
};

/// Expects `result` within the header's bound of start + the sum of left(i, t) * right(t, j).
template <class Left, class Right, class Start>
void expect_product(MatrixView result, int64_t terms, const Left& left, const Right& right,
                    const Start& start) {
  for (int64_t i = 0; i < result.rows(); ++i)
    for (int64_t j = 0; j < result.cols(); ++j) {
      double sum = start(i, j), magnitude = std::abs(sum);
      for (int64_t t = 0; t < terms; ++t) {
        const double term = double{left(i, t)} * double{right(t, j)};
        sum += term;
        magnitude += std::abs(term);
      }
      const auto count = static_cast<double>(terms);
      ASSERT_NEAR(result(i, j), sum, (count + 1) * 0x1p-24 * magnitude + count * 0x1p-126)
          << i << ", " << j;
    }
}

TEST(BfloatProducts, ForwardAreProductsOfTheRoundedNumbersPlusTheBias) {
  on_every_bfloat_level([] {
    Rng rng(1);
    for (const int64_t rows : kRows)
      for (int i = 0; i < 4; ++i) {
        const int64_t depth = kWidths[rng.below(std::size(kWidths))];
        const int64_t cols = kWidths[rng.below(std::size(kWidths))];
        SCOPED_TRACE(fmt::format("{}x{}x{}", rows, depth, cols));
        const Numbers a(rng, rows, depth), weights(rng, cols, depth), bias(rng, 1, cols);
        const BfloatRows left = bfloat_rows(a), rounded = bfloat_rows(weights);
        PackedBfloat right(depth, cols);
        right.set_transposed(weights.view());
        Guarded out(rows, cols, std::numeric_limits<float>::quiet_NaN());
        multiply(left, 0, rows, right, bias.values, out.view());
        expect_product(
            out.view(), depth, left, [&](int64_t t, int64_t j) { return rounded(j, t); },
            [&](int64_t, int64_t j) { return bias.values[static_cast<size_t>(j)]; });
        out.expect_guards();
      }
  });
}

TEST(BfloatProducts, BackwardAreProductsOfTheRoundedNumbers) {
  on_every_bfloat_level([] {
    Rng rng(2);
    for (const int64_t rows : kRows)
      for (int i = 0; i < 4; ++i) {
        const int64_t depth = kWidths[rng.below(std::size(kWidths))];
        const int64_t cols = kWidths[rng.below(std::size(kWidths))];
        SCOPED_TRACE(fmt::format("{}x{}x{}", rows, depth, cols));
        const Numbers a(rng, rows, depth), weights(rng, depth, cols);
        const BfloatRows left = bfloat_rows(a), rounded = bfloat_rows(weights);
        PackedBfloat right(depth, cols);
        right.set(weights.view());
        Guarded out(rows, cols, std::numeric_limits<float>::quiet_NaN());
        multiply(left, 0, rows, right, {}, out.view());
        expect_product(out.view(), depth, left, rounded, [](int64_t, int64_t) { return 0.0; });
        out.expect_guards();
      }
  });
}

TEST(BfloatProducts, OverRowsAreAddedToTheSum) {
  on_every_bfloat_level([] {
    Rng rng(3);
    for (const int64_t rows : kRows)
      for (int i = 0; i < 4; ++i) {
        const int64_t height = kWidths[rng.below(std::size(kWidths))];
        const int64_t width = kWidths[rng.below(std::size(kWidths))];
        SCOPED_TRACE(fmt::format("{} rows into {}x{}", rows, height, width));
        const BfloatRows left = bfloat_rows({rng, rows, height});
        const BfloatRows right = bfloat_rows({rng, rows, width});
        Guarded sum(height, width, 0.75f);
        add_products(left, right, sum.view());
        expect_product(
            sum.view(), rows, [&](int64_t j, int64_t t) { return left(t, j); }, right,
            [](int64_t, int64_t) { return 0.75; });
        sum.expect_guards();
      }
  });
}

TEST(BfloatProducts, OfManyTermsAreSummedInParts) {
  on_every_bfloat_level([] {
    Rng rng(4);
    const Numbers a(rng, 601, 2048), weights(rng, 33, 2048), bias(rng, 1, 33);
    const BfloatRows left = bfloat_rows(a), rounded = bfloat_rows(weights);
    PackedBfloat right(2048, 33);
    right.set_transposed(weights.view());
    Guarded out(5, 33, 0);
    multiply(left, 596, 5, right, bias.values, out.view());
    expect_product(
        out.view(), 2048, [&](int64_t i, int64_t t) { return left(596 + i, t); },
        [&](int64_t t, int64_t j) { return rounded(j, t); },
        [&](int64_t, int64_t j) { return bias.values[static_cast<size_t>(j)]; });

    const BfloatRows gradients = bfloat_rows({rng, 601, 40}), inputs = bfloat_rows({rng, 601, 50});
    Guarded sum(40, 50, 0.5f);
    add_products(gradients, inputs, sum.view());
    expect_product(
        sum.view(), 601, [&](int64_t j, int64_t t) { return gradients(t, j); }, inputs,
        [](int64_t, int64_t) { return 0.5; });
  });
}

TEST(BfloatProducts, HaveTheSameBitsInTilesAndInRepetitions) {
  on_every_bfloat_level([] {
    Rng rng(5);
    for (const int64_t rows : {1, 17, 145, 159}) {
      const Numbers a(rng, rows, 100), weights(rng, 70, 100), bias(rng, 1, 70);
      const BfloatRows left = bfloat_rows(a), deltas = bfloat_rows({rng, rows, 70});
      PackedBfloat right(100, 70);
      right.set_transposed(weights.view());
      Matrix once = Matrix::zeros(rows, 70), again = Matrix::zeros(rows, 70),
             tiles = Matrix::zeros(rows, 70);
      multiply(left, 0, rows, right, bias.values, once.mutable_view());
      multiply(left, 0, rows, right, bias.values, again.mutable_view());
      for (int64_t row = 0; row < rows;) {
        const int64_t end = std::min(rows, row + static_cast<int64_t>(1 + rng.below(40)));
        multiply(left, row, end - row, right, bias.values,
                 tiles.mutable_view().rows_between(row, end));
        row = end;
      }
      EXPECT_TRUE(same_bits(once, again));
      EXPECT_TRUE(same_bits(once, tiles)) << rows << " rows";

      Matrix sum = Matrix::zeros(70, 100), second = Matrix::zeros(70, 100);
      add_products(deltas, left, sum.mutable_view());
      add_products(deltas, left, second.mutable_view());
      EXPECT_TRUE(same_bits(sum, second));
    }
  });
}

TEST(BfloatProducts, OfThePortableLevelHaveTheSameBitsOnEverySimdLevel) {
  Rng rng(6);
  const Numbers weights(rng, 77, 130), bias(rng, 1, 77);
  const BfloatRows left = bfloat_rows({rng, 45, 130});
  force_bfloat_level(BfloatLevel::kPortable);
  Matrix expected;
  on_every_simd_level([&] {
    PackedBfloat right(130, 77);
    right.set_transposed(weights.view());
    Matrix out = Matrix::zeros(45, 77);
    multiply(left, 0, 45, right, bias.values, out.mutable_view());
    if (expected.rows() == 0) expected = Matrix::copy_of(out);
    EXPECT_TRUE(same_bits(out, expected));
  });
  force_bfloat_level(std::nullopt);
}

TEST(BfloatProducts, SeeNothingOfWhatRowsHeldBefore) {
  on_every_bfloat_level([] {
    Rng rng(7);
    BfloatRows left(64, 96), right(64, 96);
    const std::vector<float> nothing(64 * 96, std::numeric_limits<float>::quiet_NaN());
    for (BfloatRows* rows : {&left, &right}) {
      rows->resize(64, 96);
      rows->set(0, {nothing.data(), 64, 96, 96});
    }
    const Numbers a(rng, 37, 41), b(rng, 37, 11), weights(rng, 41, 11);
    left.resize(37, 41);
    left.set(0, a.view());
    right.resize(37, 11);
    right.set(0, b.view());

    Guarded sum(41, 11, 0);
    add_products(left, right, sum.view());
    expect_product(
        sum.view(), 37, [&](int64_t j, int64_t t) { return left(t, j); }, right,
        [](int64_t, int64_t) { return 0.0; });

    const BfloatRows rounded = bfloat_rows(weights);
    PackedBfloat packed(41, 11);
    packed.set(weights.view());
    Guarded out(37, 11, 0);
    multiply(left, 0, 37, packed, {}, out.view());
    expect_product(out.view(), 41, left, rounded, [](int64_t, int64_t) { return 0.0; });
  });
}

TEST(BfloatProducts, OfNoRowsAreNothing) {
  on_every_bfloat_level([] {
    BfloatRows rows(4, 8);
    rows.resize(0, 8);
    Guarded sum(8, 8, 3), out(0, 5, 0);
    add_products(rows, rows, sum.view());
    for (int64_t i = 0; i < 8; ++i)
      for (const float x : sum.view().row(i)) EXPECT_EQ(x, 3);
    multiply(rows, 0, 0, PackedBfloat(8, 5), {}, out.view());
    out.expect_guards();
  });
}

TEST(BfloatProducts, AbortOnShapesThatDoNotFit) {
  BfloatRows a(3, 4), b(2, 4);
  a.resize(3, 4);
  b.resize(2, 4);
  const PackedBfloat packed(4, 5);
  Matrix out = Matrix::zeros(3, 5);
  const std::vector<float> bias(4);
  EXPECT_DEATH(multiply(a, 1, 3, packed, {}, out.mutable_view()), "rows 1..4 of 3");
  EXPECT_DEATH(multiply(a, 0, 3, packed, bias, out.mutable_view()), "plus 4 into 3x5");
  EXPECT_DEATH(multiply(a, 0, 2, packed, {}, out.mutable_view()), "into 3x5");
  EXPECT_DEATH(add_products(a, b, out.mutable_view()), "3x4 transposed times 2x4 into 3x5");
  EXPECT_DEATH(PackedBfloat(0, 5), "a factor of 0x5");
}

}  // namespace
}  // namespace darp::kernels
