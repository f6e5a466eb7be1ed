#include "darp/kernels/layer_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "darp/core/rng.h"
#include "tests/simd_levels.h"

namespace darp::kernels {
namespace {

const int64_t kWidths[] = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 256};
const int64_t kRowCounts[] = {1, 2, 3, 4, 5, 7, 12};

/// Everything about some rows, computed in double from the formulas of the header.
struct Direct {
  std::vector<std::vector<double>> x, h, dz;
  std::vector<double> scale_gradient, shift_gradient, bias_gradient;

  Direct(MatrixView z, MatrixView dh, const std::vector<float>& scale,
         const std::vector<float>& shift)
      : scale_gradient(z.cols()), shift_gradient(z.cols()), bias_gradient(z.cols()) {
    const auto n = static_cast<double>(z.cols());
    for (int64_t i = 0; i < z.rows(); ++i) {
      double mean = 0, variance = 0;
      for (const float v : z.row(i)) mean += v / n;
      for (const float v : z.row(i)) variance += (v - mean) * (v - mean) / n;
      const double inverse = 1 / std::sqrt(variance + 1e-5);
      std::vector<double> row(z.cols()), hidden(z.cols()), g(z.cols());
      double g_mean = 0, product_mean = 0;
      for (int64_t j = 0; j < z.cols(); ++j) {
        row[j] = (z(i, j) - mean) * inverse;
        const double y = scale[j] * row[j] + shift[j];
        hidden[j] = std::max(0.0, y);
        const double dy = y > 0 ? dh(i, j) : 0;
        scale_gradient[j] += dy * row[j];
        shift_gradient[j] += dy;
        g[j] = dy * scale[j];
        g_mean += g[j] / n;
        product_mean += g[j] * row[j] / n;
      }
      for (int64_t j = 0; j < z.cols(); ++j) {
        g[j] = inverse * (g[j] - g_mean - row[j] * product_mean);
        bias_gradient[j] += g[j];
      }
      x.push_back(row);
      h.push_back(hidden);
      dz.push_back(g);
    }
  }
};

struct Inputs {
  Matrix z, dh;
  std::vector<float> scale, shift, factors;  // the last of rows

  Inputs(Rng& rng, int64_t rows, int64_t cols)
      : z(Matrix::zeros(rows, cols)), dh(Matrix::zeros(rows, cols)) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < cols; ++j) {
        z(i, j) = static_cast<float>(2 + 3 * rng.normal());
        dh(i, j) = static_cast<float>(rng.normal());
      }
    for (int64_t i = 0; i < rows; ++i) factors.push_back(static_cast<float>(rng.uniform(0, 1)));
    for (int64_t j = 0; j < cols; ++j) {
      scale.push_back(static_cast<float>(1 + 0.3 * rng.normal()));
      shift.push_back(static_cast<float>(0.3 * rng.normal()));
    }
  }
};

constexpr double kClose = 2e-5;

TEST(LayerNorm, GoesForwardAndBackwardAsTheFormulasSay) {
  on_every_simd_level([] {
    Rng rng(1);
    for (const int64_t cols : kWidths)
      for (const int64_t rows : kRowCounts) {
        SCOPED_TRACE(fmt::format("{} x {}", rows, cols));
        Inputs in(rng, rows, cols);
        const Direct direct(in.z, in.dh, in.scale, in.shift);
        const LayerNormWeights weights{in.scale.data(), in.shift.data()};
        std::vector<float> inverse(rows), sum(cols, 1.0f);
        Matrix x = Matrix::copy_of(in.z), h = Matrix::zeros(rows, cols);
        normalize_relu(x.mutable_view(), weights, inverse.data(), h.mutable_view());
        Matrix again = Matrix::copy_of(in.z);
        normalize_relu_sum(again.mutable_view(), weights, inverse.data(), nullptr, sum.data());
        EXPECT_TRUE(same_bits(x, again));
        Matrix weighted = Matrix::copy_of(in.z);
        std::vector<float> weighted_sum(cols, 1.0f);
        normalize_relu_sum(weighted.mutable_view(), weights, inverse.data(), in.factors.data(),
                           weighted_sum.data());
        EXPECT_TRUE(same_bits(x, weighted));

        std::vector<float> scale(cols, 1.0f), shift(cols, 2.0f), bias(cols, 3.0f);
        Matrix dz = Matrix::copy_of(in.dh);
        normalize_relu_backward(dz, x, weights, inverse.data(), dz.mutable_view(),
                                {scale.data(), shift.data(), bias.data()});
        for (int64_t j = 0; j < cols; ++j) {
          double expected_sum = 1, expected_weighted = 1;
          for (int64_t i = 0; i < rows; ++i) {
            EXPECT_NEAR(x(i, j), direct.x[i][j], kClose);
            EXPECT_NEAR(h(i, j), direct.h[i][j], kClose);
            EXPECT_NEAR(dz(i, j), direct.dz[i][j], kClose * (1 + inverse[i]));
            expected_sum += direct.h[i][j];
            expected_weighted += double{in.factors[i]} * direct.h[i][j];
          }
          EXPECT_NEAR(sum[j], expected_sum, kClose * 10);
          EXPECT_NEAR(weighted_sum[j], expected_weighted, kClose * 10);
          EXPECT_NEAR(scale[j], 1 + direct.scale_gradient[j], kClose * 10);
          EXPECT_NEAR(shift[j], 2 + direct.shift_gradient[j], kClose * 10);
          EXPECT_NEAR(bias[j], 3 + direct.bias_gradient[j], kClose * 10 * (1 + inverse[0]));
        }
      }
  });
}

TEST(LayerNorm, TakesWeightsFromAnyAddress) {
  on_every_simd_level([] {
    Rng rng(9);
    for (const int64_t cols : kWidths) {
      Inputs in(rng, 5, cols);
      std::vector<float> inverse(5);
      Matrix x = Matrix::copy_of(in.z), h = Matrix::zeros(5, cols);
      normalize_relu(x.mutable_view(), {in.scale.data(), in.shift.data()}, inverse.data(),
                     h.mutable_view());
      // One float further, no vector begins where a register's width ends.
      in.scale.insert(in.scale.begin(), 0.0f);
      in.shift.insert(in.shift.begin(), 0.0f);
      Matrix again = Matrix::copy_of(in.z), same = Matrix::zeros(5, cols);
      normalize_relu(again.mutable_view(), {in.scale.data() + 1, in.shift.data() + 1},
                     inverse.data(), same.mutable_view());
      EXPECT_TRUE(same_bits(h, same)) << cols;
    }
  });
}

TEST(LayerNorm, WithoutWeightsIsReluAlone) {
  on_every_simd_level([] {
    Rng rng(2);
    for (const int64_t cols : kWidths)
      for (const int64_t rows : kRowCounts) {
        Inputs in(rng, rows, cols);
        std::vector<float> inverse(rows), sum(cols), bias(cols);
        Matrix z = Matrix::copy_of(in.z), h = Matrix::zeros(rows, cols),
               dz = Matrix::zeros(rows, cols);
        normalize_relu(z.mutable_view(), {}, inverse.data(), h.mutable_view());
        EXPECT_TRUE(same_bits(z, in.z));
        normalize_relu_sum(z.mutable_view(), {}, inverse.data(), nullptr, sum.data());
        normalize_relu_backward(in.dh, z, {}, inverse.data(), dz.mutable_view(),
                                {nullptr, nullptr, bias.data()});
        for (int64_t j = 0; j < cols; ++j) {
          float expected_sum = 0, expected_bias = 0;
          for (int64_t i = 0; i < rows; ++i) {
            EXPECT_EQ(h(i, j), std::max(0.0f, in.z(i, j)));
            EXPECT_EQ(dz(i, j), in.z(i, j) > 0 ? in.dh(i, j) : 0.0f);
            expected_sum += h(i, j);
            expected_bias += dz(i, j);
          }
          EXPECT_EQ(sum[j], expected_sum);
          EXPECT_EQ(bias[j], expected_bias);
        }
      }
  });
}

TEST(LayerNorm, OfNearlyEqualNumbersDoesNotCancel) {
  // 1000 + tiny: mean(z^2) - mean(z)^2 would be noise.
  Matrix z = Matrix::zeros(1, 64);
  for (int64_t j = 0; j < 64; ++j) z(0, j) = 1000.0f + (j % 2 ? 0.125f : -0.125f);
  const std::vector<float> scale(64, 1.0f), shift(64, 0.0f);
  std::vector<float> inverse(1);
  Matrix h = Matrix::zeros(1, 64);
  normalize_relu(z.mutable_view(), {scale.data(), shift.data()}, inverse.data(), h.mutable_view());
  EXPECT_NEAR(inverse[0], 1 / std::sqrt(0.125 * 0.125 + 1e-5), 1e-3);
}

TEST(LayerNorm, DoesNotDependOnHowRowsAreCut) {
  Rng rng(3);
  const int64_t rows = 11, cols = 40;
  Inputs in(rng, rows, cols);
  const LayerNormWeights weights{in.scale.data(), in.shift.data()};
  const auto run = [&](int64_t tile) {
    std::vector<float> inverse(rows), out(4 * cols);
    Matrix x = Matrix::copy_of(in.z), dz = Matrix::zeros(rows, cols);
    for (int64_t b = 0; b < rows; b += tile) {
      const int64_t e = std::min(rows, b + tile);
      normalize_relu_sum(x.mutable_view().rows_between(b, e), weights, &inverse[b], &in.factors[b],
                         &out[0]);
      normalize_relu_backward(in.dh.view().rows_between(b, e), x.view().rows_between(b, e), weights,
                              &inverse[b], dz.mutable_view().rows_between(b, e),
                              {&out[cols], &out[2 * cols], &out[3 * cols]});
    }
    return out;
  };
  EXPECT_EQ(run(11), run(1));
  EXPECT_EQ(run(11), run(3));
}

TEST(LayerNorm, BackwardTakesOneGradientForAllRows) {
  Rng rng(4);
  Inputs in(rng, 6, 20);
  for (int64_t i = 1; i < 6; ++i)
    std::copy(in.dh.row(0).begin(), in.dh.row(0).end(), in.dh.row(i).begin());
  const LayerNormWeights weights{in.scale.data(), in.shift.data()};
  std::vector<float> inverse(6), sums(20);
  Matrix h = Matrix::zeros(6, 20), a = Matrix::zeros(6, 20), b = Matrix::zeros(6, 20);
  normalize_relu(in.z.mutable_view(), weights, inverse.data(), h.mutable_view());
  std::vector<float> ga(60), gb(60);
  normalize_relu_backward(in.dh, in.z, weights, inverse.data(), a.mutable_view(),
                          {&ga[0], &ga[20], &ga[40]});
  normalize_relu_backward(MatrixView(in.dh.row(0).data(), 6, 20, 0), in.z, weights, inverse.data(),
                          b.mutable_view(), {&gb[0], &gb[20], &gb[40]});
  EXPECT_TRUE(same_bits(a, b));
  EXPECT_EQ(ga, gb);
}

}  // namespace
}  // namespace darp::kernels
