#include "darp/data/normalizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "darp/core/rng.h"

namespace darp {
namespace {

constexpr NormalizerKind kAll[] = {NormalizerKind::kIdentity, NormalizerKind::kStandardSample,
                                   NormalizerKind::kStandardPopulation, NormalizerKind::kMinMax};

Matrix random_matrix(int64_t rows, int64_t cols, uint64_t seed) {
  Rng rng(seed);
  Matrix m = Matrix::zeros(rows, cols);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j)
      m(i, j) = static_cast<float>(rng.normal() * std::exp2(j) + 10.0 * static_cast<double>(j));
  return m;
}

TEST(Normalizer, StandardGivesZeroMeanAndUnitSpread) {
  const Matrix data = random_matrix(500, 9, 1);
  for (const auto kind : {NormalizerKind::kStandardSample, NormalizerKind::kStandardPopulation}) {
    const Matrix z = Normalizer::fit(kind, data).apply(data.view());
    const double divisor = kind == NormalizerKind::kStandardSample ? 499 : 500;
    for (int64_t j = 0; j < z.cols(); ++j) {
      double sum = 0, squares = 0;
      for (int64_t i = 0; i < z.rows(); ++i) sum += z(i, j), squares += double{z(i, j)} * z(i, j);
      EXPECT_NEAR(sum / 500, 0, 1e-6);
      EXPECT_NEAR(squares / divisor, 1, 1e-5);
    }
  }
}

TEST(Normalizer, MinMaxReachesBothEnds) {
  const Matrix data = random_matrix(100, 5, 2);
  const Matrix z = Normalizer::fit(NormalizerKind::kMinMax, data).apply(data.view());
  for (int64_t j = 0; j < 5; ++j) {
    float low = 9, high = -9;
    for (int64_t i = 0; i < 100; ++i) low = std::min(low, z(i, j)), high = std::max(high, z(i, j));
    EXPECT_NEAR(low, -1, 1e-5);
    EXPECT_NEAR(high, 1, 1e-5);
  }
}

TEST(Normalizer, InverseGivesBackTheValueUpToRounding) {
  const Matrix data = random_matrix(200, 17, 3);
  for (const auto kind : kAll) {
    const Normalizer n = Normalizer::fit(kind, data);
    std::vector<float> z(17), back(17);
    for (int64_t i = 0; i < data.rows(); ++i) {
      n.apply(data.row(i), z);
      n.invert(z, back);
      for (int64_t j = 0; j < 17; ++j) {
        // Three roundings, each at most half a unit in the last place of the largest term.
        const float magnitude = std::abs(data(i, j)) + std::abs(n.offset()[j]);
        ASSERT_NEAR(back[j], data(i, j), 2 * magnitude * std::numeric_limits<float>::epsilon())
            << to_string(kind);
      }
    }
  }
}

TEST(Normalizer, NoScaleIsBelowTheFloor) {
  Matrix data = random_matrix(100, 6, 4);
  for (int64_t i = 0; i < 100; ++i) data(i, 0) = 1.4398f * (1 + 1e-7f * static_cast<float>(i % 3));
  for (const auto kind : kAll) {
    const Normalizer free = Normalizer::fit(kind, data), held = Normalizer::fit(kind, data, 3);
    for (size_t j = 0; j < 6; ++j) {
      EXPECT_EQ(held.offset()[j], free.offset()[j]);
      EXPECT_EQ(held.scale()[j],
                kind == NormalizerKind::kIdentity ? 1.0f : std::max(free.scale()[j], 3.0f));
    }
    EXPECT_LT(free.scale()[0], kind == NormalizerKind::kIdentity ? 2.0f : 1e-5f);
  }
}

TEST(Normalizer, ConstantDimensionsGetScaleOne) {
  for (const int64_t rows : {1, 2, 1000}) {
    Matrix data = Matrix::zeros(rows, 2);
    for (int64_t i = 0; i < rows; ++i) data(i, 0) = 0.1f;
    for (const auto kind : kAll) {
      const Normalizer n = Normalizer::fit(kind, data);
      EXPECT_EQ(n.scale()[0], 1.0f);
      EXPECT_EQ(n.scale()[1], 1.0f);
      std::vector<float> z(2);
      n.apply(data.row(0), z);
      EXPECT_NEAR(z[0], kind == NormalizerKind::kIdentity ? 0.1f : 0.0f, 1e-8);
    }
  }
}

TEST(Normalizer, NeverDividesByASpreadThatUnderflows) {
  Matrix data = Matrix::zeros(2, 1);
  data(1, 0) = std::numeric_limits<float>::denorm_min();
  for (const auto kind : kAll) EXPECT_EQ(Normalizer::fit(kind, data).scale()[0], 1.0f);
}

TEST(Normalizer, SurvivesTheLargestFloats) {
  Matrix data = Matrix::zeros(2, 1);
  data(0, 0) = std::numeric_limits<float>::max(), data(1, 0) = -data(0, 0);
  for (const auto kind : kAll) {
    const Normalizer n = Normalizer::fit(kind, data);
    EXPECT_TRUE(std::isfinite(n.scale()[0]) && n.scale()[0] > 0) << to_string(kind);
  }
}

TEST(Normalizer, KindsHaveNames) {
  for (const auto kind : kAll) EXPECT_EQ(normalizer_kind(to_string(kind)), kind);
  try {
    normalizer_kind("minmax");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'min_max'"), std::string::npos);
  }
}

TEST(Normalizer, RefusesStoredNumbersThatCannotBe) {
  EXPECT_THROW(Normalizer({0}, {0}), Error);
  EXPECT_THROW(Normalizer({0}, {-1}), Error);
  EXPECT_THROW(Normalizer({NAN}, {1}), Error);
  EXPECT_THROW(Normalizer({0, 0}, {1}), Error);
  EXPECT_NO_THROW(Normalizer({5}, {2}));
}

}  // namespace
}  // namespace darp
