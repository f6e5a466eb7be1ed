#include "darp/retrieval/graph/sparse_matrix.h"

#include <gtest/gtest.h>

#include <cmath>

#include "darp/core/rng.h"

namespace darp {
namespace {

/// [1 0 2; 0 0 0; 0 3 4; 0 0 5], 4x3.
SparseMatrix small() {
  return SparseMatrix({4, 3, {0, 2, 2, 4, 5}, {0, 2, 1, 2, 2}, {1, 2, 3, 4, 5}});
}

SparseMatrix random_sparse(Rng& rng, int64_t rows, int64_t cols, double density) {
  SparseMatrix::Contents out{.rows = rows, .cols = cols};
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) {
      if (rng.uniform() >= density) continue;
      out.columns.push_back(static_cast<int32_t>(j));
      out.values.push_back(rng.normal());
    }
    out.starts.push_back(static_cast<int64_t>(out.values.size()));
  }
  return SparseMatrix(std::move(out));
}

DoubleMatrix random_dense(Rng& rng, int64_t rows, int64_t cols) {
  DoubleMatrix out(rows, cols);
  for (int64_t i = 0; i < rows; ++i)
    for (double& x : out.row(i)) x = rng.normal();
  return out;
}

TEST(DoubleMatrix, TakesFloatsRowByRow) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // LAPACK's threads run from the start
  Matrix from = Matrix::zeros(2, 3);
  from(0, 2) = 0.1F;
  from(1, 0) = -7;
  const DoubleMatrix m = DoubleMatrix::of(from);
  EXPECT_EQ(m(0, 2), double{0.1F});
  EXPECT_EQ(m.row(1)[0], -7);
  EXPECT_TRUE(m.view().packed());
  EXPECT_DEATH(DoubleMatrix(-1, 2), "a -1x2 matrix");
}

TEST(SparseMatrix, GivesItsEntries) {
  const SparseMatrix m = small();
  EXPECT_EQ(m.entries(), 5);
  EXPECT_EQ(m.at(2, 1), 3);
  EXPECT_EQ(m.at(2, 0), 0);
  EXPECT_EQ(m.at(1, 2), 0);
  EXPECT_TRUE(m.columns(1).empty());
  const DoubleMatrix dense = m.to_dense();
  EXPECT_EQ(std::vector<double>(dense.data(), dense.data() + 12),
            (std::vector<double>{1, 0, 2, 0, 0, 0, 0, 3, 4, 0, 0, 5}));
}

TEST(SparseMatrix, MultipliesAVectorAsByHand) {
  std::vector<double> y(4, 99);
  small().multiply(std::vector<double>{1, 10, 100}, y);
  EXPECT_EQ(y, (std::vector<double>{201, 0, 430, 500}));
}

TEST(SparseMatrix, MayBeEmpty) {
  const SparseMatrix none;
  EXPECT_EQ(none.rows(), 0);
  EXPECT_TRUE(none.symmetric());
  EXPECT_EQ(none.transposed().entries(), 0);
  none.multiply(std::span<const double>(), std::span<double>());
}

TEST(SparseMatrix, AgreesWithItsDenseTwin) {
  Rng rng(1);
  for (int trial = 0; trial < 30; ++trial) {
    const auto rows = static_cast<int64_t>(rng.below(40)),
               cols = static_cast<int64_t>(rng.below(40));
    const SparseMatrix m = random_sparse(rng, rows, cols, rng.uniform());
    const DoubleMatrix dense = m.to_dense(), x = random_dense(rng, cols, 3);
    DoubleMatrix y(rows, 3), turned = m.transposed().to_dense();
    m.multiply(x, y.mutable_view());
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t c = 0; c < 3; ++c) {
        double sum = 0;
        for (int64_t j = 0; j < cols; ++j) sum += dense(i, j) * x(j, c);
        EXPECT_NEAR(y(i, c), sum, 1e-12);
      }
      for (int64_t j = 0; j < cols; ++j) EXPECT_EQ(turned(j, i), dense(i, j));
    }
  }
}

TEST(SparseMatrix, MultipliesWindowsOfWiderMatrices) {
  Rng rng(2);
  const SparseMatrix m = random_sparse(rng, 9, 7, 0.4);
  const DoubleMatrix x = random_dense(rng, 7, 5);
  DoubleMatrix all(9, 5), part(9, 6);
  m.multiply(x, all.mutable_view());
  m.multiply(x.view().cols_between(1, 4), part.mutable_view().cols_between(2, 5));
  for (int64_t i = 0; i < 9; ++i) {
    for (int64_t c = 0; c < 3; ++c) EXPECT_EQ(part(i, 2 + c), all(i, 1 + c));
    EXPECT_EQ(part(i, 1), 0);
    EXPECT_EQ(part(i, 5), 0);
  }
}

TEST(SparseMatrix, GivesTheSameBitsForAnyThreads) {
  Rng rng(4);
  const SparseMatrix m = random_sparse(rng, 5000, 300, 0.05);
  const DoubleMatrix x = random_dense(rng, 300, 4);
  DoubleMatrix alone(5000, 4), one(5000, 4), three(5000, 4);
  ThreadPool single(1), several(3);
  m.multiply(x, alone.mutable_view());
  m.multiply(x, one.mutable_view(), &single);
  m.multiply(x, three.mutable_view(), &several);
  EXPECT_EQ(alone, one);
  EXPECT_EQ(alone, three);
}

TEST(SparseMatrix, KnowsWhetherItIsSymmetric) {
  EXPECT_FALSE(small().symmetric());
  EXPECT_TRUE(SparseMatrix({2, 2, {0, 2, 3}, {0, 1, 0}, {1, 2, 2}}).symmetric());
  EXPECT_FALSE(SparseMatrix({2, 2, {0, 2, 3}, {0, 1, 0}, {1, 2, 3}}).symmetric());
  EXPECT_FALSE(SparseMatrix({2, 2, {0, 1, 1}, {1}, {2}}).symmetric());
  EXPECT_FALSE(SparseMatrix({1, 1, {0, 1}, {0}, {std::nan("")}}).symmetric());
}

TEST(SparseMatrix, RefusesContentsThatAreNone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // LAPACK's threads run from the start
  EXPECT_DEATH(SparseMatrix({2, 2, {0, 1}, {0}, {1}}), "2 starts of 2 rows");
  EXPECT_DEATH(SparseMatrix({2, 2, {0, 2, 1}, {0}, {1}}), "do not cut up");
  EXPECT_DEATH(SparseMatrix({1, 2, {0, 1}, {2}, {1}}), "column 2 of 2");
  EXPECT_DEATH(SparseMatrix({1, 2, {0, 2}, {1, 1}, {1, 1}}), "do not ascend");
  std::vector<double> y(3);
  EXPECT_DEATH(small().multiply(std::vector<double>(3), y), "4x3 times 3x1 into 3x1");
}

}  // namespace
}  // namespace darp
