#include "darp/core/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <thread>
#include <vector>

namespace darp {
namespace {

/// A sum whose rounding depends on how the work is cut: one partial sum per chunk, added in order.
double chunked_sum(ThreadPool& pool, int64_t count, int64_t grain) {
  std::vector<double> partial(static_cast<size_t>((count + grain - 1) / grain));
  pool.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += std::sin(static_cast<double>(i)) * 1e-3;
    partial[static_cast<size_t>(begin / grain)] = sum;
  });
  double total = 0;
  for (const double sum : partial) total += sum;
  return total;
}

TEST(ThreadPool, AnyNumberOfThreadsGivesTheSameBits) {
  ThreadPool one(1);
  const double expected = chunked_sum(one, 10007, 64);
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int repeat = 0; repeat < 20; ++repeat) EXPECT_EQ(chunked_sum(pool, 10007, 64), expected);
  }
}

TEST(ThreadPool, CoversEveryItemOnceInChunksOfTheGrain) {
  ThreadPool pool(3);
  for (const auto& [count, grain] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 1}, {10, 3}, {9, 3}, {100, 1}, {5, 100}, {7, INT64_MAX}}) {
    std::vector<std::atomic<int>> visits(static_cast<size_t>(count));
    std::atomic<bool> well_cut{true};
    const int64_t items = count, step = grain;
    pool.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
      if (begin % step != 0 || (end != items && end - begin != step)) well_cut = false;
      for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
    });
    EXPECT_TRUE(well_cut);
    for (const auto& n : visits) EXPECT_EQ(n, 1);
  }
}

TEST(ThreadPool, NothingToDoCallsNothing) {
  for (const int threads : {1, 4}) {
    ThreadPool pool(threads);
    pool.parallel_for(0, 10, [](int64_t, int64_t) { ADD_FAILURE(); });
  }
}

TEST(ThreadPool, ZeroThreadsMeansOnePerUsableCore) {
  EXPECT_GE(ThreadPool(0).threads(), 1);
}

TEST(ThreadPool, LoopsInsideLoopsRunInPlace) {
  ThreadPool pool(4), other(2);
  std::atomic<int64_t> sum{0};
  pool.parallel_for(20, 1, [&](int64_t i, int64_t) {
    const auto caller = std::this_thread::get_id();
    pool.parallel_for(10, 1, [&](int64_t j, int64_t) {
      if (std::this_thread::get_id() != caller) sum += 1000000;
      sum += i * 10 + j;
    });
    other.parallel_for(2, 1, [&](int64_t, int64_t) { sum += 1; });
  });
  EXPECT_EQ(sum, 199 * 200 / 2 + 40);
}

TEST(ThreadPool, TheExceptionOfTheLowestChunkWins) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::string caught;
      try {
        pool.parallel_for(200, 1, [&](int64_t i, int64_t) {
          // The lowest failure is the slowest.
          if (i == 13) std::this_thread::sleep_for(std::chrono::microseconds(200));
          if (i >= 13 && i % 2 == 1) throw std::runtime_error(std::to_string(i));
        });
      } catch (const std::runtime_error& e) {
        caught = e.what();
      }
      ASSERT_EQ(caught, "13") << threads << " threads";
    }
  }
}

TEST(ThreadPool, WorksOnAfterAnException) {
  ThreadPool pool(3);
  EXPECT_THROW(pool.parallel_for(50, 1, [](int64_t, int64_t) { throw 1; }), int);
  std::atomic<int> calls{0};
  pool.parallel_for(50, 1, [&](int64_t, int64_t) { ++calls; });
  EXPECT_EQ(calls, 50);
}

TEST(ThreadPool, AnExceptionInANestedLoopReachesTheCaller) {
  ThreadPool pool(3);
  for (int repeat = 0; repeat < 20; ++repeat) {
    EXPECT_THROW(pool.parallel_for(10, 1,
                                   [&](int64_t, int64_t) {
                                     pool.parallel_for(5, 1, [](int64_t j, int64_t) {
                                       if (j == 3) throw std::runtime_error("inner");
                                     });
                                   }),
                 std::runtime_error);
  }
}

TEST(ThreadPool, CallersFromSeveralThreadsTakeTurns) {
  ThreadPool pool(3);
  const double expected = chunked_sum(pool, 3000, 16);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 20; ++repeat) wrong += chunked_sum(pool, 3000, 16) != expected;
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, HugeCountsDoNotOverflow) {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    std::atomic<int64_t> items{0};
    constexpr int64_t kGrain = INT64_MAX / 2 - 1;  // three chunks, the last of three items
    pool.parallel_for(INT64_MAX, kGrain, [&](int64_t begin, int64_t end) { items += end - begin; });
    EXPECT_EQ(items, INT64_MAX);
  }
}

}  // namespace
}  // namespace darp
