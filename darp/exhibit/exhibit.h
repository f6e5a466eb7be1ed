#pragma once
// What a study shows: tables and figures as plain data, between the studies that find numbers and
// the pages that draw them. A study writes a set of exhibits as JSON; `darp report` draws it, and
// nothing here knows of trainings or of SVG. Text is foreign: whoever shows it escapes it. Numbers
// may be NaN where there is none.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "darp/eval/statistics/estimates.h"

namespace darp {

/// What every exhibit has.
struct ExhibitHeading {
  std::string name;   // of its files: a-z, 0-9, '-', '_'; different within a set
  std::string title;  // above it
  std::string note;   // below it: what to see in it, how it was found; may be empty
  bool operator==(const ExhibitHeading&) const = default;
};

/// Words, or a number with how sure it is.
struct ExhibitCell {
  std::string text;                  // as it is to be read: "3,411 ± 54"
  std::optional<double> value = {};  // the number behind it, for CSV
  std::optional<Interval> interval = {};
  bool best = false;   // of its column: bold
  bool minor = false;  // grey: belongs to the cell before it
  bool operator==(const ExhibitCell&) const = default;
};
struct ExhibitTable : ExhibitHeading {
  struct Column {
    std::string title;
    bool number = true;  // to the right; false: words
    std::string explanation = {};
    bool operator==(const Column&) const = default;
  };
  std::vector<Column> columns;
  std::vector<std::vector<ExhibitCell>> rows;  // as long as columns
  bool operator==(const ExhibitTable&) const = default;
};

struct ExhibitAxis {
  std::string title;
  bool logarithmic = false;
  bool operator==(const ExhibitAxis&) const = default;
};
/// Lines over x, with bands, and lines across the picture where something is.
struct ExhibitCurves : ExhibitHeading {
  struct Series {
    std::string name;
    std::vector<double> x, y;
    std::vector<Interval> band = {};  // around each y, or empty
    bool points = false;              // markers instead of a line
    bool operator==(const Series&) const = default;
  };
  struct Mark {
    double at = 0;
    std::string text = {};
    bool horizontal = false;  // at a y; otherwise at an x
    bool operator==(const Mark&) const = default;
  };
  ExhibitAxis x, y;
  std::vector<Series> series;
  std::vector<Mark> marks = {};
  bool operator==(const ExhibitCurves&) const = default;
};

/// Samples side by side: each value as a dot, quartiles as a box.
struct ExhibitBoxes : ExhibitHeading {
  struct Row {
    std::string name;
    std::vector<double> values;       // e.g. one mean per training
    std::optional<double> mark = {};  // what to compare with, e.g. the paper's number
    std::string text = {};            // at the right: the numbers in words
    int group = 0;                    // rows of a group stand together and look alike
    bool operator==(const Row&) const = default;
  };
  std::string axis_title, mark_title;
  std::vector<Row> rows;
  bool operator==(const ExhibitBoxes&) const = default;
};

/// One line per trial through parallel axes, coloured by its score.
struct ExhibitParallel : ExhibitHeading {
  struct Axis {
    std::string title;
    bool logarithmic = false;
    std::vector<std::string> choices = {};  // values are places in it; empty: numbers
    bool operator==(const Axis&) const = default;
  };
  struct Line {
    std::vector<double> values;  // as many as axes; NaN: not of this trial
    double score = 0;
    bool operator==(const Line&) const = default;
  };
  std::vector<Axis> axes;
  std::vector<Line> lines;
  std::string score_title;
  bool higher_is_better = true;
  bool operator==(const ExhibitParallel&) const = default;
};

/// A film beside the set's file.
struct ExhibitVideo : ExhibitHeading {
  std::string file;  // mp4, a name without folders
  bool operator==(const ExhibitVideo&) const = default;
};

using Exhibit =
    std::variant<ExhibitTable, ExhibitCurves, ExhibitBoxes, ExhibitParallel, ExhibitVideo>;
const ExhibitHeading& heading_of(const Exhibit& exhibit);
/// Whether it is drawn: neither a table nor a film.
bool is_figure(const Exhibit& exhibit);
/// Whether it may be a heading's `name`: 1 to 100 of a-z, 0-9, '-', '_'.
bool is_exhibit_name(std::string_view name);
/// What empty lines divide, the lines of each on one.
std::vector<std::string> paragraphs_of(std::string_view text);

struct ExhibitSet {
  std::string study;  // "mujoco-table"
  std::string title;
  std::string summary;  // what came out, in a few sentences; paragraphs by empty lines
  std::vector<std::pair<std::string, std::string>> facts = {};  // command, data, machine, time
  std::vector<Exhibit> exhibits = {};
  bool operator==(const ExhibitSet&) const = default;
};

}  // namespace darp
