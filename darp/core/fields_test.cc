#include "darp/core/fields.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/error_of.h"
#include "tests/example_settings.h"

namespace darp {
namespace {

template <class S = TrainSettings>
std::string read_error(std::string_view yaml) {
  return error_of([&] {
    S settings;
    read_yaml(yaml, "train.yaml", settings);
  });
}

std::string override_error(std::string_view assignment) {
  return error_of([&] {
    TrainSettings settings;
    apply_override(assignment, settings);
  });
}

TEST(Fields, ReadWhatIsNamedAndKeepTheRest) {
  TrainSettings s;
  read_yaml("epochs: 5\noptimizer:\n  betas: [0, .5]\nschedule: off\ntags:\n- a\n- 7\n", "x", s);
  EXPECT_EQ(s.epochs, 5);
  EXPECT_EQ(s.optimizer.betas, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(s.schedule, Schedule::kOff);
  EXPECT_EQ(s.tags, (std::vector<std::string>{"a", "7"}));
  EXPECT_EQ(s.optimizer.rate, 1e-3);
  EXPECT_EQ(s.name, "run");
}

TEST(Fields, EmptyDocumentsAndGroupsChangeNothing) {
  for (const char* yaml : {"", "# comment", "---\n", "optimizer:\n", "optimizer: {}", "{}",
                           "\xEF\xBB\xBF# marked", "nothing: {}"}) {
    TrainSettings s;
    s.epochs = 7;
    ASSERT_NO_THROW(read_yaml(yaml, "x", s)) << yaml;
    EXPECT_EQ(write_yaml(s), [] {
      TrainSettings t;
      t.epochs = 7;
      return write_yaml(t);
    }()) << yaml;
  }
}

TEST(Fields, AFailedReadChangesNothing) {
  TrainSettings s;
  EXPECT_THROW(read_yaml("epochs: 5\nname: 3\nshuffle: maybe\n", "x", s), Error);
  EXPECT_THROW(apply_override("optimizer={rate: 1, betas: 7}", s), Error);
  EXPECT_EQ(write_yaml(s), write_yaml(TrainSettings{}));
}

TEST(Fields, UnknownKeysNamePlacePathAndNearestKey) {
  EXPECT_EQ(
      read_error("# x\noptimizer:\n  rat: 1\n"),
      "train.yaml:3: unknown setting 'optimizer.rat'; did you mean 'rate'? valid: rate, betas");
  const std::string top = read_error("epochs: 3\n\nepoch: 1\n");
  EXPECT_SAYS(top, "train.yaml:3: unknown setting 'epoch'; did you mean 'epochs'? valid: epochs, ");
  EXPECT_SAYS(read_error("nothing: {a: 1}"), "'nothing.a'; this group has no settings");
  EXPECT_SAYS(read_error("b: 1\na: 1"), "train.yaml:1: unknown setting 'b'");
  EXPECT_SAYS(read_error("<<: {epochs: 1}"), "unknown setting '<<'");
}

TEST(Fields, DuplicateKeysAreRefusedWithTheirLine) {
  EXPECT_EQ(read_error("epochs: 1\nname: a\nepochs: 2\n"),
            "train.yaml:3: 'epochs' is set twice; remove one of the two");
  EXPECT_SAYS(read_error("optimizer:\n  rate: 1\n  rate: 2\n"),
              ":3: 'optimizer.rate' is set twice");
}

TEST(Fields, WrongTypesSayWhatWasFoundAndWhatIsExpected) {
  EXPECT_SAYS(read_error("\nepochs: many"),
              "train.yaml:2: 'epochs' is 'many', expected an integer; ");
  EXPECT_SAYS(read_error("epochs: \"5\""), "'epochs' is the text \"5\", expected an integer");
  EXPECT_SAYS(read_error("epochs: [5]"), "'epochs' is a list, expected an integer");
  EXPECT_SAYS(read_error("epochs: {a: 5}"), "'epochs' is a group of settings, expected an integer");
  EXPECT_SAYS(read_error("epochs:"), "train.yaml:1: 'epochs' is empty, expected an integer");
  EXPECT_SAYS(read_error("epochs: null"), "'epochs' is empty");
  EXPECT_SAYS(read_error("name: ~"), "'name' is empty, expected text; write \"\" for");
  EXPECT_SAYS(read_error("name: [a]"), "'name' is a list, expected text");
  EXPECT_SAYS(read_error("shuffle: yes"), "expected true or false; write true or false (not yes");
  EXPECT_SAYS(read_error("shuffle: 1"), "'shuffle' is '1'");
  EXPECT_SAYS(read_error("shuffle: True"), "'shuffle' is 'True'");
  EXPECT_SAYS(read_error("widths: 256"), "'widths' is '256', expected a list of integers");
  EXPECT_SAYS(read_error("widths: [1, 2.5]"), "'widths[1]' is '2.5', expected an integer");
  EXPECT_SAYS(read_error("tags: a"), "expected a list of text");
  EXPECT_SAYS(read_error("tags: [[a]]"), "'tags[0]' is a list, expected text");
  EXPECT_SAYS(read_error("optimizer: 5"), "'optimizer' is '5', expected a group of settings");
  EXPECT_SAYS(read_error("schedule: cosin"),
              "'schedule' is 'cosin', expected one of its names; did you mean 'cosine'? valid: ");
  EXPECT_SAYS(read_error("schedule: [off]"), "'schedule' is a list");
  EXPECT_SAYS(read_error("? [a]\n: 1"), "a key is a list, expected a name");
  EXPECT_SAYS(read_error("~: 1"), "a key is empty");
}

TEST(Fields, BoundsAreNamedAndInclusive) {
  EXPECT_SAYS(read_error("epochs: 0"), "'epochs' is '0', expected an integer at least 1");
  EXPECT_SAYS(read_error("optimizer:\n  rate: 10.5"),
              ":2: 'optimizer.rate' is '10.5', expected a "
              "number from 0 to 10");
  EXPECT_SAYS(read_error("optimizer: {betas: [0.5, -1]}"), "'optimizer.betas[1]' is '-1'");
  EXPECT_EQ(read_error("epochs: 1\noptimizer: {rate: 10, betas: [0, 1]}"), "no error");
}

TEST(Fields, BoundsOfLargeIntegersAreExact) {
  struct Large {
    int64_t value = 0;
    void visit_fields(FieldVisitor& v) { v.field("value", value, "V.", {.max = 0x1p53}); }
  } s;
  read_yaml("value: 9007199254740992", "x", s);
  EXPECT_THROW(read_yaml("value: 9007199254740993", "x", s), Error);
}

TEST(Fields, IntegersAreDecimalDigitsInRange) {
  Free s;
  for (const auto& [text, value] :
       std::vector<std::pair<std::string, int64_t>>{{"0", 0},
                                                    {"-0", 0},
                                                    {"+5", 5},
                                                    {"9223372036854775807", INT64_MAX},
                                                    {"-9223372036854775808", INT64_MIN},
                                                    {"!!int 3", 3}}) {
    s.number = 99;
    read_yaml("number: " + text, "x", s);
    EXPECT_EQ(s.number, value) << text;
  }
  for (const char* text :
       {"1.5", "1e3", "0x10", "0o17", "010", "00", "-01", "1_000", "+", "--1", "+-1",
        "9223372036854775808", "-9223372036854775809", "5 6", "'5'", "!!str 5", "1.0", ".inf"})
    EXPECT_SAYS(read_error<Free>(std::string("number: ") + text), "'number' is ") << text;
}

TEST(Fields, NumbersAreFiniteDecimals) {
  Free s;
  for (const auto& [text, value] : std::vector<std::pair<std::string, double>>{
           {"1e-3", 1e-3},
           {"5", 5},
           {".5", 0.5},
           {"5.", 5},
           {"+2E+2", 200},
           {"-1.5e0", -1.5},
           {"5e-324", 5e-324},
           {"1.7976931348623157e308", 1.7976931348623157e308}}) {
    read_yaml("real: " + text, "x", s);
    EXPECT_EQ(s.real, value) << text;
  }
  for (const char* text : {"nan", ".nan", "inf", "-.inf", "-inf", "1e999", "1e-999", "0x1p3", "1e",
                           "e5", ".", "1,5", "1.2.3", "+-1", "++1", "'1'", "infinity"})
    EXPECT_SAYS(read_error<Free>(std::string("real: ") + text), "'real' is ") << text;
}

TEST(Fields, BrokenYamlIsAnErrorWithItsLine) {
  EXPECT_SAYS(read_error("a: 1\nb: [1, 2"), "train.yaml:2: is not valid YAML: ");
  EXPECT_SAYS(read_error("epochs: 1\n  name: x"), "train.yaml:2: is not valid YAML: ");
  EXPECT_SAYS(read_error("- 1"), "train.yaml:1: is a list, expected settings");
  EXPECT_SAYS(read_error("word"), "is 'word', expected settings");
  EXPECT_SAYS(read_error("epochs: 1\n---\nepochs: 2"), "more text follows");
  EXPECT_SAYS(read_error("epochs: 1\nname: !!python/object:os.system x"),
              ":2: the tag 'tag:yaml.org");
  EXPECT_SAYS(read_error("name: !mine x"), "the tag '!mine' is not supported");
  EXPECT_SAYS(read_error("optimizer: !!seq {rate: 1}"), "the tag ");
  EXPECT_SAYS(read_error("widths: &w [1]\ntags: *w"), "train.yaml:2: aliases");
  EXPECT_SAYS(read_error("widths: &w [*w]"), "aliases");
  EXPECT_SAYS(read_error("name: a\nname: \xff"), "train.yaml:2: byte 0xff is not valid UTF-8");
  EXPECT_SAYS(read_error(std::string_view("name: a\0b", 9)), "the control character 0x00");
  EXPECT_SAYS(read_error("name: a\n\x04"), "train.yaml:2: holds the control character 0x04");
  EXPECT_SAYS(read_error("name: \"\\N\""), "does not give a character");
  EXPECT_SAYS(read_error("name: \"\\ud800\""), "is not valid YAML");
}

TEST(Fields, LargeAndDeepTextIsRefused) {
  EXPECT_SAYS(read_error(std::string((1 << 20) + 1, ' ')), "expected at most 1048576");
  EXPECT_EQ(read_error(std::string(1 << 20, '\n')), "no error");
  std::string indented;
  for (size_t i = 0; i < 1000; ++i) indented += std::string(i, ' ') + "a:\n";
  const auto repeat = [](std::string_view text, size_t times) {
    std::string all;
    while (times-- > 0) all += text;
    return all;
  };
  for (const std::string& yaml : {repeat("[", 100000),
                                  repeat("{", 100000),
                                  repeat("{a: ", 100000),
                                  repeat("- ", 100000),
                                  repeat("? ", 100000),
                                  repeat("[? ", 100000),
                                  repeat("a: [", 100000),
                                  repeat("[a: ", 100000),
                                  repeat("! ", 100000),
                                  repeat("&a ", 100000),
                                  repeat("- ? ", 100000),
                                  indented,
                                  repeat("[", 1000000),
                                  repeat("]", 100000),
                                  repeat("!!", 500000),
                                  repeat(": ", 100000),
                                  repeat("--- ", 100000),
                                  repeat("|\n", 100000),
                                  repeat("\"", 100001),

                                  "name: " + repeat("[", 100000) + repeat("]", 100000)})
    EXPECT_SAYS(read_error(yaml), "train.yaml:") << yaml.substr(0, 20);
}

TEST(Fields, LongFlatTextIsRead) {
  Free s;
  std::string yaml = "numbers: [0";
  for (int i = 1; i < 100000; ++i) yaml += ", 1";
  read_yaml(yaml + "]\ntext: " + std::string(300000, 'x'), "x", s);
  EXPECT_EQ(s.numbers.size(), 100000u);
  EXPECT_EQ(s.text.size(), 300000u);
}

TEST(Fields, FilesAreReadAndMissingOnesAreErrors) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "darp_fields_test.yaml";
  write_file(path, "epochs: 12\n");
  TrainSettings s;
  read_yaml_file(path, s);
  EXPECT_EQ(s.epochs, 12);
  write_file(path, "epochs: x\n");
  EXPECT_SAYS(error_of([&] { read_yaml_file(path, s); }), path.string() + ":1: 'epochs' is 'x'");
  std::filesystem::remove(path);
  EXPECT_THROW(read_yaml_file(path, s), Error);
}

TEST(Fields, OverridesSetOneField) {
  TrainSettings s;
  for (const char* assignment : {"optimizer.rate=1e-2", "widths=[1,2,3]", "name=a=b", "epochs = 7",
                                 "schedule=constant", "optimizer={betas: []}"})
    ASSERT_NO_THROW(apply_override(assignment, s)) << assignment;
  EXPECT_EQ(s.optimizer.rate, 1e-2);
  EXPECT_EQ(s.widths, (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(s.name, "a=b");
  EXPECT_EQ(s.epochs, 7);
  EXPECT_EQ(s.schedule, Schedule::kConstant);
  EXPECT_TRUE(s.optimizer.betas.empty());
  apply_override("name=", s);
  EXPECT_EQ(s.name, "");
}

TEST(Fields, BrokenOverridesSayTheirPlace) {
  EXPECT_EQ(override_error("epochs"),
            "--set epochs: has no '='; write path=value, such as --set "
            "optimizer.rate=1e-3");
  EXPECT_SAYS(override_error("=5"), "--set =5: has no path");
  EXPECT_SAYS(override_error(" =5"), "has no path");
  for (const char* path : {"a..b=1", ".a=1", "a.=1", ".=1", "..=1"})
    EXPECT_SAYS(override_error(path), "has an empty name in its path") << path;
  EXPECT_SAYS(override_error("optimizer.rat=1"),
              "--set optimizer.rat=1: unknown setting 'optimizer.rat'; did you mean 'rate'?");
  EXPECT_SAYS(override_error("epochs=many"), "--set epochs=many: 'epochs' is 'many', expected");
  EXPECT_SAYS(override_error("epochs="), "'epochs' is the text \"\", expected an integer");
  EXPECT_SAYS(override_error("epochs.x=1"), "'epochs' is a group of settings, expected an integer");
  EXPECT_SAYS(override_error("optimizer=1"), "'optimizer' is '1', expected a group of settings");
  EXPECT_SAYS(override_error("name=[a"), "--set name=[a: is not valid YAML");
  EXPECT_SAYS(override_error("name=a: b"),
              "'name' is a group of settings, expected text; put quotes");
  std::string deep = "a";
  for (int i = 0; i < 100000; ++i) deep += ".a";
  EXPECT_SAYS(override_error(deep + "=1"), "has too many names in its path");
}

}  // namespace
}  // namespace darp
