// Exhibits' numbers as CSV (RFC 4180).

#include <algorithm>
#include <cmath>

#include "darp/core/error.h"
#include "darp/exhibit/exhibit_file.h"

namespace darp {
namespace {

class CsvLines {
 public:
  void field(std::string_view text) {
    if (!line_is_empty_) text_ += ',';
    line_is_empty_ = false;
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
      text_ += text;
      return;
    }
    text_ += '"';
    for (const char c : text) text_ += c == '"' ? std::string("\"\"") : std::string(1, c);
    text_ += '"';
  }
  /// All digits; nothing for NaN.
  void field(double number) { field(std::isnan(number) ? "" : fmt::format("{}", number)); }
  void field(const std::optional<double>& number) { field(number.value_or(std::nan(""))); }
  void end() {
    text_ += "\r\n";
    line_is_empty_ = true;
  }
  template <class... Fields>
  void line(const Fields&... fields) {
    (field(fields), ...);
    end();
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  bool line_is_empty_ = true;
};

bool has_intervals(const ExhibitTable& table, size_t column) {
  return std::ranges::any_of(table.rows,
                             [&](const auto& row) { return row[column].interval.has_value(); });
}

std::string csv_of(const ExhibitTable& table) {
  CsvLines lines;
  std::vector<bool> with_interval;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    with_interval.push_back(has_intervals(table, c));
    lines.field(table.columns[c].title);
    if (!with_interval[c]) continue;
    lines.field(table.columns[c].title + " low");
    lines.field(table.columns[c].title + " high");
  }
  lines.end();
  for (const auto& row : table.rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      const ExhibitCell& cell = row[c];
      if (cell.value)
        lines.field(*cell.value);
      else
        lines.field(cell.text);
      if (!with_interval[c]) continue;
      lines.field(cell.interval ? cell.interval->low : std::nan(""));
      lines.field(cell.interval ? cell.interval->high : std::nan(""));
    }
    lines.end();
  }
  return lines.take();
}

std::string csv_of(const ExhibitCurves& curves) {
  CsvLines lines;
  lines.line("kind", "name", "x", "y", "low", "high");
  for (const ExhibitCurves::Series& series : curves.series)
    for (size_t i = 0; i < series.x.size(); ++i) {
      const Interval none{std::nan(""), std::nan("")};
      const Interval band = series.band.empty() ? none : series.band[i];
      lines.line(series.points ? "point" : "line", series.name, series.x[i], series.y[i], band.low,
                 band.high);
    }
  for (const ExhibitCurves::Mark& mark : curves.marks)
    lines.line("mark", mark.text, mark.horizontal ? std::nan("") : mark.at,
               mark.horizontal ? mark.at : std::nan(""), "", "");
  return lines.take();
}

std::string csv_of(const ExhibitBoxes& boxes) {
  CsvLines lines;
  lines.line("kind", "name", "group", "value");
  for (const ExhibitBoxes::Row& row : boxes.rows) {
    const std::string group = std::to_string(row.group);
    for (const double value : row.values) lines.line("value", row.name, group, value);
    if (row.mark) lines.line("mark", row.name, group, *row.mark);
  }
  return lines.take();
}

std::string csv_of(const ExhibitParallel& parallel) {
  CsvLines lines;
  for (const ExhibitParallel::Axis& axis : parallel.axes) lines.field(axis.title);
  lines.line(parallel.score_title.empty() ? "score" : parallel.score_title);
  for (const ExhibitParallel::Line& line : parallel.lines) {
    for (size_t i = 0; i < line.values.size(); ++i) {
      const auto& choices = parallel.axes[i].choices;
      const double value = line.values[i];
      if (choices.empty() || !(value >= 0 && value < static_cast<double>(choices.size())))
        lines.field(value);
      else
        lines.field(choices[static_cast<size_t>(value)]);
    }
    lines.line(line.score);
  }
  return lines.take();
}

std::string csv_of(const ExhibitVideo&) {
  return "";
}

}  // namespace

std::string exhibit_csv(const Exhibit& exhibit) {
  return std::visit([](const auto& one) { return csv_of(one); }, exhibit);
}

}  // namespace darp
