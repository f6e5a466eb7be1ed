#include "darp/study/analysis/gaussian_mixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "tests/random_matrix.h"

namespace darp {
namespace {

/// Blobs of standard deviation 1 around (10 c, -10 c, 0, ...), the c-th with c + 1 times the rows
/// of the first.
Matrix blobs(uint64_t seed, int64_t count, int64_t rows, int64_t dim) {
  Rng rng(seed);
  Matrix all = random_matrix(rng, rows * count * (count + 1) / 2, dim);
  int64_t row = 0;
  for (int64_t c = 0; c < count; ++c)
    for (int64_t i = 0; i < rows * (c + 1); ++i, ++row) {
      all(row, 0) += static_cast<float>(10 * c);
      all(row, 1) -= static_cast<float>(10 * c);
    }
  return all;
}

/// Entry i, j of the covariance that a factor belongs to.
double covariance(const GaussianMixture::Component& one, int64_t i, int64_t j) {
  const auto dim = std::ssize(one.mean);
  double sum = 0;
  for (int64_t l = 0; l < dim; ++l)
    sum +=
        one.factor[static_cast<size_t>(i * dim + l)] * one.factor[static_cast<size_t>(j * dim + l)];
  return sum;
}

TEST(Cholesky, GivesTheMatrixBackAndRefusesWhatIsNotPositiveDefinite) {
  Rng rng(1);
  for (int64_t dim = 1; dim <= 12; ++dim) {
    const Matrix half = random_matrix(rng, dim, dim);
    std::vector<double> matrix(static_cast<size_t>(dim * dim));
    for (int64_t i = 0; i < dim; ++i)
      for (int64_t j = 0; j < dim; ++j)
        for (int64_t l = 0; l < dim; ++l)
          matrix[static_cast<size_t>(i * dim + j)] += double{half(i, l)} * double{half(j, l)};
    GaussianMixture::Component one{.mean = std::vector<double>(static_cast<size_t>(dim)),
                                   .factor = matrix};
    ASSERT_TRUE(cholesky(one.factor, dim));
    for (int64_t i = 0; i < dim; ++i)
      for (int64_t j = 0; j < dim; ++j)
        EXPECT_NEAR(covariance(one, i, j), matrix[static_cast<size_t>(i * dim + j)], 1e-12);
    matrix[0] = -1;
    EXPECT_FALSE(cholesky(matrix, dim));
  }
}

TEST(GaussianMixture, OfOneComponentIsTheMeanAndCovariance) {
  Rng rng(2);
  const Matrix rows = random_matrix(rng, 300, 5, 3);
  ThreadPool pool(1);
  const double ridge = 1e-3;
  const auto mixture = GaussianMixture::fit(rows, {.components = 1, .ridge = ridge}, pool);
  ASSERT_EQ(mixture.components().size(), 1u);
  const auto& one = mixture.components()[0];
  EXPECT_DOUBLE_EQ(one.weight, 1);
  const auto count = static_cast<double>(rows.rows());
  std::vector<double> means(5);
  for (int64_t r = 0; r < rows.rows(); ++r)
    for (int64_t j = 0; j < 5; ++j) means[static_cast<size_t>(j)] += double{rows(r, j)} / count;
  for (int64_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(one.mean[static_cast<size_t>(i)], means[static_cast<size_t>(i)], 1e-12);
    for (int64_t j = 0; j < 5; ++j) {
      double sum = i == j ? ridge : 0;
      for (int64_t r = 0; r < rows.rows(); ++r)
        sum += (double{rows(r, i)} - means[static_cast<size_t>(i)]) *
               (double{rows(r, j)} - means[static_cast<size_t>(j)]) / count;
      EXPECT_NEAR(covariance(one, i, j), sum, 1e-12);
    }
  }
}

TEST(GaussianMixture, IsTheDensityOfANormalVariable) {
  // Rows at -1 and 1 in one dimension: variance 1, so the density at the mean is 1 / sqrt(2 pi).
  Matrix rows = Matrix::zeros(2, 1);
  rows(0, 0) = -1;
  rows(1, 0) = 1;
  ThreadPool pool(1);
  const auto mixture = GaussianMixture::fit(rows, {.components = 1, .ridge = 1e-15}, pool);
  const double at_mean = -0.5 * std::log(2 * std::numbers::pi);
  EXPECT_NEAR(mixture.log_likelihood(std::vector{0.0f}), at_mean, 1e-12);
  EXPECT_NEAR(mixture.log_likelihood(std::vector{2.0f}), at_mean - 2, 1e-12);
  EXPECT_NEAR(mixture.log_likelihood(std::vector{1000.0f}), at_mean - 500'000, 1e-6);
}

TEST(GaussianMixture, NeverGetsWorseInEm) {
  Rng rng(3);
  ThreadPool pool(2);
  for (uint64_t round = 0; round < 8; ++round) {
    Matrix rows = random_matrix(rng, 400, 3);
    for (int64_t i = 0; i < rows.rows(); ++i)
      rows(i, 1) = rows(i, 0) * rows(i, 0) + 0.1f * rows(i, 1);
    // A large ridge: it is part of what grows.
    const auto mixture = GaussianMixture::fit(rows,
                                              {.components = 5,
                                               .ridge = round % 2 == 0 ? 1e-6 : 0.3,
                                               .iterations = 60,
                                               .tolerance = -1,
                                               .seed = round},
                                              pool);
    const std::vector<double>& grown = mixture.objective();
    ASSERT_EQ(grown.size(), 60u);
    for (size_t i = 1; i < grown.size(); ++i) EXPECT_GE(grown[i], grown[i - 1] - 1e-12) << i;
    EXPECT_GT(grown.back(), grown.front());
  }
}

TEST(GaussianMixture, FindsComponentsThatLieApart) {
  ThreadPool pool(2);
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const auto mixture =
        GaussianMixture::fit(blobs(seed, 3, 300, 4), {.components = 3, .seed = seed}, pool);
    auto found = mixture.components();
    ASSERT_EQ(found.size(), 3u);
    std::ranges::sort(found, {}, [](const auto& one) { return one.mean[0]; });
    for (int64_t c = 0; c < 3; ++c) {
      const auto& one = found[static_cast<size_t>(c)];
      EXPECT_NEAR(one.weight, static_cast<double>(c + 1) / 6, 1e-3);
      EXPECT_NEAR(one.mean[0], static_cast<double>(10 * c), 0.3);
      EXPECT_NEAR(one.mean[1], static_cast<double>(-10 * c), 0.3);
      for (int64_t j = 0; j < 4; ++j) EXPECT_NEAR(covariance(one, j, j), 1, 0.3);
    }
  }
}

TEST(GaussianMixture, HasTheLeastBicForTheTrueNumberOfComponents) {
  ThreadPool pool(2);
  const Matrix rows = blobs(4, 3, 200, 3);
  std::vector<double> bic;
  for (const int64_t components : {1, 2, 3, 4, 6})
    bic.push_back(GaussianMixture::fit(rows, {.components = components}, pool).bic());
  EXPECT_EQ(std::ranges::min_element(bic) - bic.begin(), 2);
}

TEST(GaussianMixture, DoesNotDependOnTheOrderOfRowsNorOnThreads) {
  const Matrix rows = blobs(5, 3, 100, 4);
  std::vector<int64_t> order(static_cast<size_t>(rows.rows()));
  std::iota(order.begin(), order.end(), 0);
  Rng(6).shuffle(std::span(order));
  Matrix shuffled = Matrix::zeros(rows.rows(), rows.cols());
  for (int64_t i = 0; i < rows.rows(); ++i)
    std::ranges::copy(rows.row(order[static_cast<size_t>(i)]), shuffled.row(i).begin());
  ThreadPool one(1), three(3);
  const auto a = GaussianMixture::fit(rows, {.components = 5}, one);
  const auto b = GaussianMixture::fit(shuffled, {.components = 5}, three);
  EXPECT_EQ(a.objective(), b.objective());
  EXPECT_EQ(a.log_likelihoods(rows, one), b.log_likelihoods(rows, three));
}

TEST(GaussianMixture, StaysFiniteWhereDataIsDegenerate) {
  ThreadPool pool(1);
  Rng rng(7);
  Matrix constant_column = random_matrix(rng, 60, 3);
  for (int64_t i = 0; i < 60; ++i) constant_column(i, 1) = 4;
  Matrix duplicates = Matrix::zeros(50, 3);
  for (int64_t i = 0; i < 50; ++i) duplicates(i, 0) = static_cast<float>(i % 2);
  Matrix one_row = random_matrix(rng, 1, 3), huge = random_matrix(rng, 40, 3, 1e9);
  for (int64_t i = 0; i < 40; ++i) huge(i, 2) = huge(i, 0);
  for (const Matrix* rows : {&constant_column, &duplicates, &one_row, &huge})
    for (const int64_t components : {1, 4, 70}) {
      const auto mixture = GaussianMixture::fit(*rows, {.components = components}, pool);
      double weights = 0;
      for (const auto& one : mixture.components()) weights += one.weight;
      EXPECT_NEAR(weights, 1, 1e-9);
      EXPECT_TRUE(std::isfinite(mixture.bic()));
      for (const double each : mixture.log_likelihoods(*rows, pool))
        EXPECT_TRUE(std::isfinite(each));
      EXPECT_TRUE(std::isfinite(mixture.log_likelihood(std::vector{1e6f, -1e6f, 0.0f})));
    }
}

}  // namespace
}  // namespace darp
