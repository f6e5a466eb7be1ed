#include "darp/train/backstep.h"

#include <gtest/gtest.h>

#include "darp/train/batch_order.h"
#include "tests/random_matrix.h"

namespace darp {
namespace {

/// Two episodes along a line, the second one standing still.
Matrix straight() {
  Matrix states = Matrix::zeros(7, 2);
  for (int64_t t = 0; t < 4; ++t) states.row(t)[0] = static_cast<float>(t), states.row(t)[1] = -1;
  return states;
}
const std::vector<int64_t> kEnds = {4, 7};

TEST(Backstep, MovesAgainstTheStepAndNotAcrossEpisodes) {
  const Matrix moves = backsteps({.part = 0.5}, straight(), kEnds);
  ASSERT_EQ(moves.rows(), 7);
  for (int64_t t = 0; t < 3; ++t) EXPECT_EQ(moves(t, 0), -0.5f);
  // The last step of an episode has no next one; the other stands still.
  for (int64_t t = 3; t < 7; ++t) EXPECT_EQ(moves(t, 0), 0);
  EXPECT_EQ(moves(0, 1), 0);
}

TEST(Backstep, OnlyWhereStepsKeepTheirDirection) {
  EXPECT_DOUBLE_EQ(persistence(straight(), kEnds), 1);
  Matrix turning = Matrix::zeros(6, 1);  // there and back again
  for (int64_t t = 0; t < 6; ++t) turning.row(t)[0] = static_cast<float>(t % 2);
  const std::vector<int64_t> end = {6};
  EXPECT_DOUBLE_EQ(persistence(turning, end), -1);
  EXPECT_EQ(backsteps({.part = 1}, turning, end).rows(), 0);
  EXPECT_EQ(backsteps({.part = 1, .when = BackstepSettings::When::kAlways}, turning, end).rows(),
            6);
  EXPECT_EQ(backsteps({.part = 0}, straight(), kEnds).rows(), 0);
  EXPECT_EQ(persistence(Matrix::zeros(2, 3), std::vector<int64_t>{1, 2}), 0);
}

TEST(Backstep, IsDrawnForHalfOfABatchByItsAddress) {
  Rng rng(4);
  const Matrix moves = random_matrix(rng, 50, 3);
  std::vector<int64_t> queries(2000);
  for (size_t i = 0; i < queries.size(); ++i) queries[i] = static_cast<int64_t>(i % 50);
  Matrix out = Matrix::zeros(2000, 3), again = Matrix::zeros(2000, 3);
  batch_backsteps({.seed = 1, .epoch = 2}, 3, queries, moves, out.mutable_view());
  batch_backsteps({.seed = 1, .epoch = 2}, 3, queries, moves, again.mutable_view());
  int64_t moved = 0;
  for (int64_t i = 0; i < 2000; ++i) {
    const bool is_moved = out(i, 0) != 0;
    moved += is_moved;
    for (int64_t j = 0; j < 3; ++j) {
      EXPECT_EQ(out(i, j), is_moved ? moves(queries[i], j) : 0);
      EXPECT_EQ(out(i, j), again(i, j));
    }
  }
  EXPECT_NEAR(static_cast<double>(moved), 1000, 5 * std::sqrt(500.0));
}

}  // namespace
}  // namespace darp
