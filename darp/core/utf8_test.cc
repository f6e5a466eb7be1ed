#include "darp/core/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace darp {
namespace {

TEST(Utf8, MeasuresTheFirstCharacter) {
  EXPECT_EQ(utf8_sequence_length("a\xff"), 1u);
  EXPECT_EQ(utf8_sequence_length(std::string_view("\0", 1)), 1u);
  EXPECT_EQ(utf8_sequence_length("éx"), 2u);
  EXPECT_EQ(utf8_sequence_length("日x"), 3u);
  EXPECT_EQ(utf8_sequence_length("🤖x"), 4u);
  EXPECT_EQ(utf8_sequence_length(""), 0u);
}

TEST(Utf8, RefusesWhatIsNoCharacter) {
  for (const char* text : {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf",  // lone tail, overlong ASCII
                           "\xc3", "\xe2\x82", "\xf0\x9f\xa4", "\xc3(",      // cut short
                           "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",               // overlong
                           "\xed\xa0\x80", "\xed\xbf\xbf",                   // surrogates
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"})  // too large
    EXPECT_EQ(utf8_sequence_length(text), 0u) << text;
}

TEST(Utf8, AcceptsTheEndsOfEveryRange) {
  for (const char* text : {"\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_valid_utf8(text)) << text;
}

TEST(Utf8, CountsExactlyTheValidSequencesOfUpToThreeBytes) {
  // Every string of one, two and three bytes: as many are one character as Unicode has.
  int count[4] = {};
  for (int a = 0; a < 256; ++a) {
    std::string text(1, static_cast<char>(a));
    count[1] += utf8_sequence_length(text) == 1;
    for (int b = 0; b < 256; ++b) {
      text.resize(1);
      text += static_cast<char>(b);
      count[2] += utf8_sequence_length(text) == 2;
      for (int c = 0; c < 256; ++c) {
        text.resize(2);
        text += static_cast<char>(c);
        count[3] += utf8_sequence_length(text) == 3;
      }
    }
  }
  EXPECT_EQ(count[1], 0x80);
  EXPECT_EQ(count[2], 0x800 - 0x80);
  EXPECT_EQ(count[3], 0x10000 - 0x800 - 0x800);  // without the surrogates
}

TEST(Utf8, OneBadByteSpoilsTheText) {
  EXPECT_TRUE(is_valid_utf8(""));
  EXPECT_TRUE(is_valid_utf8("a é 日 🤖"));
  EXPECT_FALSE(is_valid_utf8("a é \xa0 🤖"));
}

TEST(Utf8, CountsColumnsByCharacters) {
  EXPECT_EQ(utf8_columns(""), 0u);
  EXPECT_EQ(utf8_columns("abc"), 3u);
  EXPECT_EQ(utf8_columns("\xC3\xA9\xE6\x97\xA5"), 2u);
}

}  // namespace
}  // namespace darp
