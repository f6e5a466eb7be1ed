#include "darp/kernels/column_products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/random_matrix.h"
#include "tests/simd_levels.h"

namespace darp::kernels {
namespace {

struct Shape {
  int64_t inner, units, columns;
};

/// A product as its definition has it: calls body(i, j, sum, sum of sizes).
template <class Body>
void for_each_sum(MatrixView weight, MatrixView x, const Body& body) {
  for (int64_t i = 0; i < weight.cols(); ++i)
    for (int64_t j = 0; j < x.cols(); ++j) {
      double sum = 0, size = 1;
      for (int64_t k = 0; k < x.rows(); ++k) {
        sum += double{weight(k, i)} * double{x(k, j)};
        size += std::abs(double{weight(k, i)} * double{x(k, j)});
      }
      body(i, j, sum, size);
    }
}

template <class Body>
void for_shapes_on_every_simd_level(const Body& body) {
  on_every_simd_level([&] {
    Rng rng(1);
    for (const int64_t inner : {0, 1, 7, 60})
      for (const int64_t units : {1, 5, 6, 7, 12, 13, 20, 36})
        for (const int64_t columns : {kTileColumns, 3 * kTileColumns}) {
          SCOPED_TRACE(fmt::format("{} of {}, {} columns", units, inner, columns));
          body(rng, Shape{inner, units, columns});
        }
  });
}

TEST(ColumnProducts, AreSumsOfProductsAndTouchNothingElse) {
  for_shapes_on_every_simd_level([](Rng& rng, const Shape& shape) {
    const Matrix weight = random_matrix(rng, shape.inner, shape.units + 3),
                 x = random_matrix(rng, shape.inner, shape.columns);
    Matrix out = random_matrix(rng, shape.units + 2, shape.columns + 5);
    const Matrix before = Matrix::copy_of(out);
    const auto own = [&](Matrix& m) {
      return m.mutable_view().rows_between(1, shape.units + 1).cols_between(2, shape.columns + 2);
    };
    const MatrixView used = weight.view().cols_between(3, shape.units + 3);
    multiply_columns(used, x, own(out));
    for_each_sum(used, x, [&](int64_t i, int64_t j, double sum, double size) {
      EXPECT_NEAR(own(out)(i, j), sum, 1e-6 * size) << i << " " << j;
    });
    Matrix restored = Matrix::copy_of(before);
    copy(own(out), own(restored));
    EXPECT_TRUE(same_bits(restored, out));
  });
}

TEST(ColumnProducts, GoOnFromWhatIsThere) {
  for_shapes_on_every_simd_level([](Rng& rng, const Shape& shape) {
    const Matrix weight = random_matrix(rng, shape.inner, shape.units),
                 x = random_matrix(rng, shape.inner, shape.columns);
    Matrix out = random_matrix(rng, shape.units, shape.columns);
    const Matrix before = Matrix::copy_of(out);
    add_columns(weight, x, out.mutable_view());
    for_each_sum(weight, x, [&](int64_t i, int64_t j, double sum, double size) {
      EXPECT_NEAR(out(i, j), before(i, j) + sum, 1e-6 * (size + 5)) << i << " " << j;
    });
  });
}

TEST(ColumnProducts, EndWithBiasAndReluOntoOthers) {
  for_shapes_on_every_simd_level([](Rng& rng, const Shape& shape) {
    const Matrix weight = random_matrix(rng, shape.inner, shape.units),
                 x = random_matrix(rng, shape.inner, shape.columns),
                 bias = random_matrix(rng, 1, shape.units),
                 onto = random_matrix(rng, shape.units, shape.columns);
    Matrix plain = Matrix::zeros(shape.units, shape.columns),
           ended = Matrix::zeros(shape.units, shape.columns);
    multiply_columns(weight, x, plain.mutable_view(), {.bias = bias.row(0)});
    multiply_columns(weight, x, ended.mutable_view(), {.bias = bias.row(0), .relu_onto = onto});
    for_each_sum(weight, x, [&](int64_t i, int64_t j, double sum, double size) {
      EXPECT_NEAR(plain(i, j), bias(0, i) + sum, 1e-6 * (size + 5)) << i << " " << j;
      EXPECT_EQ(ended(i, j), onto(i, j) + std::max(plain(i, j), 0.0f)) << i << " " << j;
    });
  });
}

TEST(ColumnProducts, DoNotDependOnHowColumnsAreCut) {
  for_shapes_on_every_simd_level([](Rng& rng, const Shape& shape) {
    const Matrix weight = random_matrix(rng, shape.inner, shape.units),
                 x = random_matrix(rng, shape.inner, 3 * kTileColumns);
    Matrix whole = Matrix::zeros(shape.units, x.cols()), cut = Matrix::zeros(shape.units, x.cols());
    multiply_columns(weight, x, whole.mutable_view());
    for (int64_t begin = 0; begin < x.cols(); begin += kTileColumns)
      multiply_columns(weight, x.view().cols_between(begin, begin + kTileColumns),
                       cut.mutable_view().cols_between(begin, begin + kTileColumns));
    EXPECT_TRUE(same_bits(whole, cut));
  });
}

}  // namespace
}  // namespace darp::kernels
