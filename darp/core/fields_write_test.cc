#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "darp/core/fields.h"
#include "darp/core/rng.h"
#include "darp/core/utf8.h"
#include "tests/error_of.h"
#include "tests/example_settings.h"

namespace darp {
namespace {

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

TEST(Fields, ChangedSettingsLeadFromTheDefaultsToTheSame) {
  EXPECT_TRUE(changed_settings(TrainSettings{}).empty());
  TrainSettings s;
  s.name = "a b", s.schedule = Schedule::kOff, s.widths = {}, s.optimizer.rate = 0.25;
  const std::vector<std::string> changed = changed_settings(s);
  EXPECT_EQ(changed, (std::vector<std::string>{"name=\"a b\"", "schedule=\"off\"", "widths=[]",
                                               "optimizer.rate=0.25"}));
  TrainSettings again;
  for (const std::string& assignment : changed) apply_override(assignment, again);
  EXPECT_EQ(write_yaml(again), write_yaml(s));
}

/// One field brings another along.
struct Extras {
  bool wanted = false;
  int64_t count = 3, size = 5;

  void visit_fields(FieldVisitor& v) {
    v.field("wanted", wanted, "Whether there are any.");
    if (!wanted) return;
    v.field("count", count, "How many.");
    v.field("size", size, "How large.");
  }
};

TEST(Fields, WhatIsBroughtAlongIsAChangeOnlyWhereItIsNotUsual) {
  EXPECT_EQ(changed_settings(Extras{true}), (std::vector<std::string>{"wanted=true"}));
  EXPECT_EQ(changed_settings(Extras{true, 3, 6}),
            (std::vector<std::string>{"wanted=true", "size=6"}));
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
