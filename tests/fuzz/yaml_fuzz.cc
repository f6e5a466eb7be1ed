// Any text as settings, from a file and from --set: an Error, or values that survive writing and
// reading.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "darp/core/fields.h"

namespace {

enum class Color { kRed, kNull, kOff };

struct Inner {
  double rate = 1e-3;
  std::vector<std::string> names = {"a"};
  Color color = Color::kRed;
  bool operator==(const Inner&) const = default;
  void visit_fields(darp::FieldVisitor& v) {
    v.field("rate", rate, "Rate.", {.min = 0});
    v.field("names", names, "Names.");
    v.choice("color", color, {{"red", Color::kRed}, {"null", Color::kNull}, {"off", Color::kOff}},
             "Color.");
  }
};

struct Middle {
  Inner inner;
  std::vector<double> scales;
  bool operator==(const Middle&) const = default;
  void visit_fields(darp::FieldVisitor& v) {
    v.group("inner", inner, "Inside.");
    v.field("scales", scales, "Scales.", {.max = 1e300});
  }
};

struct Outer {
  bool on = false;
  int64_t count = 1;
  std::string text = "x";
  std::vector<int64_t> sizes = {1, 2};
  Middle middle;
  bool operator==(const Outer&) const = default;
  void visit_fields(darp::FieldVisitor& v) {
    v.field("on", on, "Switch.");
    v.field("count", count, "Count.");
    v.field("text", text, "Text.");
    v.field("sizes", sizes, "Sizes.", {.min = -5, .max = 1e6});
    v.group("middle", middle, "Between.");
  }
};

void check_round_trip(const Outer& settings) {
  Outer again;
  darp::read_yaml(darp::write_yaml(settings), "written", again);
  if (!(again == settings)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool as_file : {true, false}) {
    Outer settings;
    try {
      if (as_file)
        darp::read_yaml(text, "fuzz.yaml", settings);
      else
        darp::apply_override(text, settings);
    } catch (const darp::Error&) {
      if (!(settings == Outer{})) std::abort();  // a failed read changes nothing
      continue;
    }
    check_round_trip(settings);
  }
  return 0;
}
