#include "darp/core/error.h"

#include <gtest/gtest.h>

#include "darp/core/rng.h"
#include "darp/core/utf8.h"

namespace darp {
namespace {

TEST(Error, ComposesPlaceFaultAndRemedy) {
  EXPECT_STREQ(Error("a.npz: x", "is empty", "record it again").what(),
               "a.npz: x: is empty; record it again");
  EXPECT_STREQ(Error("", "is empty", "").what(), "is empty");
  EXPECT_STREQ(Error("a", "is empty", "").what(), "a: is empty");
  EXPECT_STREQ(Error("", "is empty", "do").what(), "is empty; do");
}

TEST(Error, NamesFromFilesCannotFakeLinesOrDriveTheTerminal) {
  EXPECT_STREQ(Error("a\nb\x1b[31m", "x\r", "").what(), "a\\x0ab\\x1b[31m: x\\x0d");
}

TEST(Printable, KeepsTextAndEscapesTheRest) {
  EXPECT_EQ(printable("plain é 日本 🤖 \\ \""), "plain é 日本 🤖 \\ \"");
  EXPECT_EQ(printable(std::string_view("\0\t\x1f\x7f", 4)), "\\x00\\x09\\x1f\\x7f");
  EXPECT_EQ(printable("\xff"
                      "a\xc3"),
            "\\xffa\\xc3");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m\xc2\x80"),
            "\\xc2\\x9b31m\\xc2\\x80");
  EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, LongTextKeepsBothEnds) {
  const std::string text = "front" + std::string(5000, 'x') + "back";
  const std::string cut = printable(text, 100);
  EXPECT_TRUE(cut.starts_with("frontxxx"));
  EXPECT_TRUE(cut.ends_with("xxxback"));
  EXPECT_NE(cut.find(" [...] "), std::string::npos);
  EXPECT_EQ(cut.size(), 107u);
  EXPECT_EQ(printable(std::string(100, 'x'), 100), std::string(100, 'x'));
  const std::string message = Error(text, "is wrong", "do this").what();
  EXPECT_TRUE(message.ends_with("back: is wrong; do this"));
}

TEST(Printable, IsAlwaysValidUtf8OnOneLine) {
  Rng rng(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (uint64_t n = rng.below(60); n > 0; --n)
      text += rng.below(2) ? std::string(1, static_cast<char>(rng.below(256))) : "é日🤖";
    const std::string safe = printable(text, rng.below(80));
    ASSERT_TRUE(is_valid_utf8(safe));
    for (const char c : safe) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  }
}

TEST(CheckDeathTest, AbortsWithPlaceAndMessage) {
  const int rows = 3;
  DARP_CHECK(rows == 3, "not reached");
  EXPECT_DEATH(DARP_CHECK(rows == 4, "{} rows", rows),
               "error_test.cc:.*DARP_CHECK.rows == 4. failed: 3 rows");
}

}  // namespace
}  // namespace darp
