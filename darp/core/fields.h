#pragma once
// Settings are plain structs. A struct names its fields once, each with a sentence, and from that
// one list come YAML in, YAML out, `--set a.b=c`, the table in --help and the table in the docs:
//
//   struct TrainSettings {
//     int64_t epochs = 100;
//     Schedule schedule = Schedule::kCosine;
//     OptimizerSettings optimizer;
//     void visit_fields(FieldVisitor& v) {
//       v.field("epochs", epochs, "Passes over the data.", {.min = 1});
//       v.choice("schedule", schedule,
//                {{"constant", Schedule::kConstant}, {"cosine", Schedule::kCosine}},
//                "Learning rate.");
//       v.group("optimizer", optimizer, "How weights are updated.");
//     }
//   };
//
// What a value may look like:
//   bool     true or false, nothing else (not yes, on, True)
//   int64_t  decimal digits with an optional sign: no leading zeros, fractions, exponents, hex
//   double   decimal: 5, 0.5, .5, 1e-3; not nan, inf or what a double cannot hold
//   text     any scalar, quoted or not; null and an empty value are no text, "" is
//   choice   one of its names
//   vector   a YAML list ([1, 2] or lines with dashes)
//   group    a map; an empty value changes nothing
// A quoted "5" is text and no number. Aliases, tags other than YAML's own and second documents are
// refused.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "darp/core/error.h"
#include "darp/core/file.h"

namespace darp {

/// What a number, or each number of a vector, may be; both ends included.
struct Bounds {
  double min = -std::numeric_limits<double>::infinity(),
         max = std::numeric_limits<double>::infinity();
};

/// A field's name, sentence and bounds.
struct FieldInfo {
  std::string_view name, doc;
  Bounds bounds;
};

/// Walks over a settings struct. Users of settings call field, choice and group; what happens to
/// each field is up to the visitor (read it, write it, list it).
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;

  /// bool, int64_t, double, std::string, and vectors of the last three.
  template <class T>
  void field(std::string_view name, T& value, std::string_view doc, Bounds bounds = {}) {
    visit({name, doc, bounds}, value);
  }

  /// An enumeration, by name.
  template <class E>
  void choice(std::string_view name, E& value,
              std::initializer_list<std::pair<std::string_view, E>> options, std::string_view doc) {
    std::vector<std::string> names;
    size_t index = options.size();
    for (const auto& [option_name, option] : options) {
      if (option == value) index = names.size();
      names.emplace_back(option_name);
    }
    DARP_CHECK(index < options.size(), "setting '{}' has a value without a name", name);
    visit_choice({name, doc, {}}, names, index);
    value = (options.begin() + index)->second;
  }

  /// A nested settings struct.
  template <class S>
  void group(std::string_view name, S& settings, std::string_view doc) {
    visit_group({name, doc, {}}, [&](FieldVisitor& v) { settings.visit_fields(v); });
  }

 protected:
  using Walk = std::function<void(FieldVisitor&)>;

  virtual void visit(const FieldInfo&, bool&) = 0;
  virtual void visit(const FieldInfo&, int64_t&) = 0;
  virtual void visit(const FieldInfo&, double&) = 0;
  virtual void visit(const FieldInfo&, std::string&) = 0;
  virtual void visit(const FieldInfo&, std::vector<int64_t>&) = 0;
  virtual void visit(const FieldInfo&, std::vector<double>&) = 0;
  virtual void visit(const FieldInfo&, std::vector<std::string>&) = 0;
  virtual void visit_choice(const FieldInfo&, const std::vector<std::string>& names,
                            size_t& index) = 0;
  virtual void visit_group(const FieldInfo&, const Walk& walk) = 0;
};

namespace internal {
using FieldWalk = std::function<void(FieldVisitor&)>;
template <class S>
FieldWalk walk(S& settings) {
  return [&settings](FieldVisitor& v) { settings.visit_fields(v); };
}
void read_yaml(std::string_view text, std::string_view where, const FieldWalk& walk);
void apply_override(std::string_view assignment, const FieldWalk& walk, std::string_view option);
std::string text_in_yaml(std::string_view text, std::string_view where, std::string_view name);
std::string write_yaml(const FieldWalk& walk);
std::string help_table(const FieldWalk& walk);
std::string markdown_table(const FieldWalk& walk);
/// Makes `usual`, the defaults, what `walk` is.
std::vector<std::string> changed_settings(const FieldWalk& walk, const FieldWalk& usual);
}  // namespace internal

/// Sets the fields that the YAML text names and leaves the others. Throws Error with `where`, line
/// and remedy for broken YAML, unknown keys (naming the nearest valid one), duplicate keys, wrong
/// types and values out of bounds; `settings` is then unchanged.
template <class S>
void read_yaml(std::string_view text, std::string_view where, S& settings) {
  S changed = settings;
  internal::read_yaml(text, where, internal::walk(changed));
  settings = std::move(changed);
}

/// The same from a file, at most 1 MiB of it.
template <class S>
void read_yaml_file(const std::filesystem::path& path, S& settings) {
  const MappedFile file(path);
  read_yaml(as_text(file.bytes()), path.string(), settings);
}

/// What YAML text says under one name at its top, or "": for what must be known before the rest can
/// be read. Throws Error as read_yaml for broken YAML and for a value that is no text.
inline std::string text_in_yaml(std::string_view text, std::string_view where,
                                std::string_view name) {
  return internal::text_in_yaml(text, where, name);
}

/// `--set a.b=c`: one field, by its path. The value is YAML, so `--set net.widths=[256,256]` works;
/// `--set name=` is the empty text. Errors as read_yaml; they name the option of the
/// command line that the assignment came from.
template <class S>
void apply_override(std::string_view assignment, S& settings, std::string_view option = "--set") {
  S changed = settings;
  internal::apply_override(assignment, internal::walk(changed), option);
  settings = std::move(changed);
}

/// All fields, each under a comment line with its sentence. read_yaml gives back the same values,
/// bit for bit. Throws Error for what YAML cannot say here: numbers that are not finite, text that
/// is not UTF-8.
template <class S>
std::string write_yaml(S settings) {
  return internal::write_yaml(internal::walk(settings));
}

/// Aligned lines for --help, about 100 columns wide: path, type or choices, default, sentence.
template <class S>
std::string help_table(S settings) {
  return internal::help_table(internal::walk(settings));
}

/// The same as a Markdown table for the docs.
template <class S>
std::string markdown_table(S settings) {
  return internal::markdown_table(internal::walk(settings));
}

/// What differs from the defaults, as apply_override() takes it: "a.b=c" for each, in the order of
/// fields; of fields that another one brings along (kinds do), what differs from their defaults
/// there. Unlike write_yaml()'s it does not change when a setting is added or explained better.
template <class S>
std::vector<std::string> changed_settings(S settings) {
  S usual;
  return internal::changed_settings(internal::walk(settings), internal::walk(usual));
}

}  // namespace darp
