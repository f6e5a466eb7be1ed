// The functions for acting in layer_norm.h and bfloat_rows.h, against the formula in double.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "darp/kernels/bfloat_rows.h"
#include "darp/kernels/layer_norm.h"
#include "tests/bfloat_levels.h"
#include "tests/random_matrix.h"

namespace darp::kernels {
namespace {

const int64_t kWidths[] = {1, 3, 15, 16, 17, 31, 32, 33, 47, 64, 100, 256};
const int64_t kRowCounts[] = {1, 2, 3, 4, 5, 7, 12};

struct Inputs {
  Matrix memory;  // what rows are gathered from
  std::vector<int32_t> which;
  std::vector<float> factors;
  Matrix add;
  Matrix z;  // the gathered rows, written down
  Matrix weights;

  Inputs(Rng& rng, int64_t rows, int64_t cols)
      : memory(random_matrix(rng, 9, cols, 2)),
        add(random_matrix(rng, 1, cols)),
        z(Matrix::zeros(rows, cols)),
        weights(random_matrix(rng, 2, cols)) {
    for (int64_t i = 0; i < rows; ++i) {
      which.push_back(static_cast<int32_t>(rng.below(9)));
      factors.push_back(static_cast<float>(rng.uniform(0, 1)));
      for (int64_t j = 0; j < cols; ++j) z(i, j) = memory(which[i], j) + add(0, j);
    }
  }
  GatheredRows gathered() const { return {memory, which, add.row(0).data()}; }
  LayerNormWeights norm(bool used) const {
    return used ? LayerNormWeights{weights.row(0).data(), weights.row(1).data()}
                : LayerNormWeights{};
  }
  double expected(int64_t i, int64_t j, bool normalized) const {
    if (!normalized) return std::max(0.0f, z(i, j));
    double squares = 0;
    for (const float x : z.row(i)) squares += static_cast<double>(x) * static_cast<double>(x);
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(z.cols()) + 1e-5);
    return std::max(0.0,
                    static_cast<double>(z(i, j)) * inverse * static_cast<double>(weights(0, j)) +
                        static_cast<double>(weights(1, j)));
  }
};

template <class Body>
void for_each_shape(const Body& body) {
  Rng rng(1);
  for (const int64_t cols : kWidths)
    for (const int64_t rows : kRowCounts)
      for (const bool normalized : {false, true}) {
        SCOPED_TRACE(fmt::format("{} x {}, normalized {}", rows, cols, normalized));
        body(Inputs(rng, rows, cols), normalized);
      }
}

TEST(CenteredNorm, IsTheFormulaForWrittenAndForGatheredRows) {
  on_every_simd_level([] {
    for_each_shape([](const Inputs& in, bool normalized) {
      const int64_t rows = in.z.rows(), cols = in.z.cols();
      const LayerNormWeights norm = in.norm(normalized);
      Matrix h = Matrix::zeros(rows, cols), gathered = Matrix::zeros(rows, cols),
             in_place = Matrix::copy_of(in.z);
      std::vector<float> sum(cols, 1.0f), gathered_sum(sum);
      centered_norm_relu(in.z, norm, h.mutable_view());
      centered_norm_relu(in_place, norm, in_place.mutable_view());
      centered_norm_relu(in.gathered(), norm, gathered.mutable_view());
      centered_norm_relu_sum(in.z, norm, nullptr, sum.data());
      centered_norm_relu_sum(in.gathered(), norm, nullptr, gathered_sum.data());
      std::vector<float> weighted(cols, 1.0f), gathered_weighted(weighted);
      centered_norm_relu_sum(in.z, norm, in.factors.data(), weighted.data());
      centered_norm_relu_sum(in.gathered(), norm, in.factors.data(), gathered_weighted.data());
      EXPECT_TRUE(same_bits(h, gathered));
      EXPECT_TRUE(same_bits(h, in_place));
      EXPECT_EQ(sum, gathered_sum);
      EXPECT_EQ(weighted, gathered_weighted);
      for (int64_t j = 0; j < cols; ++j) {
        double total = 1, weighted_total = 1;
        for (int64_t i = 0; i < rows; ++i) {
          EXPECT_NEAR(h(i, j), in.expected(i, j, normalized), 1e-5);
          total += in.expected(i, j, normalized);
          weighted_total += double{in.factors[i]} * in.expected(i, j, normalized);
        }
        EXPECT_NEAR(sum[j], total, 1e-4);
        EXPECT_NEAR(weighted[j], weighted_total, 1e-4);
      }
    });
  });
}

TEST(CenteredNorm, RoundedIsWithinOneStepOfBfloat16) {
  const std::vector<float> ones(256, 1.0f);
  on_every_bfloat_level([&] {
    for_each_shape([&](const Inputs& in, bool normalized) {
      const int64_t rows = in.z.rows(), cols = in.z.cols();
      BfloatRows h(12, 256, BfloatRows::Layouts::kRows),
          gathered(12, 256, BfloatRows::Layouts::kRows);
      // What was there before does not matter.
      for (BfloatRows* r : {&h, &gathered}) {
        r->resize(12, 256);
        r->set_centered_norm_relu(MatrixView(ones.data(), 12, 256, 0), {});
        r->resize(rows, cols);
      }
      h.set_centered_norm_relu(in.z, in.norm(normalized));
      gathered.set_centered_norm_relu(in.gathered(), in.norm(normalized));
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < cols; ++j) {
          const double expected = in.expected(i, j, normalized);
          EXPECT_NEAR(h(i, j), expected, 1e-6 + expected * 0x1p-8 * 1.01);
          EXPECT_EQ(h(i, j), gathered(i, j));
        }
        // Products read up to the padding.
        for (int64_t j = cols; j < (cols + 31) / 32 * 32; ++j) EXPECT_EQ(h(i, j), 0.0f);
      }
    });
  });
}

TEST(CenteredNorm, KeepsNan) {
  on_every_bfloat_level([] {
    for (const bool normalized : {false, true}) {
      Matrix z = Matrix::zeros(1, 40), h = Matrix::zeros(1, 40);
      z(0, 33) = std::numeric_limits<float>::quiet_NaN();
      const std::vector<float> ones(40, 1.0f);
      const LayerNormWeights norm =
          normalized ? LayerNormWeights{ones.data(), ones.data()} : LayerNormWeights{};
      centered_norm_relu(z, norm, h.mutable_view());
      EXPECT_TRUE(std::isnan(h(0, 33)));
      EXPECT_EQ(std::isnan(h(0, 0)), normalized);
      BfloatRows rounded(1, 40, BfloatRows::Layouts::kRows);
      rounded.resize(1, 40);
      rounded.set_centered_norm_relu(z, norm);
      EXPECT_TRUE(std::isnan(rounded(0, 33)));
    }
  });
}

}  // namespace
}  // namespace darp::kernels
