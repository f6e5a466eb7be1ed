#include "darp/eval/seeds.h"

#include <gtest/gtest.h>

#include "darp/core/error.h"

namespace darp {
namespace {

constexpr uint64_t kLargestSeed = ~uint64_t{0};
constexpr auto kAllPurposes = {SeedPurpose::kReport, SeedPurpose::kSearch,
                               SeedPurpose::kDemonstrate};

TEST(Seeds, AreReadAsWritten) {
  for (const SeedRange range : {SeedRange{0, 99}, SeedRange{7, 7}, SeedRange{100'000, 1'099'999},
                                SeedRange{kLargestSeed - 1, kLargestSeed}})
    EXPECT_EQ(parse_seed_range(range.text()), range) << range.text();
  EXPECT_EQ(parse_seed_range("7"), (SeedRange{7, 7}));
  EXPECT_EQ((SeedRange{0, 99}).text(), "0..99");
}

TEST(Seeds, CountBothEnds) {
  const SeedRange range{5, 8};
  EXPECT_EQ(range.count(), 4);
  EXPECT_EQ(range.seeds(), (std::vector<uint64_t>{5, 6, 7, 8}));
  EXPECT_EQ((SeedRange{kLargestSeed, kLargestSeed}).seeds(), (std::vector<uint64_t>{kLargestSeed}));
}

TEST(Seeds, OtherTextIsAnErrorThatSaysWhatToWrite) {
  for (const char* text : {"",
                           "..",
                           "1..",
                           "..5",
                           "a",
                           "1..b",
                           "-1",
                           "-1..5",
                           "+1",
                           " 1",
                           "1 ",
                           "1.5",
                           "1...5",
                           "1..2..3",
                           "0x10",
                           "1e3",
                           "18446744073709551616",
                           "0..18446744073709551616",
                           "1-5",
                           "1,2"})
    EXPECT_THROW(parse_seed_range(text), Error) << text;
  try {
    parse_seed_range("9..3");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "seeds 9..3 end before they begin; write 3..9");
  }
}

TEST(Seeds, AMillionIsTheMost) {
  EXPECT_EQ(parse_seed_range("1..1000000").count(), kMostSeeds);
  EXPECT_THROW(parse_seed_range("0..1000000"), Error);
  EXPECT_THROW(parse_seed_range("0..18446744073709551615"), Error);
}

TEST(Seeds, DefaultsLieInTheRangeOfTheirPurpose) {
  EXPECT_EQ(default_seeds(SeedPurpose::kReport).text(), "0..99");
  EXPECT_EQ(default_seeds(SeedPurpose::kSearch).text(), "100000..100099");
  EXPECT_EQ(default_seeds(SeedPurpose::kReport, 1).text(), "0..0");
  EXPECT_EQ(default_seeds(SeedPurpose::kDemonstrate, 5).text(), "1000000..1000004");
  for (const SeedPurpose purpose : kAllPurposes) {
    EXPECT_NO_THROW(check_seeds(purpose, default_seeds(purpose, 100'000)));
    for (const int64_t none : {int64_t{0}, int64_t{-1}, INT64_MIN, INT64_MAX, kMostSeeds + 1})
      EXPECT_THROW(default_seeds(purpose, none), Error) << none;
  }
  EXPECT_THROW(default_seeds(SeedPurpose::kReport, 100'001), Error);
  EXPECT_THROW(default_seeds(SeedPurpose::kSearch, 900'001), Error);
}

TEST(Seeds, NothingIsReportedOnSearchSeedsNorSearchedOnReportSeeds) {
  EXPECT_NO_THROW(check_seeds(SeedPurpose::kReport, {0, 99'999}));
  EXPECT_THROW(check_seeds(SeedPurpose::kReport, {0, 100'000}), Error);
  EXPECT_THROW(check_seeds(SeedPurpose::kReport, {100'000, 100'000}), Error);
  EXPECT_NO_THROW(check_seeds(SeedPurpose::kSearch, {100'000, 999'999}));
  EXPECT_THROW(check_seeds(SeedPurpose::kSearch, {99'999, 100'005}), Error);
}

TEST(Seeds, NothingIsEvaluatedWhereDemonstrationsStart) {
  EXPECT_THROW(check_seeds(SeedPurpose::kSearch, {100'000, 1'000'000}), Error);
  EXPECT_THROW(check_seeds(SeedPurpose::kSearch, {kLargestSeed, kLargestSeed}), Error);
  EXPECT_THROW(check_seeds(SeedPurpose::kReport, {1'000'000, 1'000'000}), Error);
  EXPECT_NO_THROW(check_seeds(SeedPurpose::kDemonstrate, {1'000'000, kLargestSeed}));
  for (const SeedRange range : {SeedRange{0, 99}, SeedRange{999'999, 1'000'001}})
    EXPECT_THROW(check_seeds(SeedPurpose::kDemonstrate, range), Error) << range.text();
}

TEST(Seeds, TellTheirPurpose) {
  for (const SeedPurpose purpose : kAllPurposes)
    EXPECT_EQ(purpose_of(default_seeds(purpose, 7)), purpose);
  for (const SeedRange range :
       {SeedRange{99'999, 100'000}, SeedRange{999'999, 1'000'000}, SeedRange{0, kLargestSeed}})
    EXPECT_THROW(purpose_of(range), Error) << range.text();
}

TEST(Seeds, PurposesHaveNames) {
  for (const SeedPurpose purpose : kAllPurposes)
    EXPECT_EQ(seed_purpose_named(name_of(purpose)), purpose);
  EXPECT_THROW(seed_purpose_named("reports"), Error);
}

}  // namespace
}  // namespace darp
