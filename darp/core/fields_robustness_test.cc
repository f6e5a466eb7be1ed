#include <gtest/gtest.h>

#include "darp/core/fields.h"

namespace darp {
namespace {

enum class Mode { kFast, kNull };

struct Inner {
  double rate = 1;
  std::vector<std::string> names;
  void visit_fields(FieldVisitor& v) {
    v.field("rate", rate, "Rate.");
    v.field("names", names, "Names.");
  }
};

struct Settings {
  int64_t count = 1;
  bool on = false;
  std::string text;
  Mode mode = Mode::kFast;
  Inner inner;
  void visit_fields(FieldVisitor& v) {
    v.field("count", count, "Count.");
    v.field("on", on, "Switch.");
    v.field("text", text, "Text.");
    v.choice("mode", mode, {{"fast", Mode::kFast}, {"null", Mode::kNull}}, "Mode.");
    v.group("inner", inner, "Inside.");
  }
};

constexpr std::string_view kYaml =
    "# settings\n"
    "count: 12\n"
    "on: true\n"
    "text: \"a \\x41\\n\"\n"
    "mode: 'null'\n"
    "inner:\n"
    "  rate: 1e-3\n"
    "  names: [a, b, \"c\"]\n";

/// Either an Error, or values that writing and reading keep. Returns whether it was read.
bool is_clean(std::string_view yaml) {
  Settings settings;
  try {
    read_yaml(yaml, "damaged.yaml", settings);
  } catch (const Error&) {
    return false;
  }
  const std::string written = write_yaml(settings);
  Settings again;
  read_yaml(written, "written", again);
  EXPECT_EQ(write_yaml(again), written) << yaml;
  return true;
}

TEST(FieldsRobustness, EveryTruncationIsAnErrorOrRead) {
  const std::string yaml(kYaml);
  ASSERT_TRUE(is_clean(yaml));
  int read = 0;
  for (size_t length = 0; length < yaml.size(); ++length) read += is_clean(yaml.substr(0, length));
  EXPECT_GT(read, 0);
  EXPECT_LT(read, static_cast<int>(yaml.size()));
}

TEST(FieldsRobustness, EveryChangedByteIsAnErrorOrRead) {
  const std::string yaml(kYaml);
  int read = 0, refused = 0;
  for (size_t i = 0; i < yaml.size(); ++i)
    for (int flip = 1; flip < 256; ++flip) {
      std::string damaged = yaml;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      ++(is_clean(damaged) ? read : refused);
    }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace darp
