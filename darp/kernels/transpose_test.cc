#include "darp/kernels/transpose.h"

#include <gtest/gtest.h>

#include "tests/random_matrix.h"
#include "tests/simd_levels.h"

namespace darp::kernels {
namespace {

TEST(Transpose, PutsEveryRowIntoItsColumnAndTouchesNothingElse) {
  on_every_simd_level([] {
    Rng rng(1);
    for (const int64_t rows : {1, 2, 3, 4, 5, 8, 11, 32})
      for (const int64_t cols : {1, 3, 4, 6, 7, 12, 36, 61}) {
        SCOPED_TRACE(fmt::format("{}x{}", rows, cols));
        const Matrix from = random_matrix(rng, rows, cols + 3);
        Matrix to = random_matrix(rng, cols + 2, rows + 5);
        const Matrix before = Matrix::copy_of(to);
        transpose(from.view().cols_between(2, cols + 2),
                  to.mutable_view().rows_between(1, cols + 1).cols_between(3, rows + 3));
        for (int64_t i = 0; i < to.rows(); ++i)
          for (int64_t j = 0; j < to.cols(); ++j) {
            const bool own = i >= 1 && i < cols + 1 && j >= 3 && j < rows + 3;
            EXPECT_EQ(to(i, j), own ? from(j - 3, i + 1) : before(i, j)) << i << " " << j;
          }
      }
  });
}

}  // namespace
}  // namespace darp::kernels
