#include "darp/core/fields.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <functional>

#include "darp/core/rng.h"
#include "darp/core/utf8.h"

namespace darp {
namespace {

enum class Schedule { kConstant, kCosine, kOff };

struct OptimizerSettings {
  double rate = 1e-3;
  std::vector<double> betas = {0.9, 0.999};
  void visit_fields(FieldVisitor& v) {
    v.field("rate", rate, "Step size.", {.min = 0, .max = 10});
    v.field("betas", betas, "Decay of the moments.", {.min = 0, .max = 1});
  }
};

struct NoSettings {
  void visit_fields(FieldVisitor&) {}
};

struct TrainSettings {
  int64_t epochs = 100;
  bool shuffle = true;
  std::string name = "run";
  Schedule schedule = Schedule::kCosine;
  std::vector<int64_t> widths = {256, 256};
  std::vector<std::string> tags;
  OptimizerSettings optimizer;
  NoSettings nothing;
  void visit_fields(FieldVisitor& v) {
    v.field("epochs", epochs, "Passes over the data.", {.min = 1});
    v.field("shuffle", shuffle, "Whether steps come in random order.");
    v.field("name", name, "Name of the run.");
    v.choice(
        "schedule", schedule,
        {{"constant", Schedule::kConstant}, {"cosine", Schedule::kCosine}, {"off", Schedule::kOff}},
        "How the rate | step size changes.");
    v.field("widths", widths, "Units of each hidden layer.");
    v.field("tags", tags, "Words to find the run by.");
    v.group("optimizer", optimizer, "How weights are updated.");
    v.group("nothing", nothing, "Nothing to set.");
  }
};

struct Free {
  int64_t number = 0;
  double real = 0;
  bool flag = false;
  std::string text;
  std::vector<std::string> texts;
  std::vector<double> reals;
  std::vector<int64_t> numbers;
  void visit_fields(FieldVisitor& v) {
    v.field("number", number, "An integer.");
    v.field("real", real, "A number.");
    v.field("flag", flag, "A switch.");
    v.field("text", text, "Text.");
    v.field("texts", texts, "Texts.");
    v.field("reals", reals, "Numbers.");
    v.field("numbers", numbers, "Integers.");
  }
};

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

template <class S = TrainSettings>
std::string read_error(std::string_view yaml) {
  return message_of([&] {
    S settings;
    read_yaml(yaml, "train.yaml", settings);
  });
}

std::string override_error(std::string_view assignment) {
  return message_of([&] {
    TrainSettings settings;
    apply_override(assignment, settings);
  });
}

#define EXPECT_SAYS(message, part) EXPECT_NE((message).find(part), std::string::npos) << (message)

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
  EXPECT_SAYS(message_of([&] { read_yaml_file(path, s); }), path.string() + ":1: 'epochs' is 'x'");
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

TEST(Fields, WriteEveryFieldUnderItsSentence) {
  EXPECT_EQ(write_yaml(TrainSettings{}),
            "# Passes over the data.\n"
            "epochs: 100\n"
            "# Whether steps come in random order.\n"
            "shuffle: true\n"
            "# Name of the run.\n"
            "name: run\n"
            "# How the rate | step size changes.\n"
            "schedule: cosine\n"
            "# Units of each hidden layer.\n"
            "widths: [256, 256]\n"
            "# Words to find the run by.\n"
            "tags: []\n"
            "# How weights are updated.\n"
            "optimizer:\n"
            "  # Step size.\n"
            "  rate: 0.001\n"
            "  # Decay of the moments.\n"
            "  betas: [0.9, 0.999]\n"
            "# Nothing to set.\n"
            "nothing: {}\n");
}

std::string random_text(Rng& rng) {
  static const std::vector<std::string> kTricky = {"yes",
                                                   "1.0",
                                                   "a: b",
                                                   "# x",
                                                   "a #b",
                                                   "",
                                                   "\"",
                                                   "'",
                                                   "\n",
                                                   "\r\n",
                                                   " x",
                                                   "x ",
                                                   "~",
                                                   "null",
                                                   "\t",
                                                   "\x01",
                                                   "\x7f",
                                                   "é",
                                                   "日本",
                                                   "🤖",
                                                   "\\",
                                                   "---",
                                                   "...",
                                                   "- a",
                                                   "[",
                                                   "{a: 1}",
                                                   "&a",
                                                   "*a",
                                                   "!x",
                                                   "|",
                                                   ">",
                                                   "%",
                                                   "@",
                                                   "`",
                                                   "? a",
                                                   ": ",
                                                   "\xC2\x85",
                                                   "\xE2\x80\xA8",
                                                   "\xEF\xBB\xBF",
                                                   "\xEF\xBF\xBF",
                                                   "off",
                                                   "0x1F",
                                                   "1e3",
                                                   ",",
                                                   "\x04",
                                                   "\x1b[31m",
                                                   "<<",
                                                   "=",
                                                   "\\N"};
  std::string text;
  for (uint64_t parts = rng.below(4); parts > 0; --parts) {
    if (rng.below(3) > 0) {
      text += kTricky[rng.below(kTricky.size())];
    } else {
      for (uint64_t n = rng.below(rng.below(20) == 0 ? 3000 : 8); n > 0; --n)
        text += static_cast<char>(rng.below(128));
    }
  }
  return text;
}

double random_finite(Rng& rng) {
  for (;;)
    if (const double value = std::bit_cast<double>(rng.next_u64()); std::isfinite(value))
      return rng.below(4) == 0 ? std::round(rng.uniform(-1000, 1000)) : value;
}

TEST(Fields, WrittenValuesReadBackToTheSameBits) {
  Rng rng(7);
  const auto bits = [](double value) { return std::bit_cast<uint64_t>(value); };
  for (int round = 0; round < 1500; ++round) {
    Free s;
    s.number = static_cast<int64_t>(rng.next_u64() >> rng.below(64));
    s.real = round == 0 ? -0.0 : random_finite(rng);
    s.flag = rng.below(2) == 1;
    s.text = random_text(rng);
    for (uint64_t n = rng.below(4); n > 0; --n) s.texts.push_back(random_text(rng));
    for (uint64_t n = rng.below(4); n > 0; --n) s.reals.push_back(random_finite(rng));
    for (uint64_t n = rng.below(4); n > 0; --n)
      s.numbers.push_back(static_cast<int64_t>(rng.next_u64()));
    Free again;
    const std::string yaml = write_yaml(s);
    ASSERT_NO_THROW(read_yaml(yaml, "written", again)) << yaml;
    ASSERT_EQ(again.number, s.number) << yaml;
    ASSERT_EQ(bits(again.real), bits(s.real)) << yaml;
    ASSERT_EQ(again.flag, s.flag) << yaml;
    ASSERT_EQ(again.text, s.text) << yaml;
    ASSERT_EQ(again.texts, s.texts) << yaml;
    ASSERT_EQ(again.numbers, s.numbers) << yaml;
    ASSERT_EQ(again.reals.size(), s.reals.size()) << yaml;
    for (size_t i = 0; i < s.reals.size(); ++i) ASSERT_EQ(bits(again.reals[i]), bits(s.reals[i]));
  }
}

TEST(Fields, EveryCharacterReadsBack) {
  Free s;
  for (uint32_t code = 0; code < 0x110000; code += code < 0x3000 ? 1 : 97) {
    if (code >= 0xD800 && code < 0xE000) continue;
    const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80)
      s.text += static_cast<char>(code);
    else if (code < 0x800)
      s.text += {static_cast<char>(0xC0 | code >> 6), tail(0)};
    else if (code < 0x10000)
      s.text += {static_cast<char>(0xE0 | code >> 12), tail(6), tail(0)};
    else
      s.text += {static_cast<char>(0xF0 | code >> 18), tail(12), tail(6), tail(0)};
  }
  ASSERT_TRUE(is_valid_utf8(s.text));
  Free again;
  read_yaml(write_yaml(s), "written", again);
  EXPECT_TRUE(again.text == s.text);
}

TEST(Fields, WhatYamlCannotSayIsNotWritten) {
  Free s;
  s.text = "a\xff";
  EXPECT_THROW(write_yaml(s), Error);
  s.text = "";
  s.reals = {std::nan("")};
  EXPECT_THROW(write_yaml(s), Error);
}

TEST(Fields, HelpIsAligned) {
  EXPECT_EQ(help_table(OptimizerSettings{}),
            "rate   number from 0 to 10     0.001         Step size.\n"
            "betas  list of numbers from 0  [0.9, 0.999]  Decay of the moments.\n"
            "       to 1\n");
}

TEST(Fields, HelpListsNestedPathsAndChoicesWithinTheWidth) {
  const std::string help = help_table(TrainSettings{});
  EXPECT_SAYS(help, "optimizer        group");
  EXPECT_SAYS(help, "\noptimizer.rate   number from 0 to 10");
  EXPECT_SAYS(help, "constant | cosine |");
  struct Wordy {
    std::string long_name = std::string(300, 'x');
    void visit_fields(FieldVisitor& v) {
      v.field(
          "a_name_that_is_much_longer_than_the_column_for_names", long_name,
          "A sentence that goes on and on so that it has to be broken between its words, é é é, "
          "and more than once, because the column for sentences is not as wide as all that.");
    }
  };
  std::string wordy = help_table(Wordy{});
  for (size_t begin = 0; begin < wordy.size();) {
    const size_t end = wordy.find('\n', begin);
    EXPECT_LE(end - begin, 103u) << wordy;  // 100 columns and three two-byte characters
    begin = end + 1;
  }
  EXPECT_SAYS(wordy, " between");
}

TEST(Fields, MarkdownEscapesBars) {
  EXPECT_EQ(markdown_table(OptimizerSettings{}),
            "| Setting | Type | Default | Meaning |\n"
            "| --- | --- | --- | --- |\n"
            "| `rate` | number from 0 to 10 | `0.001` | Step size. |\n"
            "| `betas` | list of numbers from 0 to 1 | `[0.9, 0.999]` | Decay of the moments. |\n");
  const std::string table = markdown_table(TrainSettings{});
  EXPECT_SAYS(table,
              "| `schedule` | constant \\| cosine \\| off | `cosine` | How the rate \\| step");
  TrainSettings s;
  s.name = "a|`b";
  EXPECT_SAYS(markdown_table(s), "| `` \"a\\|`b\" `` |");
}

}  // namespace
}  // namespace darp
