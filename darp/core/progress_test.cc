#include "darp/core/progress.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace darp {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A screen and a clock in the test's hands.
struct Fake {
  bool terminal = true;
  int width = 80;
  std::vector<std::string> written;
  Progress::Time now = seconds(1000);

  Progress::Output output() {
    return {[this](std::string_view text) { written.emplace_back(text); }, terminal,
            [this] { return width; }};
  }
  Progress::Clock clock() {
    return [this] { return now; };
  }
};

TEST(Progress, DrawsBarCountRateAndTimeLeft) {
  Fake fake;
  Progress progress("train", 2000, "steps", fake.output(), fake.clock());
  progress.status("loss 0.5");
  fake.now += seconds(10);
  progress.advance(500);
  ASSERT_EQ(fake.written.size(), 2u);
  EXPECT_EQ(fake.written[0],
            "\rtrain [>                                       ]   0%  0/2000 steps\x1b[K");
  EXPECT_EQ(
      fake.written[1],
      "\rtrain [====>            ]  25%  500/2000 steps  50 steps/s  30s left  loss 0.5\x1b[K");
}

TEST(Progress, DrawsAtMostTenTimesASecond) {
  Fake fake;
  Progress progress("x", 1000, "steps", fake.output(), fake.clock());
  for (int i = 0; i < 1000; ++i) {
    fake.now += milliseconds(1);
    progress.advance();
  }
  EXPECT_EQ(fake.written.size(), 11u);
}

TEST(Progress, FinishLeavesOneLineOnce) {
  Fake fake;
  {
    Progress progress("train", 20, "steps", fake.output(), fake.clock());
    fake.now += seconds(65);
    progress.advance(20);
    fake.written.clear();
    progress.status("loss 0.1");
    progress.finish();
    progress.finish();
    fake.now += seconds(65);
    progress.advance();
  }
  EXPECT_EQ(
      fake.written,
      (std::vector<std::string>{"\rtrain: 20 steps in 1m05s, 0.3 steps/s, loss 0.1\x1b[K\n"}));
}

TEST(Progress, DestroyedUnfinishedItCleansTheLine) {
  Fake fake;
  { Progress progress("train", 20, "steps", fake.output(), fake.clock()); }
  EXPECT_EQ(fake.written.back(), "\r\x1b[K");
  fake.written.clear();
  fake.terminal = false;
  { Progress progress("train", 20, "steps", fake.output(), fake.clock()); }
  EXPECT_TRUE(fake.written.empty());
}

TEST(Progress, WithoutATerminalItWritesPlainLinesEveryTenSeconds) {
  Fake fake;
  fake.terminal = false;
  Progress progress("read", 100, "files", fake.output(), fake.clock());
  for (int i = 0; i < 25; ++i) {
    fake.now += seconds(1);
    progress.advance(2);
  }
  progress.finish();
  EXPECT_EQ(fake.written,
            (std::vector<std::string>{"read: 20%  20/100 files  2.0 files/s  40s left\n",
                                      "read: 40%  40/100 files  2.0 files/s  30s left\n",
                                      "read: 50 files in 25s, 2.0 files/s\n"}));
}

TEST(Progress, AnUnknownTotalShowsCountRateAndElapsedTime) {
  Fake fake;
  Progress progress("read", 0, "rows", fake.output(), fake.clock());
  fake.now += seconds(7200 + 180 + 5);
  progress.advance(7385 * 1500);
  EXPECT_EQ(fake.written.back(), "\rread: 11077500 rows  1.5k rows/s  2h03m\x1b[K");
}

TEST(Progress, MoreThanTheTotalIsFullWithoutTimeLeft) {
  Fake fake;
  Progress progress("x", 10, "steps", fake.output(), fake.clock());
  fake.now += seconds(1);
  progress.advance(15);
  EXPECT_EQ(fake.written.back(),
            "\rx [========================================] 100%  15/10 steps  15 steps/s\x1b[K");
}

TEST(Progress, NoElapsedTimeMeansNoRate) {
  Fake fake;
  Progress progress("x", 10, "steps", fake.output(), fake.clock());
  progress.advance(10);
  progress.finish();
  EXPECT_EQ(fake.written.back(), "\rx: 10 steps in 0s\x1b[K\n");
}

TEST(Progress, HopelessRatesDoNotOverflow) {
  Fake fake;
  Progress progress("x", INT64_MAX, "steps", fake.output(), fake.clock());
  fake.now += std::chrono::hours(1000);
  progress.advance(1);
  EXPECT_NE(fake.written.back().find("277777h46m left"), std::string::npos) << fake.written.back();
}

TEST(Progress, NeverWrapsWhateverTheWidth) {
  for (int width = 1; width < 130; ++width) {
    Fake fake;
    fake.width = width;
    Progress progress("läuft 日本", 1000, "steps", fake.output(), fake.clock());
    progress.status("loss 0.123\n");
    fake.now += seconds(3);
    progress.advance(333);
    progress.finish();
    for (const std::string& text : fake.written) {
      std::string line = text.substr(1, text.find("\x1b[K") - 1);
      for (const auto& [wide, columns] :
           {std::pair<std::string, std::string>{"日", "xx"}, {"本", "xx"}, {"ä", "x"}})
        if (const size_t at = line.find(wide); at != std::string::npos)
          line.replace(at, wide.size(), columns);
      EXPECT_LT(line.size(), static_cast<size_t>(width)) << text;
    }
  }
}

TEST(Progress, CountsFromManyThreads) {
  Fake fake;
  Progress progress("x", 4000, "steps", fake.output(), fake.clock());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        progress.advance();
        if (i % 100 == 0) progress.status("at " + std::to_string(i));
      }
    });
  for (std::thread& thread : threads) thread.join();
  progress.status("");
  progress.finish();
  EXPECT_EQ(fake.written.back(), "\rx: 4000 steps in 0s\x1b[K\n");
}

TEST(Progress, ThreadsDrawOneAtATime) {
  std::atomic<int64_t> clock{0};
  std::vector<std::string> written;  // unguarded on purpose: the lock in Progress is tested
  Progress progress(
      "x", 0, "steps",
      {[&](std::string_view text) { written.emplace_back(text); }, true, [] { return 80; }},
      [&] { return Progress::Time(milliseconds(clock.fetch_add(60))); });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) progress.advance();
    });
  for (std::thread& thread : threads) thread.join();
  // The first look, and at least one more: how many depends on who waits for whom.
  EXPECT_GE(written.size(), 2u);
  for (const std::string& text : written) EXPECT_TRUE(text.starts_with("\r")) << text;
}

TEST(Progress, StandardErrorAndTheSteadyClockWork) {
  const Progress::Output output = Progress::standard_error();
  EXPECT_GT(output.width(), 0);
  const Progress::Clock clock = Progress::steady_clock();
  const Progress::Time before = clock();
  EXPECT_GE(clock(), before);
}

TEST(DurationText, UsesTwoUnitsAtMost) {
  EXPECT_EQ(duration_text(seconds(0)), "0s");
  EXPECT_EQ(duration_text(seconds(8)), "8s");
  EXPECT_EQ(duration_text(seconds(59)), "59s");
  EXPECT_EQ(duration_text(seconds(60)), "1m00s");
  EXPECT_EQ(duration_text(seconds(65)), "1m05s");
  EXPECT_EQ(duration_text(seconds(3599)), "59m59s");
  EXPECT_EQ(duration_text(seconds(7380)), "2h03m");
  EXPECT_EQ(duration_text(seconds(-5)), "0s");
}

TEST(ShortNumber, KeepsAboutThreeDigits) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(0.52), "0.5");
  EXPECT_EQ(short_number(12.4), "12");
  EXPECT_EQ(short_number(999.4), "999");
  EXPECT_EQ(short_number(999.6), "1.0k");
  EXPECT_EQ(short_number(1234), "1.2k");
  EXPECT_EQ(short_number(56789), "57k");
  EXPECT_EQ(short_number(3.4e6), "3.4M");
}

}  // namespace
}  // namespace darp
