#include "darp/report/markup.h"

#include <gtest/gtest.h>

#include "darp/core/rng.h"
#include "darp/core/utf8.h"
#include "tests/well_formed.h"

namespace darp {
namespace {

TEST(Markup, ShowsEveryCharacterAndOpensNoTag) {
  EXPECT_EQ(escaped("<b title='x'>\"a\" & b</b>").text,
            "&lt;b title=&#39;x&#39;&gt;&quot;a&quot; &amp; b&lt;/b&gt;");
  EXPECT_EQ(escaped("Größe\n\t1").text, "Größe\n\t1");
}

TEST(Markup, ReplacesWhatIsNoText) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped(std::string_view("a\0b", 3)).text, "a" + mark + "b");
  EXPECT_EQ(escaped("\x1b[31m\xff").text, mark + "[31m" + mark);
  EXPECT_EQ(escaped("\xC2\x85").text, mark);      // a C1 control
  EXPECT_EQ(escaped("\xE2\x80\xAE").text, mark);  // right-to-left override
  EXPECT_EQ(escaped("\xEF\xBF\xBF").text, mark);  // U+FFFF is no character
}

TEST(Markup, OfAnyBytesIsWellFormedText) {
  Rng rng(1);
  for (int round = 0; round < 500; ++round) {
    std::string bytes;
    for (int i = 0; i < 60; ++i) bytes += static_cast<char>(rng.below(256));
    const std::string text = escaped(bytes).text;
    EXPECT_TRUE(is_valid_utf8(text));
    EXPECT_EQ(markup_problem("<p title=\"" + text + "\">" + text + "</p>"), "");
  }
}

TEST(Markup, ShortensByCharactersAndSaysSo) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "ab…");
  EXPECT_EQ(shortened("äöüß", 3), "äö…");
  EXPECT_EQ(shortened("", 3), "");
}

TEST(Markup, DataUrisAreBase64) {
  // RFC 4648's own examples.
  const auto uri = [](std::string_view text) { return data_uri("a/b", as_byte_span(text)); };
  EXPECT_EQ(uri(""), "data:a/b;base64,");
  EXPECT_EQ(uri("f"), "data:a/b;base64,Zg==");
  EXPECT_EQ(uri("fo"), "data:a/b;base64,Zm8=");
  EXPECT_EQ(uri("foo"), "data:a/b;base64,Zm9v");
  EXPECT_EQ(uri("foobar"), "data:a/b;base64,Zm9vYmFy");
  EXPECT_EQ(uri("\xff\xfe\xfd"), "data:a/b;base64,//79");
}

}  // namespace
}  // namespace darp
