#include "darp/exhibit/exhibit_file.h"

#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "darp/core/error.h"
#include "darp/core/file.h"
#include "darp/core/strict_json.h"

namespace darp {
namespace {

constexpr std::string_view kMakeAgain = "let the study write it again: darp study NAME";
/// The set, its exhibits, one of them, rows, a row, a cell, its interval.
constexpr size_t kExhibitDepth = 7;

template <class... Keys>
void check_object(const JsonPlace& place, Keys... keys) {
  place.check_keys(std::array<std::string_view, sizeof...(keys)>{keys...});
}

double number_or_nan(const JsonPlace& place) {
  return place.is_null() ? std::numeric_limits<double>::quiet_NaN() : place.number();
}

/// Calls read(entry) for each and collects what it gives.
template <class Read>
auto read_list(const JsonPlace& list, Read read) {
  std::vector<decltype(read(list))> all;
  for (size_t i = 0, n = list.size(); i < n; ++i) all.push_back(read(list.item(i)));
  return all;
}

std::vector<double> read_numbers(const JsonPlace& list) {
  return read_list(list, number_or_nan);
}

void check_length(const JsonPlace& list, size_t length, std::string_view of) {
  if (list.size() != length)
    list.fail(fmt::format("has {} entries where {} has {}", list.size(), of, length), kMakeAgain);
}

Interval read_interval(const JsonPlace& place) {
  if (place.size() != 2) place.fail("is not [low, high]", kMakeAgain);
  return {number_or_nan(place.item(0)), number_or_nan(place.item(1))};
}

ExhibitCell read_cell(const JsonPlace& place) {
  check_object(place, "text", "value", "interval", "best", "minor");
  ExhibitCell cell;
  cell.text = place.member("text").text();
  if (place.has("value")) cell.value = number_or_nan(place.member("value"));
  if (place.has("interval")) cell.interval = read_interval(place.member("interval"));
  if (place.has("best")) cell.best = place.member("best").boolean();
  if (place.has("minor")) cell.minor = place.member("minor").boolean();
  return cell;
}

void read_body(const JsonPlace& place, ExhibitTable& table) {
  check_object(place, "kind", "name", "title", "note", "columns", "rows");
  table.columns = read_list(place.member("columns"), [](const JsonPlace& column) {
    check_object(column, "title", "number", "explanation");
    return ExhibitTable::Column{column.member("title").text(), column.member("number").boolean(),
                                column.member("explanation").text()};
  });
  table.rows = read_list(place.member("rows"), [&](const JsonPlace& row) {
    check_length(row, table.columns.size(), "columns");
    return read_list(row, read_cell);
  });
}

ExhibitAxis read_axis(const JsonPlace& place) {
  check_object(place, "title", "logarithmic");
  return {place.member("title").text(), place.member("logarithmic").boolean()};
}

ExhibitCurves::Series read_series(const JsonPlace& place) {
  check_object(place, "name", "points", "x", "y", "low", "high");
  ExhibitCurves::Series series;
  series.name = place.member("name").text();
  series.points = place.member("points").boolean();
  series.x = read_numbers(place.member("x"));
  series.y = read_numbers(place.member("y"));
  check_length(place.member("y"), series.x.size(), "x");
  const std::vector<double> low = read_numbers(place.member("low")),
                            high = read_numbers(place.member("high"));
  check_length(place.member("high"), low.size(), "low");
  if (!low.empty()) check_length(place.member("low"), series.x.size(), "x");
  for (size_t i = 0; i < low.size(); ++i) series.band.push_back({low[i], high[i]});
  return series;
}

void read_body(const JsonPlace& place, ExhibitCurves& curves) {
  check_object(place, "kind", "name", "title", "note", "x", "y", "series", "marks");
  curves.x = read_axis(place.member("x"));
  curves.y = read_axis(place.member("y"));
  curves.series = read_list(place.member("series"), read_series);
  curves.marks = read_list(place.member("marks"), [](const JsonPlace& mark) {
    check_object(mark, "at", "text", "horizontal");
    return ExhibitCurves::Mark{number_or_nan(mark.member("at")), mark.member("text").text(),
                               mark.member("horizontal").boolean()};
  });
}

void read_body(const JsonPlace& place, ExhibitBoxes& boxes) {
  check_object(place, "kind", "name", "title", "note", "axis", "mark_title", "rows");
  boxes.axis_title = place.member("axis").text();
  boxes.mark_title = place.member("mark_title").text();
  boxes.rows = read_list(place.member("rows"), [](const JsonPlace& one) {
    check_object(one, "name", "group", "text", "mark", "values");
    ExhibitBoxes::Row row;
    row.name = one.member("name").text();
    row.group = static_cast<int>(one.member("group").unsigned_integer(kMostGroups - 1));
    row.text = one.member("text").text();
    if (one.has("mark")) row.mark = number_or_nan(one.member("mark"));
    row.values = read_numbers(one.member("values"));
    return row;
  });
}

/// A place in the axis' choices, where it has them.
void check_choices(const JsonPlace& values, const std::vector<ExhibitParallel::Axis>& axes) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].choices.empty() || values.item(i).is_null()) continue;
    const double at = values.item(i).number();
    if (!(at >= 0 && at < static_cast<double>(axes[i].choices.size()) && at == std::floor(at)))
      values.item(i).fail(
          fmt::format("is {}, which is none of {} choices", at, axes[i].choices.size()),
          kMakeAgain);
  }
}

void read_body(const JsonPlace& place, ExhibitParallel& parallel) {
  check_object(place, "kind", "name", "title", "note", "score_title", "higher_is_better", "axes",
               "scores", "values");
  parallel.score_title = place.member("score_title").text();
  parallel.higher_is_better = place.member("higher_is_better").boolean();
  parallel.axes = read_list(place.member("axes"), [](const JsonPlace& axis) {
    check_object(axis, "title", "logarithmic", "choices");
    return ExhibitParallel::Axis{
        axis.member("title").text(), axis.member("logarithmic").boolean(),
        read_list(axis.member("choices"), [](const JsonPlace& choice) { return choice.text(); })};
  });
  const std::vector<double> scores = read_numbers(place.member("scores"));
  const JsonPlace values = place.member("values");
  check_length(values, scores.size(), "scores");
  for (size_t i = 0; i < scores.size(); ++i) {
    check_length(values.item(i), parallel.axes.size(), "axes");
    check_choices(values.item(i), parallel.axes);
    parallel.lines.push_back({read_numbers(values.item(i)), scores[i]});
  }
}

void read_body(const JsonPlace& place, ExhibitVideo& video) {
  check_object(place, "kind", "name", "title", "note", "file");
  video.file = place.member("file").text();
  const bool plain = std::ranges::none_of(video.file, [](char c) {
    return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  if (!plain || video.file.starts_with('.') || !video.file.ends_with(".mp4"))
    place.member("file").fail(
        fmt::format("'{}' is no name of an mp4 file", printable(video.file, 100)),
        "put the film beside the file and give its name alone");
}

template <class Kind>
Exhibit read_as(const JsonPlace& place) {
  Kind exhibit;
  exhibit.name = place.member("name").text();
  if (!is_exhibit_name(exhibit.name))
    place.member("name").fail(fmt::format("'{}' is no name", printable(exhibit.name, 100)),
                              "use 1 to 100 of a-z, 0-9, '-' and '_'");
  exhibit.title = place.member("title").text();
  exhibit.note = place.member("note").text();
  read_body(place, exhibit);
  return exhibit;
}

Exhibit read_exhibit(const JsonPlace& place) {
  const std::string kind = place.member("kind").text();
  if (kind == "table") return read_as<ExhibitTable>(place);
  if (kind == "curves") return read_as<ExhibitCurves>(place);
  if (kind == "boxes") return read_as<ExhibitBoxes>(place);
  if (kind == "parallel") return read_as<ExhibitParallel>(place);
  if (kind == "video") return read_as<ExhibitVideo>(place);
  place.member("kind").fail(fmt::format("'{}' is no kind of exhibit", printable(kind, 100)),
                            "use table, curves, boxes, parallel or video");
}

}  // namespace

ExhibitSet parse_exhibits(std::string_view text, std::string_view where) {
  const nlohmann::json value = parse_strict_json(text, where, kExhibitDepth);
  const JsonPlace top(value, where);
  if (top.member("kind").text() != "darp exhibits")
    top.member("kind").fail("is not 'darp exhibits'", "give a study's folder or its exhibits.json");
  if (top.member("version").unsigned_integer() != 1)
    top.member("version").fail("is not 1", "read it with the darp that wrote it, or a newer one");
  check_object(top, "kind", "version", "study", "title", "summary", "facts", "exhibits");
  ExhibitSet set;
  set.study = top.member("study").text();
  set.title = top.member("title").text();
  set.summary = top.member("summary").text();
  set.facts = read_list(top.member("facts"), [](const JsonPlace& fact) {
    check_object(fact, "name", "value");
    return std::pair(fact.member("name").text(), fact.member("value").text());
  });
  set.exhibits = read_list(top.member("exhibits"), read_exhibit);
  std::set<std::string> names;
  for (size_t i = 0; i < set.exhibits.size(); ++i)
    if (!names.insert(heading_of(set.exhibits[i]).name).second)
      top.member("exhibits").item(i).member("name").fail("is that of another exhibit", kMakeAgain);
  return set;
}

ExhibitSet read_exhibits(const std::filesystem::path& path) {
  std::error_code failure;
  const std::filesystem::path file_path =
      std::filesystem::is_directory(path, failure) ? path / kExhibitFile : path;
  const MappedFile file(file_path);
  if (file.bytes().size() > kMostExhibitBytes)
    throw Error(file_path.string(),
                fmt::format("has {} bytes, too many for exhibits", file.bytes().size()),
                "give a study's folder or its exhibits.json");
  return parse_exhibits(as_text(file.bytes()), file_path.string());
}

void write_exhibits(const std::filesystem::path& path, const ExhibitSet& set) {
  const std::string text = exhibits_json(set);
  if (text.size() > kMostExhibitBytes)
    throw Error(path.string(),
                fmt::format("would have {} bytes, too many to be read again", text.size()),
                "show less: fewer points, or fewer trials");
  parse_exhibits(text, path.string());
  write_file(path, text);
}

}  // namespace darp
