#include "darp/kernels/tanh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/random_matrix.h"
#include "tests/simd_levels.h"

namespace darp::kernels {
namespace {

constexpr int64_t kWidths[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100};
constexpr float kUntouched = 77, kInfinity = std::numeric_limits<float>::infinity();

/// `rows` rows of which only the columns in the middle are the view's.
struct Framed {
  static constexpr int64_t kFrame = 19;

  Framed(Rng& rng, int64_t rows, int64_t cols, double scale)
      : all(random_matrix(rng, rows, cols + 2 * kFrame, scale)) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < all.stride(); ++j)
        if (j < kFrame || j >= kFrame + cols) all.mutable_view()(i, j) = kUntouched;
  }
  MutableMatrixView view() { return all.mutable_view().cols_between(kFrame, all.cols() - kFrame); }
  void expect_frame_untouched() {
    for (int64_t i = 0; i < all.rows(); ++i)
      for (int64_t j = 0; j < all.stride(); ++j) {
        const bool outside = j < kFrame || j >= all.cols() - kFrame;
        EXPECT_TRUE(!outside || all.view()(i, j) == kUntouched) << i << " " << j;
      }
  }

  Matrix all;
};

TEST(Tanh, IsThatOfTheStandardLibrary) {
  on_every_simd_level([] {
    Rng rng(1);
    for (const int64_t cols : kWidths)
      for (const double scale : {1e-4, 0.3, 3.0, 30.0}) {
        SCOPED_TRACE(fmt::format("{} columns, scale {}", cols, scale));
        Framed x(rng, 5, cols, scale);
        const Matrix before = Matrix::copy_of(x.view());
        apply_tanh(x.view());
        for (int64_t i = 0; i < 5; ++i)
          for (int64_t j = 0; j < cols; ++j)
            EXPECT_NEAR(x.view()(i, j), std::tanh(double{before(i, j)}), 1e-6) << before(i, j);
        x.expect_frame_untouched();
      }
  });
}

TEST(Tanh, OfTinyNumbersIsThemselves) {
  // An absolute error of 1e-6 would be all of them.
  on_every_simd_level([] {
    for (const float x : {1e-3f, 1e-5f, 1e-10f, 1e-20f, 1e-37f})
      for (const float sign : {1.0f, -1.0f}) {
        Matrix m = Matrix::zeros(1, 1);
        m(0, 0) = sign * x;
        apply_tanh(m.mutable_view());
        EXPECT_NEAR(m(0, 0) / (sign * x), 1, 1e-6) << x;
      }
  });
}

TEST(Tanh, KnowsZerosInfinitiesAndWhatIsNoNumber) {
  on_every_simd_level([] {
    const std::vector<std::pair<float, float>> known = {
        {0.0f, 0.0f},    {-0.0f, -0.0f}, {kInfinity, 1.0f}, {-kInfinity, -1.0f}, {3e38f, 1.0f},
        {-3e38f, -1.0f}, {89.0f, 1.0f},  {-1000.0f, -1.0f}, {44.5f, 1.0f},       {-20.0f, -1.0f}};
    Matrix m = Matrix::zeros(1, static_cast<int64_t>(known.size()) + 1);
    for (size_t j = 0; j < known.size(); ++j) m.row(0)[j] = known[j].first;
    m.row(0)[known.size()] = std::nanf("");
    apply_tanh(m.mutable_view());
    for (size_t j = 0; j < known.size(); ++j) {
      EXPECT_EQ(m.row(0)[j], known[j].second) << known[j].first;
      EXPECT_EQ(std::signbit(m.row(0)[j]), std::signbit(known[j].second)) << known[j].first;
    }
    EXPECT_TRUE(std::isnan(m.row(0)[known.size()]));
  });
}

TEST(Tanh, IsOddMonotonicAndWithinOne) {
  on_every_simd_level([] {
    constexpr int64_t kPoints = 20'001;
    Matrix up = Matrix::zeros(1, kPoints), down = Matrix::zeros(1, kPoints);
    for (int64_t j = 0; j < kPoints; ++j) {
      up(0, j) = static_cast<float>(j - kPoints / 2) * 1e-3f;
      down(0, j) = -up(0, j);
    }
    apply_tanh(up.mutable_view());
    apply_tanh(down.mutable_view());
    for (int64_t j = 0; j < kPoints; ++j) {
      EXPECT_EQ(up(0, j), -down(0, j));
      EXPECT_LE(std::abs(up(0, j)), 1.0f);
      EXPECT_GE(up(0, j), up(0, std::max<int64_t>(j - 1, 0)) - 2e-7f) << j;
    }
  });
}

TEST(Tanh, DoesNotDependOnWhereANumberStands) {
  Rng rng(3);
  const Matrix numbers = random_matrix(rng, 1, 67, 2);
  on_every_simd_level([&] {
    Matrix together = Matrix::copy_of(numbers);
    apply_tanh(together.mutable_view());
    for (int64_t j = 0; j < numbers.cols(); ++j) {
      Matrix alone = Matrix::zeros(1, 1);
      alone(0, 0) = numbers(0, j);
      apply_tanh(alone.mutable_view());
      EXPECT_EQ(alone(0, 0), together(0, j)) << j;
    }
  });
}

TEST(Tanh, GoesBackwardAsTheFormulaSays) {
  on_every_simd_level([] {
    Rng rng(2);
    for (const int64_t cols : kWidths) {
      SCOPED_TRACE(cols);
      Framed x(rng, 4, cols, 1), gradient(rng, 4, cols, 1);
      apply_tanh(x.view());
      const Matrix before = Matrix::copy_of(gradient.view()), y = Matrix::copy_of(x.view());
      backpropagate_tanh(x.view(), gradient.view());
      for (int64_t i = 0; i < 4; ++i)
        for (int64_t j = 0; j < cols; ++j) {
          const double slope = 1 - double{y(i, j)} * double{y(i, j)};
          EXPECT_NEAR(gradient.view()(i, j), before(i, j) * slope, 1e-6);
        }
      gradient.expect_frame_untouched();
      EXPECT_TRUE(same_bits(x.view(), y));
    }
  });
}

}  // namespace
}  // namespace darp::kernels
