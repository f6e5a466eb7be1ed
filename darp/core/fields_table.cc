#include <algorithm>
#include <array>
#include <utility>

#include "darp/core/field_kinds.h"
#include "darp/core/has_field.h"
#include "darp/core/utf8.h"

namespace darp::internal {
namespace {

/// Path, type, default and sentence of one field.
using Row = std::array<std::string, 4>;
using Rows = std::vector<Row>;

constexpr const char* kGroup = "group";  // in place of a type

class Lister : public EachField<Lister> {
 public:
  Lister(Rows& rows, std::string path) : rows_(rows), path_(std::move(path)) {}

  template <class T>
  void each(const FieldInfo& info, const T& value) {
    add(info, with_bounds(std::string(type_name<T>()), info.bounds), yaml_text(value));
  }
  template <class T>
  void each(const FieldInfo& info, const std::vector<T>& values) {
    add(info, with_bounds(list_name<T>(), info.bounds), yaml_text(values));
  }

 protected:
  void visit_choice(const FieldInfo& info, const std::vector<std::string>& names,
                    size_t& index) override {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : " | ") + name;
    add(info, list, yaml_text(names[index]));
  }

  void visit_group(const FieldInfo& info, const Walk& walk) override {
    add(info, kGroup, "");
    Lister inner(rows_, join_path(path_, info.name));
    walk(inner);
  }

 private:
  static std::string with_bounds(const std::string& type, Bounds bounds) {
    const std::string limits = bounds_text(bounds);
    return limits.empty() ? type : type + " " + limits;
  }

  void add(const FieldInfo& info, std::string type, std::string value) {
    rows_.push_back(
        {join_path(path_, info.name), std::move(type), std::move(value), printable(info.doc)});
  }

  Rows& rows_;
  std::string path_;
};

Rows list(const FieldWalk& walk) {
  Rows rows;
  Lister lister(rows, "");
  walk(lister);
  return rows;
}

/// Lines of at most `width` columns, broken between words; a word that is longer is broken too.
std::vector<std::string> wrap(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  std::string line;
  const auto flush = [&] { lines.push_back(std::exchange(line, "")); };
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!line.empty() && utf8_columns(line) + 1 + utf8_columns(word) > width) flush();
    if (!line.empty()) line += ' ';
    for (size_t i = 0; i < word.size();) {
      if (utf8_columns(line) >= width) flush();
      const size_t length = std::max<size_t>(1, utf8_sequence_length(word.substr(i)));
      line.append(word, i, length);
      i += length;
    }
  }
  if (!line.empty() || lines.empty()) flush();
  return lines;
}

/// As wide as the widest cell of a column, up to `most`.
size_t column_width(const Rows& rows, size_t column, size_t most) {
  size_t width = 1;
  for (const Row& row : rows) width = std::max(width, utf8_columns(row[column]));
  return std::min(width, most);
}

/// Markdown code; a | would end the cell, and a backtick the code.
std::string code(const std::string& text) {
  if (text.empty()) return "";
  const bool ticks = text.find('`') != std::string::npos;
  return ticks ? "`` " + text + " ``" : "`" + text + "`";
}

std::string escape_bars(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

std::string help_table(const FieldWalk& walk) {
  constexpr size_t kWidth = 100, kGap = 2;
  const Rows rows = list(walk);
  std::array<size_t, 4> widths = {column_width(rows, 0, 36), column_width(rows, 1, 22),
                                  column_width(rows, 2, 16), 0};
  widths[3] = kWidth - widths[0] - widths[1] - widths[2] - 3 * kGap;
  std::string table;
  for (const Row& row : rows) {
    std::array<std::vector<std::string>, 4> cells;
    size_t height = 0;
    for (size_t c = 0; c < 4; ++c) {
      cells[c] = wrap(row[c], widths[c]);
      height = std::max(height, cells[c].size());
    }
    for (size_t i = 0; i < height; ++i) {
      std::string line;
      for (size_t c = 0; c < 4; ++c) {
        const std::string& cell = i < cells[c].size() ? cells[c][i] : std::string();
        line += cell + std::string(widths[c] - utf8_columns(cell) + kGap, ' ');
      }
      line.erase(line.find_last_not_of(' ') + 1);
      table += line + '\n';
    }
  }
  return table;
}

std::string markdown_table(const FieldWalk& walk) {
  std::string table = "| Setting | Type | Default | Meaning |\n| --- | --- | --- | --- |\n";
  for (const Row& row : list(walk))
    table += fmt::format("| {} | {} | {} | {} |\n", escape_bars(code(row[0])), escape_bars(row[1]),
                         escape_bars(code(row[2])), escape_bars(row[3]));
  return table;
}

std::vector<std::string> changed_settings(const FieldWalk& walk, const FieldWalk& usual) {
  Rows before = list(usual);
  std::vector<std::string> changed;
  for (const Row& row : list(walk)) {
    if (row[1] == kGroup) continue;
    const auto other = std::find_if(before.begin(), before.end(),
                                    [&](const Row& one) { return one[0] == row[0]; });
    if (other != before.end() && (*other)[2] == row[2]) continue;
    changed.push_back(row[0] + "=" + row[2]);
    if (other == before.end()) continue;
    // A change may bring fields along (kinds do), with defaults of their own.
    apply_override(changed.back(), usual, "defaults");
    before = list(usual);
  }
  return changed;
}

std::optional<std::string> field_text(const FieldWalk& walk, std::string_view path) {
  for (const Row& row : list(walk))
    if (row[0] == path) return row[2];
  return std::nullopt;
}

}  // namespace darp::internal
