#include "darp/kernels/row_sums.h"

#include <gtest/gtest.h>

#include <vector>

#include "darp/core/rng.h"
#include "tests/simd_levels.h"

namespace darp::kernels {
namespace {

TEST(RowSums, HaveTheBitsOfAPlainLoopOnEveryLevelAndSize) {
  on_every_simd_level([] {
    Rng rng(1);
    for (const int64_t columns : {0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 100, 256}) {
      Matrix rows = Matrix::zeros(9, columns);
      for (int64_t i = 0; i < 9; ++i)
        for (float& x : rows.row(i)) x = static_cast<float>(rng.normal());
      const std::vector<int32_t> which = {3, 0, 8, 3, 5};
      std::vector<float> chosen(columns, 1.0f), all(columns, 2.0f), two(columns), added(columns, 3);
      add_rows(rows, which, chosen.data());
      add_rows(rows, all.data());
      sum(rows.row(1).data(), rows.row(2).data(), columns, two.data());
      add(rows.row(4), added.data());
      const std::vector<const float*> vectors = {rows.row(6).data(), rows.row(0).data(),
                                                 rows.row(7).data()};
      std::vector<float> of_three(columns);
      sum_all(vectors, columns, of_three.data());
      for (int64_t j = 0; j < columns; ++j) {
        EXPECT_EQ(of_three[j], rows(6, j) + rows(0, j) + rows(7, j));
        float expected_chosen = 1, expected_all = 2;
        for (const int32_t i : which) expected_chosen += rows(i, j);
        for (int64_t i = 0; i < 9; ++i) expected_all += rows(i, j);
        EXPECT_EQ(chosen[j], expected_chosen);
        EXPECT_EQ(all[j], expected_all);
        EXPECT_EQ(two[j], rows(1, j) + rows(2, j));
        EXPECT_EQ(added[j], 3.0f + rows(4, j));
      }
    }
  });
}

}  // namespace
}  // namespace darp::kernels
