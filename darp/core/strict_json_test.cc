#include "darp/core/strict_json.h"

#include <gtest/gtest.h>

#include "darp/core/error.h"

namespace darp {
namespace {

/// What the Error says, or nothing.
template <class Action>
std::string json_error(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
std::string parse_error_of(std::string_view text) {
  return json_error([&] { parse_strict_json(text, "f", 3); });
}

TEST(StrictJson, ReadsWhatIsWellFormed) {
  const auto value = parse_strict_json(R"({"a": [1, 2.5], "b": {"c": "x"}, "d": true})", "f", 3);
  const JsonPlace top(value, "f");
  EXPECT_EQ(top.member("a").size(), 2u);
  EXPECT_EQ(top.member("a").item(0).unsigned_integer(), 1u);
  EXPECT_EQ(top.member("a").item(1).number(), 2.5);
  EXPECT_EQ(top.member("b").member("c").text(), "x");
  EXPECT_TRUE(top.member("d").boolean());
}

TEST(StrictJson, RefusesWhatIsNotJson) {
  using namespace std::string_literals;
  for (const std::string& text :
       {""s, "{"s, "nan"s, "[1,]"s, "{} {}"s, "{'a': 1}"s, "\xff"s, "\"\xc0\x80\""s, "[1] // x"s})
    EXPECT_NE(parse_error_of(text).find("is not JSON at byte"), std::string::npos) << text;
  EXPECT_NE(parse_error_of("{}\0[["s), "");
}

TEST(StrictJson, RefusesNumbersThatNoDoubleHolds) {
  EXPECT_NE(parse_error_of("[1e999]").find("too large"), std::string::npos);
  EXPECT_EQ(parse_error_of("[1e308]"), "");
}

TEST(StrictJson, RefusesTheSameKeyTwiceInOneObjectOnly) {
  EXPECT_NE(parse_error_of(R"({"a": 1, "a": 2})").find("'a' twice"), std::string::npos);
  EXPECT_NE(parse_error_of(R"([{}, {"b": {"a": 1, "a": 2}}])"), "");
  EXPECT_EQ(parse_error_of(R"({"a": {"a": 1}, "b": {"a": 1}})"), "");
}

TEST(StrictJson, RefusesDeepNestingHoweverDeep) {
  EXPECT_EQ(parse_error_of("[[[1]]]"), "");
  EXPECT_NE(parse_error_of("[[[[1]]]]"), "");
  EXPECT_NE(parse_error_of(std::string(1'000'000, '[')), "");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"a":)";
  EXPECT_NE(parse_error_of(objects), "");
}

TEST(StrictJson, RefusesVeryManyObjects) {
  std::string many = "[{}";
  for (int i = 0; i < 100'000; ++i) many += ",{}";
  EXPECT_NE(parse_error_of(many + "]").find("too many"), std::string::npos);
}

TEST(StrictJson, SaysWhereAValueIsOfTheWrongKind) {
  const auto value =
      parse_strict_json(R"({"a": {"list": [1, "x", -3, 2.5, null, 1e300]}})", "f", 3);
  const JsonPlace list = JsonPlace(value, "f").member("a").member("list");
  EXPECT_NE(json_error([&] {
              list.item(1).number();
            }).find("f: a.list[1]: is text where a number belongs"),
            std::string::npos);
  EXPECT_NE(json_error([&] { list.text(); }).find("f: a.list: is a list where text"),
            std::string::npos);
  EXPECT_NE(json_error([&] { list.item(0).text(); }), "");
  EXPECT_NE(json_error([&] { list.item(0).boolean(); }), "");
  EXPECT_NE(json_error([&] { list.item(0).size(); }), "");
  EXPECT_NE(json_error([&] { list.item(0).member("x"); }), "");
  EXPECT_NE(json_error([&] { list.member("x"); }), "");
  for (const size_t i : {1, 2, 3, 4, 5})
    EXPECT_NE(json_error([&] { list.item(i).unsigned_integer(); }), "") << i;
  EXPECT_NE(json_error([&] { list.item(0).unsigned_integer(0); }).find("from 0 to 0"),
            std::string::npos);
  EXPECT_TRUE(list.item(4).is_null());
}

TEST(StrictJson, NamesMissingAndUnknownKeys) {
  const auto value = parse_strict_json(R"({"retruns": 1})", "f", 3);
  const JsonPlace top(value, "f");
  EXPECT_NE(json_error([&] { top.member("returns"); }).find("has no 'returns'"), std::string::npos);
  constexpr std::string_view kKnown[] = {"returns", "seeds"};
  EXPECT_NE(json_error([&] { top.check_keys(kKnown); }).find("did you mean 'returns'"),
            std::string::npos);
}

}  // namespace
}  // namespace darp
