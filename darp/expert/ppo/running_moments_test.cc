#include "darp/expert/ppo/running_moments.h"

#include <gtest/gtest.h>

#include "darp/core/rng.h"
#include "tests/random_matrix.h"

namespace darp {
namespace {

/// Rows far from 0, in three columns of very different scales.
Matrix scattered_rows(uint64_t seed, int64_t count) {
  Rng rng(seed);
  Matrix rows = random_matrix(rng, count, 3);
  for (int64_t i = 0; i < count; ++i) {
    rows(i, 1) = 1000 + rows(i, 1);
    rows(i, 2) = 1e-3f * rows(i, 2) - 5;
  }
  return rows;
}

RunningMoments moments_of(MatrixView rows) {
  RunningMoments moments(rows.cols());
  for (int64_t i = 0; i < rows.rows(); ++i) moments.add(rows.row(i));
  return moments;
}

void expect_close(const RunningMoments& got, const RunningMoments& expected) {
  ASSERT_EQ(got.count, expected.count);
  for (size_t j = 0; j < expected.mean.size(); ++j) {
    EXPECT_NEAR(got.mean[j], expected.mean[j], 1e-12 * (1 + std::abs(expected.mean[j])));
    EXPECT_NEAR(got.squares[j], expected.squares[j], 1e-8 * expected.squares[j] + 1e-300);
  }
}

TEST(RunningMoments, AreThoseOfTwoPasses) {
  for (const int64_t count : {2, 3, 10, 1000}) {
    const Matrix rows = scattered_rows(1, count);
    RunningMoments expected(3);
    expected.count = static_cast<double>(count);
    for (int64_t j = 0; j < 3; ++j) {
      for (int64_t i = 0; i < count; ++i) expected.mean[j] += rows(i, j) / expected.count;
      for (int64_t i = 0; i < count; ++i)
        expected.squares[j] += std::pow(rows(i, j) - expected.mean[j], 2);
    }
    const RunningMoments moments = moments_of(rows);
    expect_close(moments, expected);
    for (size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(moments.deviation(j), std::sqrt(expected.squares[j] / expected.count),
                  1e-8 * moments.deviation(j));
  }
}

TEST(RunningMoments, OfPartsPutTogetherAreThoseOfAll) {
  constexpr int64_t kRows = 200;
  const Matrix rows = scattered_rows(2, kRows);
  const RunningMoments all = moments_of(rows);
  Rng rng(3);
  for (int trial = 0; trial < 30; ++trial) {
    RunningMoments merged(3);
    // Parts of any size, also of none.
    for (int64_t begin = 0; begin < kRows;) {
      const int64_t end =
          std::min(kRows, begin + static_cast<int64_t>(rng.below(rng.below(2) == 0 ? 3 : 90)));
      merged.merge(moments_of(rows.view().rows_between(begin, end)));
      begin = end;
    }
    expect_close(merged, all);
  }
}

TEST(RunningMoments, OfNothingChangeNothing) {
  RunningMoments moments = moments_of(scattered_rows(4, 20)), nothing(3);
  const RunningMoments before = moments;
  moments.merge(nothing);
  EXPECT_EQ(moments.count, before.count);
  EXPECT_EQ(moments.mean, before.mean);
  EXPECT_EQ(moments.squares, before.squares);
  nothing.merge(before);
  EXPECT_EQ(nothing.count, before.count);
  EXPECT_EQ(nothing.mean, before.mean);
  EXPECT_EQ(nothing.squares, before.squares);
}

TEST(RunningMoments, DeviateByOneAsLongAsNothingIsKnown) {
  RunningMoments moments(1);
  EXPECT_EQ(moments.deviation(0), 1);
  const double value = 7;
  moments.add(std::span(&value, 1));
  EXPECT_EQ(moments.deviation(0), 1);
  moments.add(std::span(&value, 1));
  EXPECT_EQ(moments.deviation(0), 0);
  EXPECT_EQ(moments.mean[0], 7);
}

}  // namespace
}  // namespace darp
