#include "darp/train/fingerprint.h"

#include <gtest/gtest.h>

#include "darp/train/train_settings.h"

namespace darp {
namespace {

TEST(Fingerprint, NamesWhatChangedByItsPath) {
  TrainSettings settings;
  const std::string before = write_yaml(settings) + "data: abc\n";
  EXPECT_EQ(fingerprint_changes(before, before), "");
  settings.batch = 64;
  settings.optimizer.clip = 0.5;
  EXPECT_EQ(fingerprint_changes(before, write_yaml(settings) + "data: abc\n"),
            "batch was 32, is 64; optimizer.clip was 1, is 0.5");
  EXPECT_EQ(fingerprint_changes(before, write_yaml(TrainSettings()) + "data: abd\n"),
            "data was abc, is abd");
}

TEST(Fingerprint, KnowsWhatIsNewAndWhatIsGone) {
  EXPECT_EQ(fingerprint_changes("a: 1\nb: 2\n", "b: 2\nc: 3\n"), "c is new; a is gone");
  EXPECT_EQ(fingerprint_changes("", "a: 1\nb: 2\nc: 3\nd: 4\ne: 5"),
            "a is new; b is new; c is new; and 2 more");
}

TEST(Fingerprint, KeepsLevelsApart) {
  const std::string before = "a:\n  x: 1\n  b:\n    x: 2\n  y: 3\nx: 4\n";
  EXPECT_EQ(fingerprint_changes(before, "a:\n  x: 1\n  b:\n    x: 9\n  y: 3\nx: 4\n"),
            "a.b.x was 2, is 9");
  EXPECT_EQ(fingerprint_changes(before, "a:\n  x: 1\n  b:\n    x: 2\n  y: 8\nx: 4\n"),
            "a.y was 3, is 8");
  EXPECT_EQ(fingerprint_changes(before, "a:\n  x: 1\n  b:\n    x: 2\n  y: 3\nx: 7\n"),
            "x was 4, is 7");
}

TEST(Fingerprint, SurvivesTextThatIsNone) {
  EXPECT_EQ(fingerprint_changes("\n\n   \n:::\n# a\n", ""), " is gone");
  std::string deep;
  for (size_t i = 0; i < 1000; ++i) deep += std::string(2 * i, ' ') + "a:\n";
  EXPECT_EQ(fingerprint_changes(deep, deep + "b: 1\n"), "b is new");
  EXPECT_LT(fingerprint_changes("a: 1", "a: " + std::string(100'000, 'x')).size(), 300u);
}

}  // namespace
}  // namespace darp
