#include "darp/core/matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace darp {
namespace {

Matrix counting(int64_t rows, int64_t cols) {
  Matrix m = Matrix::uninitialized(rows, cols);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j) m(i, j) = static_cast<float>(100 * i + j);
  return m;
}

TEST(Matrix, RowsAreAlignedAndPaddingIsZero) {
  for (const int64_t cols : {1, 15, 16, 17, 33, 100}) {
    const Matrix m = counting(5, cols);
    EXPECT_EQ(m.stride(), (cols + 15) / 16 * 16);
    EXPECT_EQ(m.bytes(), static_cast<size_t>(5 * m.stride()) * 4);
    for (int64_t i = 0; i < 5; ++i) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(m.row(i).data()) % 64, 0u);
      for (int64_t j = cols; j < m.stride(); ++j) ASSERT_EQ(m.row(i).data()[j], 0.0f);
    }
  }
}

TEST(Matrix, ZerosAreZero) {
  const Matrix m = Matrix::zeros(3, 20);
  for (int64_t i = 0; i < 3; ++i)
    for (const float x : m.row(i)) EXPECT_EQ(x, 0.0f);
}

TEST(Matrix, EmptyShapesHoldNothing) {
  for (const auto& [rows, cols] :
       std::vector<std::pair<int64_t, int64_t>>{{0, 0}, {0, 5}, {5, 0}}) {
    const Matrix m = Matrix::zeros(rows, cols);
    EXPECT_EQ(m.rows(), rows);
    EXPECT_EQ(m.cols(), cols);
    EXPECT_EQ(m.bytes(), 0u);
    EXPECT_TRUE(same_bits(m, Matrix::copy_of(m)));
  }
  EXPECT_EQ(Matrix().rows(), 0);
}

TEST(Matrix, SizesThatOverflowAreBadAllocations) {
  for (const auto& [rows, cols] :
       std::vector<std::pair<int64_t, int64_t>>{{INT64_MAX, 1},
                                                {1, INT64_MAX},
                                                {1, INT64_MAX - 64},
                                                {INT64_MAX, INT64_MAX},
                                                {int64_t{1} << 40, int64_t{1} << 40},
                                                {int64_t{1} << 58, 1}})
    EXPECT_THROW(Matrix::zeros(rows, cols), std::bad_alloc) << rows << "x" << cols;
  EXPECT_DEATH(Matrix::zeros(-1, 2), "a -1x2 matrix");
}

TEST(Matrix, AMovedFromMatrixIsEmpty) {
  Matrix a = counting(2, 3);
  Matrix b = std::move(a);
  EXPECT_EQ(b(1, 2), 102.0f);
  EXPECT_EQ(a.rows(), 0);  // NOLINT: what is left behind is the point
  EXPECT_TRUE(same_bits(a, Matrix()));
  a = std::move(b);
  EXPECT_EQ(a(1, 2), 102.0f);
  EXPECT_EQ(b.rows(), 0);
}

TEST(MatrixView, WindowsOnRowsAndColumns) {
  Matrix m = counting(4, 20);
  const MatrixView part = m.view().rows_between(1, 3).cols_between(5, 9);
  EXPECT_EQ(part.rows(), 2);
  EXPECT_EQ(part.cols(), 4);
  EXPECT_EQ(part(0, 0), 105.0f);
  EXPECT_EQ(part(1, 3), 208.0f);
  EXPECT_EQ(part.row(1)[3], 208.0f);
  EXPECT_FALSE(part.packed());
  m.mutable_view().cols_between(5, 9)(2, 3) = -1;
  EXPECT_EQ(part(1, 3), -1.0f);
  EXPECT_EQ(m.view().rows_between(4, 4).rows(), 0);
  EXPECT_EQ(m.view().cols_between(20, 20).cols(), 0);
}

TEST(MatrixView, LooksAtPackedForeignMemory) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const MatrixView view(values.data(), 2, 3, 3);
  EXPECT_TRUE(view.packed());
  const Matrix copied = Matrix::copy_of(view);
  EXPECT_TRUE(same_bits(copied, view));
  EXPECT_EQ(copied(1, 2), 6.0f);
}

TEST(MatrixViewDeathTest, RangesOutsideAbort) {
  const Matrix m = counting(4, 3);
  EXPECT_DEATH(m.row(4), "row 4 of 4");
  EXPECT_DEATH(m.row(-1), "row -1 of 4");
  EXPECT_DEATH(m.view().rows_between(2, 5), "rows 2..5 of 4");
  EXPECT_DEATH(m.view().rows_between(3, 2), "rows 3..2 of 4");
  EXPECT_DEATH(m.view().cols_between(-1, 2), "columns -1..2 of 3");
  Matrix narrow = Matrix::zeros(4, 2);
  EXPECT_DEATH(copy(m, narrow.mutable_view()), "4x3 into 4x2");
}

TEST(SameBits, ComparesBitsNotNumbers) {
  Matrix a = Matrix::zeros(2, 3), b = Matrix::zeros(2, 3);
  EXPECT_TRUE(same_bits(a, b));
  a(1, 2) = -0.0f;
  EXPECT_FALSE(same_bits(a, b));
  a(1, 2) = b(1, 2) = std::nanf("");
  EXPECT_TRUE(same_bits(a, b));
  EXPECT_FALSE(same_bits(a, a.view().cols_between(0, 2)));
  EXPECT_FALSE(same_bits(a, a.view().rows_between(0, 1)));
}

TEST(SameBits, IgnoresWhatIsOutsideTheWindow) {
  const Matrix m = counting(3, 10);
  Matrix other = Matrix::copy_of(m);
  other(0, 9) = -1;
  EXPECT_FALSE(same_bits(m, other));
  EXPECT_TRUE(same_bits(m.view().cols_between(0, 9), other.view().cols_between(0, 9)));
}

}  // namespace
}  // namespace darp
