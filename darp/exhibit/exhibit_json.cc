// Exhibits to JSON; exhibit_file.cc reads it.

#include "darp/core/strict_json.h"
#include "darp/exhibit/exhibit_file.h"

namespace darp {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const Interval& interval) {
  return ordered_json::array({interval.low, interval.high});
}

/// What is the usual value is left out: tables have many cells.
ordered_json json_of(const ExhibitCell& cell) {
  ordered_json object = {{"text", cell.text}};
  if (cell.value) object["value"] = *cell.value;
  if (cell.interval) object["interval"] = json_of(*cell.interval);
  if (cell.best) object["best"] = true;
  if (cell.minor) object["minor"] = true;
  return object;
}

void add_body(const ExhibitTable& table, ordered_json& object) {
  object["columns"] = ordered_json::array();
  for (const ExhibitTable::Column& column : table.columns)
    object["columns"].push_back(
        {{"title", column.title}, {"number", column.number}, {"explanation", column.explanation}});
  object["rows"] = ordered_json::array();
  for (const auto& row : table.rows) {
    ordered_json cells = ordered_json::array();
    for (const ExhibitCell& cell : row) cells.push_back(json_of(cell));
    object["rows"].push_back(std::move(cells));
  }
}

ordered_json json_of(const ExhibitAxis& axis) {
  return {{"title", axis.title}, {"logarithmic", axis.logarithmic}};
}

void add_body(const ExhibitCurves& curves, ordered_json& object) {
  object["x"] = json_of(curves.x);
  object["y"] = json_of(curves.y);
  object["series"] = ordered_json::array();
  for (const ExhibitCurves::Series& series : curves.series) {
    ordered_json one = {{"name", series.name}, {"points", series.points}};
    one["x"] = series.x;
    one["y"] = series.y;
    one["low"] = ordered_json::array();
    one["high"] = ordered_json::array();
    for (const Interval& band : series.band) {
      one["low"].push_back(band.low);
      one["high"].push_back(band.high);
    }
    object["series"].push_back(std::move(one));
  }
  object["marks"] = ordered_json::array();
  for (const ExhibitCurves::Mark& mark : curves.marks)
    object["marks"].push_back(
        {{"at", mark.at}, {"text", mark.text}, {"horizontal", mark.horizontal}});
}

void add_body(const ExhibitBoxes& boxes, ordered_json& object) {
  object["axis"] = boxes.axis_title;
  object["mark_title"] = boxes.mark_title;
  object["rows"] = ordered_json::array();
  for (const ExhibitBoxes::Row& row : boxes.rows) {
    ordered_json one = {{"name", row.name}, {"group", row.group}, {"text", row.text}};
    if (row.mark) one["mark"] = *row.mark;
    one["values"] = row.values;
    object["rows"].push_back(std::move(one));
  }
}

void add_body(const ExhibitParallel& parallel, ordered_json& object) {
  object["score_title"] = parallel.score_title;
  object["higher_is_better"] = parallel.higher_is_better;
  object["axes"] = ordered_json::array();
  for (const ExhibitParallel::Axis& axis : parallel.axes)
    object["axes"].push_back(
        {{"title", axis.title}, {"logarithmic", axis.logarithmic}, {"choices", axis.choices}});
  object["scores"] = ordered_json::array();
  object["values"] = ordered_json::array();
  for (const ExhibitParallel::Line& line : parallel.lines) {
    object["scores"].push_back(line.score);
    object["values"].push_back(line.values);
  }
}

void add_body(const ExhibitVideo& video, ordered_json& object) {
  object["file"] = video.file;
}

constexpr std::string_view kind_name(const ExhibitTable&) {
  return "table";
}
constexpr std::string_view kind_name(const ExhibitCurves&) {
  return "curves";
}
constexpr std::string_view kind_name(const ExhibitBoxes&) {
  return "boxes";
}
constexpr std::string_view kind_name(const ExhibitParallel&) {
  return "parallel";
}
constexpr std::string_view kind_name(const ExhibitVideo&) {
  return "video";
}

}  // namespace

std::string exhibits_json(const ExhibitSet& set) {
  ordered_json object = {{"kind", "darp exhibits"}, {"version", 1}};
  object["study"] = set.study;
  object["title"] = set.title;
  object["summary"] = set.summary;
  object["facts"] = ordered_json::array();
  for (const auto& [name, value] : set.facts)
    object["facts"].push_back({{"name", name}, {"value", value}});
  object["exhibits"] = ordered_json::array();
  for (const Exhibit& exhibit : set.exhibits)
    std::visit(
        [&](const auto& one) {
          ordered_json json = {{"kind", kind_name(one)}, {"name", one.name}};
          json["title"] = one.title;
          json["note"] = one.note;
          add_body(one, json);
          object["exhibits"].push_back(std::move(json));
        },
        exhibit);
  return json_lines(object);
}

}  // namespace darp
