#include "darp/kernels/exponential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/random_matrix.h"
#include "tests/simd_levels.h"

namespace darp::kernels {
namespace {

constexpr int64_t kWidths[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100};
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A window in the middle of other numbers.
struct Window {
  Window(Rng& rng, int64_t rows, int64_t cols, double scale)
      : all(random_matrix(rng, rows + 2, cols + 6, scale)), before(Matrix::copy_of(all)) {}
  MutableMatrixView view() {
    return all.mutable_view().rows_between(1, all.rows() - 1).cols_between(3, all.cols() - 3);
  }
  MatrixView old() const {
    return before.view().rows_between(1, all.rows() - 1).cols_between(3, all.cols() - 3);
  }
  void expect_rest_untouched() {
    copy(old(), view());
    EXPECT_TRUE(same_bits(all, before));
  }

  Matrix all, before;
};

TEST(Exponential, IsThatOfTheStandardLibrary) {
  on_every_simd_level([] {
    Rng rng(1);
    for (const int64_t cols : kWidths)
      for (const double scale : {1e-4, 0.3, 3.0, 20.0}) {
        SCOPED_TRACE(fmt::format("{} columns, scale {}", cols, scale));
        Window x(rng, 4, cols, scale);
        apply_exp(x.view());
        for (int64_t i = 0; i < 4; ++i)
          for (int64_t j = 0; j < cols; ++j) {
            const double expected = std::exp(double{x.old()(i, j)});
            if (expected < 3e-38 || expected > 3.4e38) continue;
            EXPECT_NEAR(x.view()(i, j) / expected, 1, 1e-6) << x.old()(i, j);
          }
        x.expect_rest_untouched();
      }
  });
}

TEST(Exponential, HoldsOverTheWholeRange) {
  on_every_simd_level([] {
    constexpr int64_t kPoints = 17'520;  // -86.5 to 88.7
    Matrix m = Matrix::zeros(1, kPoints + 1);
    const auto at = [](int64_t j) { return static_cast<float>(j - 8650) * 1e-2f; };
    for (int64_t j = 0; j <= kPoints; ++j) m(0, j) = at(j);
    apply_exp(m.mutable_view());
    for (int64_t j = 0; j <= kPoints; ++j)
      EXPECT_NEAR(m(0, j) / std::exp(double{at(j)}), 1, 1e-6) << at(j);
  });
}

TEST(Exponential, KnowsTheEndsAndWhatIsNoNumber) {
  on_every_simd_level([] {
    const std::vector<std::pair<float, float>> known = {
        {0.0f, 1.0f},       {-0.0f, 1.0f},      {kInfinity, kInfinity}, {-kInfinity, 0.0f},
        {89.0f, kInfinity}, {3e38f, kInfinity}, {-88.0f, 0.0f},         {-3e38f, 0.0f}};
    Matrix m = Matrix::zeros(1, static_cast<int64_t>(known.size()) + 1);
    for (size_t j = 0; j < known.size(); ++j) m.row(0)[j] = known[j].first;
    m.row(0)[known.size()] = std::nanf("");
    apply_exp(m.mutable_view());
    for (size_t j = 0; j < known.size(); ++j)
      EXPECT_EQ(m.row(0)[j], known[j].second) << known[j].first;
    EXPECT_TRUE(std::isnan(m.row(0)[known.size()]));
  });
}

TEST(Exponential, GivesTheSoftmaxOfColumns) {
  on_every_simd_level([] {
    Rng rng(2);
    for (const int64_t rows : {1, 2, 12, 13})
      for (const int64_t cols : {kTileColumns, 2 * kTileColumns})
        for (const double scale : {0.1, 3.0, 300.0}) {
          SCOPED_TRACE(fmt::format("{}x{}, scale {}", rows, cols, scale));
          Window x(rng, rows, cols, scale);
          softmax_columns(x.view());
          for (int64_t j = 0; j < cols; ++j) {
            double largest = -kInfinity, total = 0;
            for (int64_t i = 0; i < rows; ++i) largest = std::max(largest, double{x.old()(i, j)});
            for (int64_t i = 0; i < rows; ++i) total += std::exp2(x.old()(i, j) - largest);
            for (int64_t i = 0; i < rows; ++i)
              EXPECT_NEAR(x.view()(i, j), std::exp2(x.old()(i, j) - largest) / total, 1e-6);
          }
          x.expect_rest_untouched();
        }
  });
}

TEST(Exponential, GivesTheSoftmaxOfRowsThatComeInPieces) {
  on_every_simd_level([] {
    Rng rng(3);
    constexpr int64_t kRows = 5, kAll = 6 * kTileColumns;
    for (const int64_t most : {kTileColumns, 4 * kTileColumns, kAll})
      for (const double scale : {0.1, 3.0, 300.0}) {
        SCOPED_TRACE(fmt::format("pieces of {}, scale {}", most, scale));
        Window x(rng, kRows, kAll, scale);
        std::vector<float> shifts(kRows, -kInfinity), factors(kRows);
        Matrix totals = Matrix::zeros(kRows, kTileColumns), powers = Matrix::zeros(kRows, kAll);
        for (int64_t begin = 0, end = 0; begin < kAll; begin = end) {
          end = std::min(begin + most, kAll);
          softmax_rows_piece(x.view().cols_between(begin, end), shifts, factors,
                             totals.mutable_view());
          for (int64_t i = 0; i < kRows; ++i) {
            for (int64_t j = 0; j < begin; ++j) powers(i, j) *= factors[i];
            for (int64_t j = begin; j < end; ++j) powers(i, j) = x.view()(i, j);
          }
        }
        for (int64_t i = 0; i < kRows; ++i) {
          const auto row = x.old().row(i);
          const float largest = *std::max_element(row.begin(), row.end());
          EXPECT_LE(shifts[i], largest);
          EXPECT_GE(shifts[i], largest - 32);
          double total = 0, sum = 0;
          for (const float y : row) total += std::exp2(double{y} - double{shifts[i]});
          for (const float y : totals.row(i)) sum += double{y};
          EXPECT_NEAR(sum / total, 1, 3e-6);
          for (int64_t j = 0; j < kAll; ++j)
            EXPECT_NEAR(powers(i, j) / total, std::exp2(double{row[j]} - double{shifts[i]}) / total,
                        1e-6);
        }
        x.expect_rest_untouched();
      }
  });
}

TEST(Exponential, GivesPlacesOfMinusInfinityNothing) {
  on_every_simd_level([] {
    Matrix m = Matrix::zeros(1, kTileColumns), totals = Matrix::zeros(1, kTileColumns);
    std::ranges::fill(m.row(0).subspan(3), -kInfinity);
    std::vector<float> shifts(1, -kInfinity), factors(1);
    softmax_rows_piece(m.mutable_view(), shifts, factors, totals.mutable_view());
    EXPECT_EQ(factors[0], 0.0f);
    for (int64_t j = 0; j < kTileColumns; ++j) {
      EXPECT_EQ(m(0, j), j < 3 ? 1.0f : 0.0f);
      EXPECT_EQ(totals(0, j), m(0, j));
    }
  });
}

TEST(Exponential, GivesMishAndItsSlope) {
  on_every_simd_level([] {
    std::vector<float> x;
    for (int i = -8600; i <= 10'000; ++i) x.push_back(static_cast<float>(i) * 1e-2f);
    for (const float far : {0.0f, -0.0f, 1e-30f, -1e-30f, 3e38f}) x.push_back(far);
    for (const int64_t count : {1, 3, 16, 17, static_cast<int>(x.size())}) {
      const std::span<const float> some(x.end() - count, x.end());
      std::vector<float> y(some.size() + 1, 7.0f), dx = y;
      const std::vector<float> dy(some.size(), -3.0f);
      mish(some, {y.data(), some.size()});
      mish_gradient(some, dy, {dx.data(), some.size()});
      for (size_t i = 0; i < some.size(); ++i) {
        const double at = some[i], soft = at > 30 ? at : std::log1p(std::exp(at));
        const double tanh = std::tanh(soft), slope = 1 / (1 + std::exp(-at));
        EXPECT_NEAR(y[i], at * tanh, 2e-6 * std::abs(at * tanh)) << at;
        EXPECT_NEAR(dx[i], -3 * (tanh + at * (1 - tanh * tanh) * slope), 6e-6) << at;
      }
      EXPECT_EQ(y.back(), 7.0f);
      EXPECT_EQ(dx.back(), 7.0f);
    }
    std::vector<float> none = {std::nanf(""), 1};
    mish(none, none);  // in place
    EXPECT_TRUE(std::isnan(none[0]));
    EXPECT_NEAR(none[1], 0.8650983882673103, 2e-6);
  });
}

}  // namespace
}  // namespace darp::kernels
