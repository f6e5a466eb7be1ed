#include "darp/retrieval/hnsw_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <thread>

#include "darp/core/rng.h"
#include "darp/kernels/row_distance.h"
#include "tests/allocation_count.h"
#include "tests/error_of.h"

/// Read by ThreadSanitizer, if the program has it. hnswlib has a mutex for each row and locks them
/// in the order of its walks: harmless with the one thread that builds, but each would be reported.
extern "C" const char* __tsan_default_options() {
  return "detect_deadlocks=0";
}

namespace darp {
namespace {

constexpr int64_t kSteps = 100;

/// Episodes of kSteps smooth steps: curves of one family, told apart by three random numbers.
Matrix smooth_rows(uint64_t seed, int64_t episodes, int64_t cols) {
  Rng family(1), rng(seed);
  Matrix shape = Matrix::zeros(cols, 8);
  for (int64_t j = 0; j < cols; ++j)
    for (float& x : shape.row(j)) x = static_cast<float>(family.normal());
  Matrix rows = Matrix::zeros(episodes * kSteps, cols);
  for (int64_t episode = 0; episode < episodes; ++episode) {
    const double a = rng.normal(), b = rng.normal(), speed = rng.uniform(0.8, 1.2);
    for (int64_t step = 0; step < kSteps; ++step) {
      const double t = speed * static_cast<double>(step) / 20;
      for (int64_t j = 0; j < cols; ++j) {
        const auto c = shape.row(j);
        rows(episode * kSteps + step, j) = static_cast<float>(
            (c[0] + 0.3 * a * c[1]) * std::sin(c[2] * t + c[3]) +
            (c[4] + 0.3 * b * c[5]) * std::sin(c[6] * t + c[7]) + 0.01 * rng.normal());
      }
    }
  }
  return rows;
}

/// Rows in tight, far apart clusters, one after the other.
Matrix clustered_rows(uint64_t seed, int64_t clusters, int64_t each, int64_t cols) {
  Rng rng(seed);
  Matrix rows = Matrix::zeros(clusters * each, cols);
  std::vector<double> center(cols);
  for (int64_t i = 0; i < rows.rows(); ++i) {
    if (i % each == 0)
      for (double& x : center) x = 10 * rng.normal();
    for (int64_t j = 0; j < cols; ++j)
      rows(i, j) = static_cast<float>(center[j] + 0.1 * rng.normal());
  }
  return rows;
}

/// The true nearest rows, ascending; of equally near ones the lower.
std::vector<int32_t> true_nearest(MatrixView rows, const float* query, int64_t count,
                                  std::span<const float> periods) {
  std::vector<std::pair<float, int32_t>> order;
  for (int32_t i = 0; i < rows.rows(); ++i)
    order.emplace_back(
        kernels::scalar::squared_distance(query, rows.row(i).data(), rows.cols(), periods), i);
  count = std::min(count, rows.rows());
  std::partial_sort(order.begin(), order.begin() + count, order.end());
  std::vector<int32_t> nearest;
  for (int64_t i = 0; i < count; ++i) nearest.push_back(order[i].second);
  std::sort(nearest.begin(), nearest.end());
  return nearest;
}

/// Share of the true nearest rows that searches find, over all queries. Checks the form of every
/// answer on the way.
double recall(MatrixView rows, MatrixView queries, std::span<const float> periods, int64_t count,
              int64_t effort) {
  const HnswIndex index(rows, {.periods = periods}, {});
  HnswSearch search(index, effort);
  size_t hits = 0, wanted = 0;
  for (int64_t i = 0; i < queries.rows(); ++i) {
    const float* query = queries.row(i).data();
    const auto found = search.nearest(query, count, effort);
    EXPECT_LE(static_cast<int64_t>(found.size()), count);
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
    EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end()) << "a row twice";
    const auto expected = true_nearest(rows, query, count, periods);
    std::vector<int32_t> both;
    std::set_intersection(found.begin(), found.end(), expected.begin(), expected.end(),
                          std::back_inserter(both));
    hits += both.size();
    wanted += expected.size();
  }
  return static_cast<double>(hits) / static_cast<double>(wanted);
}

std::vector<int32_t> first_rows(int64_t count) {
  std::vector<int32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

std::vector<int32_t> list(std::span<const int32_t> rows) {
  return {rows.begin(), rows.end()};
}

TEST(HnswIndex, FindsTheNearestStepsOfSmoothEpisodes) {
  for (const int64_t cols : {3, 16, 33}) {
    const Matrix rows = smooth_rows(2, 40, cols), queries = smooth_rows(3, 1, cols);
    EXPECT_GE(recall(rows, queries, {}, 50, 200), 0.99) << cols << " columns";
  }
}

TEST(HnswIndex, FindsTheNearestRowsOfFarClusters) {
  const Matrix rows = clustered_rows(4, 60, 50, 8);
  EXPECT_GE(recall(rows, rows.view().rows_between(0, 200), {}, 30, 200), 0.99);
  // More rows than a cluster has.
  EXPECT_GE(recall(rows, rows.view().rows_between(1000, 1100), {}, 100, 400), 0.95);
}

TEST(HnswIndex, FindsNearRowsAcrossTheEndsOfCircles) {
  Rng rng(5);
  for (const int64_t cols : {2, 18, 40}) {
    const std::vector<float> periods = {2, 6.2831853f};
    Matrix rows = smooth_rows(6, 30, cols), queries = smooth_rows(7, 1, cols);
    for (Matrix* matrix : {&rows, &queries})
      for (int64_t i = 0; i < matrix->rows(); ++i) {
        // All near the place where the circle closes: only the way round makes them neighbours.
        (*matrix)(i, cols - 2) = static_cast<float>(std::fmod(2 + 0.3 * rng.normal(), 2));
        (*matrix)(i, cols - 1) = static_cast<float>(std::fmod(6.2831853 + rng.normal(), 6.2831853));
      }
    EXPECT_GE(recall(rows, queries, periods, 50, 300), 0.99) << cols << " columns";
  }
}

TEST(HnswIndex, BuildsTheSameGraphAgain) {
  const Matrix rows = smooth_rows(8, 20, 5);
  const HnswIndex index(rows, {}, {}), again(rows, {}, {}), other(rows, {}, {.seed = 1});
  EXPECT_GT(index.layers().size(), 1u);
  EXPECT_TRUE(std::ranges::equal(index.layers(), again.layers()));
  EXPECT_FALSE(std::ranges::equal(index.layers(), other.layers()));
}

TEST(HnswIndex, KeepsTheRowsAndCountsItsMemory) {
  const Matrix rows = smooth_rows(9, 3, 21);
  const HnswIndex index(rows, {}, {});
  ASSERT_EQ(index.rows(), rows.rows());
  ASSERT_EQ(index.cols(), rows.cols());
  for (int64_t i = 0; i < rows.rows(); ++i)
    EXPECT_TRUE(std::ranges::equal(index.row(i), rows.row(i))) << i;
  // Rows of 32 floats after padding, and at least one link each.
  EXPECT_GE(index.bytes(), static_cast<size_t>(rows.rows()) * (32 + 1) * 4);
}

TEST(HnswIndex, AnswersTheSameFromEveryThread) {
  const Matrix rows = smooth_rows(10, 20, 6), queries = smooth_rows(11, 1, 6);
  const HnswIndex index(rows, {}, {});
  const auto search_all = [&](std::vector<std::vector<int32_t>>& answers) {
    HnswSearch search(index, 80);
    for (int64_t i = 0; i < queries.rows(); ++i)
      answers.push_back(list(search.nearest(queries.row(i).data(), 20, 80)));
  };
  std::vector<std::vector<int32_t>> here, there;
  std::thread thread([&] { search_all(there); });
  search_all(here);
  thread.join();
  EXPECT_EQ(here, there);
}

TEST(HnswIndex, ReachesTheRestOfASetWithManyEqualRows) {
  // Every episode rests for most of its steps at one of two places.
  Matrix rows = smooth_rows(12, 40, 4);
  for (int64_t i = 0; i < rows.rows(); ++i)
    if (i % kSteps < 60) std::ranges::fill(rows.row(i), i % kSteps < 30 ? 0.0f : 5.0f);
  EXPECT_GE(recall(rows, smooth_rows(13, 1, 4), {}, 50, 200), 0.99);
  EXPECT_EQ(recall(rows, rows.view().rows_between(0, 60), {}, 50, 200), 1);
}

TEST(HnswIndex, PrefersTheLowerOfEqualRows) {
  const Matrix rows = Matrix::zeros(500, 3);
  const HnswIndex index(rows, {}, {});
  HnswSearch search(index, 100);
  EXPECT_EQ(list(search.nearest(rows.row(0).data(), 7, 100)), first_rows(7));
  EXPECT_EQ(list(search.nearest(rows.row(0).data(), 100, 100)), first_rows(100));
}

TEST(HnswIndex, FindsRowsThatDifferOnlyInTheSignOfZero) {
  Matrix rows = Matrix::zeros(40, 2);
  for (int64_t i = 0; i < 40; i += 3) rows(i, 0) = -0.0f;
  EXPECT_EQ(recall(rows, rows.view().rows_between(0, 2), {}, 40, 40), 1);
}

TEST(HnswIndex, SearchesTheSmallestSets) {
  const float query[] = {1, 2};
  for (const int64_t count : {0, 1, 2, 3, 9}) {
    const Matrix rows = clustered_rows(14, 1, count, 2);
    const HnswIndex index(rows, {}, {});
    HnswSearch search(index, 50);
    EXPECT_EQ(list(search.nearest(query, 50, 50)), first_rows(count));
    EXPECT_EQ(list(search.nearest(query, 1, 0)), true_nearest(rows, query, 1, {}));
  }
}

TEST(HnswIndex, SearchesRowsWithoutColumns) {
  const HnswIndex index(Matrix::zeros(5, 0), {}, {});
  EXPECT_EQ(list(HnswSearch(index, 3).nearest(nullptr, 3, 3)), first_rows(3));
}

TEST(HnswIndex, CutsWhatIsAskedToWhatThereIs) {
  const Matrix rows = smooth_rows(15, 1, 3);
  const HnswIndex index(rows, {}, {});
  const float* query = rows.row(0).data();
  EXPECT_EQ(list(HnswSearch(index, 1000).nearest(query, 1000, 1000)), first_rows(kSteps));
  HnswSearch small(index, 10);
  EXPECT_EQ(small.nearest(query, 50, 1).size(), 10u);
  EXPECT_EQ(small.nearest(query, 5, 1'000'000).size(), 5u);
  EXPECT_EQ(small.nearest(query, 0, 10).size(), 0u);
  EXPECT_EQ(small.nearest(query, -1, -1).size(), 0u);
}

TEST(HnswIndex, DoesNotAllocateInASearch) {
  const Matrix rows = smooth_rows(16, 30, 7), queries = smooth_rows(17, 1, 7);
  const float periods[] = {6.2831853f};
  const HnswIndex index(rows, {.periods = periods}, {});
  std::optional<HnswSearch> search;
  EXPECT_GT(allocations_of([&] { search.emplace(index, 400); }), 0) << "nothing is counted";
  EXPECT_EQ(allocations_of([&] {
              for (int64_t i = 0; i < queries.rows(); ++i)
                for (const int64_t effort : {1, 50, 400})
                  search->nearest(queries.row(i).data(), 40, effort);
            }),
            0);
}

TEST(HnswIndex, ComesBackFromAQueryThatIsNotFinite) {
  const Matrix rows = smooth_rows(18, 10, 4);
  const HnswIndex index(rows, {}, {});
  HnswSearch search(index, 30);
  const auto before = list(search.nearest(rows.row(5).data(), 10, 30));
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 3e38f}) {
    const std::vector<float> query(4, value);
    for (const int32_t row : search.nearest(query.data(), 10, 30)) {
      EXPECT_GE(row, 0);
      EXPECT_LT(row, rows.rows());
    }
  }
  EXPECT_EQ(list(search.nearest(rows.row(5).data(), 10, 30)), before);
}

TEST(HnswIndex, CountsRowsWhileItBuilds) {
  Matrix rows = smooth_rows(19, 5, 4);
  std::ranges::fill(rows.row(7), 1.0f);
  std::ranges::fill(rows.row(8), 1.0f);
  std::string shown;
  Progress progress("build", rows.rows(), "rows",
                    {[&](std::string_view text) { shown += text; }, false, [] { return 80; }});
  const HnswIndex index(rows, {}, {}, &progress);
  progress.finish();
  EXPECT_TRUE(shown.starts_with("build: 500 rows in")) << shown;
}

TEST(HnswIndex, RefusesMoreRowsThanItCanNumber) {
  // The size is checked before anything is read, so the view may look at nothing.
  const MatrixView rows(nullptr, int64_t{1} << 31, 4, 4);
  EXPECT_NE(error_of([&] { HnswIndex(rows, {}, {}); }).find("too many"), std::string::npos);
}

}  // namespace
}  // namespace darp
