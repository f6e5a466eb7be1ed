#include "darp/data/safetensors_header.h"

#include <gtest/gtest.h>

#include <string>

namespace darp {
namespace {

struct Header {
  std::string text;
  uint64_t data_bytes;  // that follow it
};

Header header(std::string_view text, uint64_t data_bytes) {
  return {std::string(text), data_bytes};
}

/// One tensor entry with these fields.
Header entry_header(std::string_view dtype, std::string_view shape, std::string_view offsets,
                    uint64_t data_bytes, std::string_view more = "") {
  return header(fmt::format(R"({{"a":{{"dtype":{},"shape":{},"data_offsets":{}{}}}}})", dtype,
                            shape, offsets, more),
                data_bytes);
}

/// The message with which a header is refused, or empty when it is accepted.
std::string refusal(const Header& given) {
  try {
    parse_safetensors_header(given.text, given.data_bytes, "test.safetensors");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

#define EXPECT_HEADER_REFUSED(given, reason)                                              \
  do {                                                                                    \
    const std::string message = refusal(given);                                           \
    EXPECT_NE(message.find(reason), std::string::npos) << "got: '" << message << "'";     \
    EXPECT_NE(message.find("test.safetensors"), std::string::npos) << "lacks the source"; \
  } while (false)

TEST(SafetensorsHeader, ReadsBackWhatItWrites) {
  SafetensorsHeader written;
  written.metadata = {{"", "quote \" and \\"}, {"line\nbreak", std::string("\0\x1F", 2)}};
  written.entries = {{"w \xE2\x82\xAC", Dtype::kBF16, {2, 3}, 0, 12},
                     {"__metadata", Dtype::kBool, {0, 5}, 12, 12}};
  const std::string text = safetensors_header_text(written);
  EXPECT_EQ((text.size() + 8) % 64, 0u);
  const SafetensorsHeader read = parse_safetensors_header(text, 12, "test");
  EXPECT_EQ(read.metadata, written.metadata);
  EXPECT_EQ(safetensors_header_text(read), text);
  ASSERT_EQ(read.entries.size(), 2u);
  EXPECT_EQ(read.entries[0].name, written.entries[0].name);
  EXPECT_EQ(read.entries[0].dtype, Dtype::kBF16);
  EXPECT_EQ(read.entries[0].shape, written.entries[0].shape);
  EXPECT_EQ(read.entries[1].begin, 12u);
}

TEST(SafetensorsHeader, RefusesWhatIsNotOneObjectAndSpaces) {
  EXPECT_HEADER_REFUSED(header("", 0), "does not start with '{'");
  EXPECT_HEADER_REFUSED(header(" {}", 0), "does not start with '{'");
  EXPECT_HEADER_REFUSED(header("[]", 0), "does not start with '{'");
  EXPECT_HEADER_REFUSED(header("{}\n", 0), "spaces only");
  EXPECT_HEADER_REFUSED(header("{} \t ", 0), "spaces only");
  EXPECT_HEADER_REFUSED(header(std::string_view("{}\0", 3), 0), "spaces only");
  EXPECT_HEADER_REFUSED(header(std::string_view("{}\0}", 4), 0), "spaces only");
  EXPECT_HEADER_REFUSED(header("{}{}", 0), "not JSON");
  EXPECT_HEADER_REFUSED(header("{", 0), "spaces only");
  EXPECT_HEADER_REFUSED(header("{\"a\":}", 0), "not JSON");
  EXPECT_HEADER_REFUSED(header("{/**/}", 0), "not JSON");
  EXPECT_HEADER_REFUSED(header("{\"__metadata__\":{},}", 0), "not JSON");
}

TEST(SafetensorsHeader, RefusesTextThatIsNotUtf8) {
  EXPECT_HEADER_REFUSED(header("{\"__metadata__\":{\"k\":\"\xFF\"}}", 0), "not UTF-8");
  EXPECT_HEADER_REFUSED(header("{\"__metadata__\":{\"k\":\"\xC0\x80\"}}", 0), "not UTF-8");
  EXPECT_HEADER_REFUSED(header("{\"__metadata__\":{\"k\":\"\xED\xA0\x80\"}}", 0), "not UTF-8");
  EXPECT_HEADER_REFUSED(header(R"({"__metadata__":{"k":"\ud800"}})", 0), "not JSON");
}

TEST(SafetensorsHeader, RefusesDuplicateKeysEverywhere) {
  const std::string a = R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  EXPECT_EQ(refusal(header("{" + a + "}", 0)), "");
  EXPECT_HEADER_REFUSED(header("{" + a + "," + a + "}", 0), "names 'a' twice");
  EXPECT_HEADER_REFUSED(header(R"({"__metadata__":{},"__metadata__":{}})", 0), "twice");
  EXPECT_HEADER_REFUSED(header(R"({"__metadata__":{"k":"1","\u006b":"2"}})", 0), "names 'k' twice");
  EXPECT_HEADER_REFUSED(
      header(R"({"a":{"dtype":"U8","shape":[0],"shape":[0],"data_offsets":[0,0]}})", 0),
      "'shape' twice");
}

TEST(SafetensorsHeader, RefusesMetadataThatAreNotStrings) {
  for (const std::string value : {"1", "-1", "1.5", "true", "null", "{}", "[]"})
    EXPECT_HEADER_REFUSED(header(R"({"__metadata__":{"k":)" + value + "}}", 0), "not a string");
  for (const std::string value : {"1", "null", "\"x\"", "[]"})
    EXPECT_HEADER_REFUSED(header(R"({"__metadata__":)" + value + "}", 0), "not an object");
}

TEST(SafetensorsHeader, RefusesEntriesWithWrongFields) {
  EXPECT_EQ(refusal(entry_header(R"("F32")", "[2]", "[0,8]", 8)), "");
  EXPECT_HEADER_REFUSED(entry_header(R"("F31")", "[2]", "[0,8]", 8),
                        "unknown dtype 'F31'; did you mean");
  EXPECT_HEADER_REFUSED(entry_header("[]", "[2]", "[0,8]", 8), "dtype holds an array");
  EXPECT_HEADER_REFUSED(entry_header("4", "[2]", "[0,8]", 8), "dtype holds a number");
  EXPECT_HEADER_REFUSED(entry_header(R"("F32")", "2", "[0,8]", 8), "shape holds a number");
  EXPECT_HEADER_REFUSED(entry_header(R"("F32")", R"("2")", "[0,8]", 8), "shape holds a string");
  EXPECT_HEADER_REFUSED(entry_header(R"("F32")", "{}", "[0,8]", 8), "shape holds an object");
  EXPECT_HEADER_REFUSED(entry_header(R"("F32")", "[2]", "[0,8]", 8, R"(,"order":"C")"),
                        "unknown field 'order'");
  EXPECT_HEADER_REFUSED(header(R"({"a":{"dtype":"U8","shape":[0]}})", 0), "lacks one of");
  EXPECT_HEADER_REFUSED(header(R"({"a":{}})", 0), "lacks one of");
  EXPECT_HEADER_REFUSED(header(R"({"a":[]})", 0), "holds an array, not an object");
}

TEST(SafetensorsHeader, RefusesShapesThatAreNotSizes) {
  for (const std::string shape : {"[-2]", "[2.0]", "[2e0]", "[-0]", "[18446744073709551616]",
                                  "[\"2\"]", "[null]", "[true]", "[[2]]", "[{}]"})
    EXPECT_HEADER_REFUSED(entry_header(R"("F32")", shape, "[0,8]", 8), "shape holds");
  EXPECT_HEADER_REFUSED(entry_header(R"("F32")", "[1e999]", "[0,8]", 8), "not JSON");
  // Both products are 8 when they wrap around.
  EXPECT_HEADER_REFUSED(entry_header(R"("F32")", "[4611686018427387906]", "[0,8]", 8),
                        "impossible shape");
  EXPECT_HEADER_REFUSED(entry_header(R"("U8")", "[4294967296,4294967296,8]", "[0,8]", 8),
                        "impossible shape");
  EXPECT_HEADER_REFUSED(entry_header(R"("F32")", "[3]", "[0,8]", 8),
                        "holds 8 bytes where F32 [3] takes 12");
}

TEST(SafetensorsHeader, RefusesOffsetsThatDoNotCoverTheData) {
  EXPECT_HEADER_REFUSED(entry_header(R"("U8")", "[8]", "[0]", 8), "1 data_offsets instead of 2");
  EXPECT_HEADER_REFUSED(entry_header(R"("U8")", "[8]", "[0,8,8]", 8), "a third offset");
  EXPECT_HEADER_REFUSED(entry_header(R"("U8")", "[8]", "[-1,7]", 8), "a negative number");
  EXPECT_HEADER_REFUSED(entry_header(R"("U8")", "[8]", "[8,0]", 8),
                        "ends at 0 before it begins at 8");
  EXPECT_HEADER_REFUSED(entry_header(R"("U8")", "[8]", "[1,9]", 9), "a hole");
  EXPECT_HEADER_REFUSED(entry_header(R"("U8")", "[8]", "[0,8]", 9),
                        "9 data bytes where its tensors take 8");
  EXPECT_HEADER_REFUSED(entry_header(R"("U8")", "[8]", "[0,8]", 7),
                        "7 data bytes where its tensors take 8");
  EXPECT_HEADER_REFUSED(
      entry_header(R"("U8")", "[18446744073709551615]", "[0,18446744073709551615]", 1),
      "1 data bytes");
  const auto pair = [](std::string_view b) {
    return header(fmt::format(R"({{"a":{{"dtype":"U8","shape":[4],"data_offsets":[0,4]}},)"
                              R"("b":{{"dtype":"U8","shape":[4],"data_offsets":{}}}}})",
                              b),
                  8);
  };
  EXPECT_EQ(refusal(pair("[4,8]")), "");
  EXPECT_HEADER_REFUSED(pair("[3,7]"), "tensors overlap");
  EXPECT_HEADER_REFUSED(pair("[0,4]"), "tensors overlap");
  EXPECT_HEADER_REFUSED(pair("[5,9]"), "a hole");
}

TEST(SafetensorsHeader, StopsAtDeepNesting) {
  const std::string deep(1'000'000, '[');
  EXPECT_HEADER_REFUSED(header("{\"a\":" + deep + "}", 0), "holds an array, not an object");
  EXPECT_HEADER_REFUSED(entry_header(R"("F32")", deep, "[0,8]", 8), "shape holds an array");
}

}  // namespace
}  // namespace darp
