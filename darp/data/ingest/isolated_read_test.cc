#include "darp/data/ingest/isolated_read.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "darp/core/file.h"

namespace darp {
namespace {

/// A file of 1, 2, ..., 64 as floats, to plan over.
std::filesystem::path number_file() {
  const auto path = std::filesystem::path(::testing::TempDir()) / "isolated_read_numbers";
  std::vector<float> numbers(64);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i + 1);
  write_file(path, std::as_bytes(std::span(numbers)));
  return path;
}

/// Two episodes of 3 and 2 steps; observations from the file, actions from the staging area.
ReadPlan small_plan(StagingArea& staging) {
  ReadPlan plan{
      .format = "made up", .assembler = EpisodeAssembler("x"), .with_rewards = true, .reads = {}};
  plan.assembler.set_columns({{"a", 1}, {"b", 2}}, 2);
  plan.assembler.add_episodes({3, 5}, {"first", "second"});
  plan.assembler.add_filter("train", std::vector<int64_t>{1});
  plan.assembler.set_environment("{\"env_name\": \"e\"}");
  plan.assembler.add_note("something was left out");
  const auto [floats, offset] = staging.add(10);
  for (int i = 0; i < 10; ++i) floats[i] = static_cast<float>(100 + i);
  using Target = PlannedRead::Target;
  using Source = PlannedRead::Source;
  plan.reads = {{Target::kObservations, Source::kFile, {'f', 4, false}, 0, 5, 1, 0, 0},
                {Target::kObservations, Source::kFile, {'f', 4, false}, 40, 5, 2, 0, 1},
                {Target::kActions, Source::kStaging, {'f', 4, false}, offset, 5, 2, 0, 0},
                {Target::kRewards, Source::kFile, {'f', 4, false}, 4, 5, 1, 0, 0}};
  return plan;
}

ReadResult run(const std::function<ReadPlan(StagingArea&)>& plan, unsigned seconds = 10) {
  return read_isolated(number_file(), seconds, plan);
}

std::string error_of(const std::function<ReadPlan(StagingArea&)>& plan, unsigned seconds = 10) {
  try {
    run(plan, seconds);
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(IsolatedRead, CarriesOutWhatTheChildPlanned) {
  const ReadResult result = run(small_plan);
  const Dataset& d = result.dataset;
  EXPECT_EQ(result.format, "made up");
  EXPECT_EQ(d.episode_ends(), (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(d.episode_names(), (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(d.filter("train"), (std::vector<int64_t>{1}));
  EXPECT_EQ(d.environment(), "{\"env_name\": \"e\"}");
  EXPECT_EQ(d.notes(), (std::vector<std::string>{"something was left out"}));
  for (int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(d.observations()(i, 0), static_cast<float>(i + 1));
    EXPECT_EQ(d.observations()(i, 2), static_cast<float>(12 + 2 * i));
    EXPECT_EQ(d.actions()(i, 1), static_cast<float>(101 + 2 * i));
    EXPECT_EQ(d.rewards()[static_cast<size_t>(i)], static_cast<float>(i + 2));
  }
}

TEST(IsolatedRead, StagesMoreThanAPage) {
  constexpr int64_t kRows = 3000;
  const ReadResult result = run([](StagingArea& staging) {
    ReadPlan plan{
        .format = "", .assembler = EpisodeAssembler("x"), .with_rewards = false, .reads = {}};
    plan.assembler.set_columns({{"a", 3}}, 1);
    plan.assembler.add_episodes({kRows});
    for (const auto& [target, width] : {std::pair{PlannedRead::Target::kObservations, int64_t{3}},
                                        {PlannedRead::Target::kActions, int64_t{1}}}) {
      const auto [floats, offset] = staging.add(static_cast<uint64_t>(kRows * width));
      for (int64_t i = 0; i < kRows * width; ++i) floats[i] = static_cast<float>(i);
      plan.reads.push_back(
          {target, PlannedRead::Source::kStaging, {'f', 4, false}, offset, kRows, width, 0, 0});
    }
    return plan;
  });
  for (int64_t i = 0; i < kRows; ++i) {
    ASSERT_EQ(result.dataset.observations()(i, 2), static_cast<float>(3 * i + 2));
    ASSERT_EQ(result.dataset.actions()(i, 0), static_cast<float>(i));
  }
}

TEST(IsolatedRead, RefusesPlansThatReachOutside) {
  const auto with = [](const std::function<void(PlannedRead&)>& change) {
    return error_of([&](StagingArea& staging) {
      ReadPlan plan = small_plan(staging);
      change(plan.reads[0]);
      return plan;
    });
  };
  EXPECT_EQ(with([](PlannedRead&) {}), "no error");
  for (const auto& change : std::vector<std::function<void(PlannedRead&)>>{
           [](auto& r) { r.offset = 257; }, [](auto& r) { r.offset = UINT64_MAX; },
           [](auto& r) { r.rows = 6; }, [](auto& r) { r.rows = -1; }, [](auto& r) { r.width = 4; },
           [](auto& r) { r.first_row = 1; }, [](auto& r) { r.first_row = INT64_MIN; },
           [](auto& r) { r.first_col = 3; }, [](auto& r) { r.first_col = -1; },
           [](auto& r) {
             r.type.size = 8;
             r.offset = 250;
           },
           [](auto& r) { r.rows = INT64_MAX; }})
    EXPECT_NE(with(change).find("isolated_read_numbers: "), std::string::npos) << with(change);
}

TEST(IsolatedRead, PassesErrorsOn) {
  EXPECT_EQ(error_of([](StagingArea&) -> ReadPlan { throw Error("here", "is wrong", "mend it"); }),
            "here: is wrong; mend it");
  EXPECT_THROW(run([](StagingArea&) -> ReadPlan { throw std::bad_alloc(); }), std::bad_alloc);
}

TEST(IsolatedRead, SurvivesCrashesOfTheReader) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS}) {
    const std::string message = error_of([signal](StagingArea&) -> ReadPlan {
      ::raise(signal);
      ::_exit(0);
    });
    EXPECT_NE(message.find("makes the HDF5 library crash"), std::string::npos) << message;
  }
  EXPECT_NE(error_of([](StagingArea&) -> ReadPlan { ::_exit(3); }).find("ended early"),
            std::string::npos);
  EXPECT_NE(error_of([](StagingArea&) -> ReadPlan { ::_exit(0); }).find("ends at byte 0"),
            std::string::npos);
}

TEST(IsolatedRead, StopsAReaderThatNeverEnds) {
  const std::string message = error_of(
      [](StagingArea&) -> ReadPlan {
        for (volatile unsigned i = 0;;) i = i + 1;
      },
      1);
  EXPECT_NE(message.find("takes far too long"), std::string::npos) << message;
}

TEST(ReadPlan, RefusesEveryTruncationOfItsBytes) {
  struct Heap final : StagingArea {
    std::vector<float> floats = std::vector<float>(10);
    std::pair<float*, uint64_t> add(uint64_t) override { return {floats.data(), 0}; }
  } heap;
  ByteWriter out;
  encode_plan(out, small_plan(heap));
  for (size_t length = 0; length < out.size(); ++length) {
    ByteReader in(out.bytes().first(length), "test");
    ASSERT_THROW(decode_plan(in, "x"), Error) << length;
  }
}

}  // namespace
}  // namespace darp
