#pragma once
// Charts as SVG text: pure functions, the same bytes for the same data. Values that cannot be drawn
// (NaN, infinite, beyond 1e100, on logarithmic axes 0 and below) are left out. Names may be
// anything: they are escaped, and shortened where they do not fit. A chart without data says so.

#include <optional>
#include <string>
#include <vector>

#include "darp/eval/statistics/estimates.h"
#include "darp/report/axis.h"
#include "darp/report/markup.h"

namespace darp {

struct AxisLook {
  std::string title;
  AxisScale scale = AxisScale::kLinear;
};

/// A line through y over x, which breaks where a value cannot be drawn; or points alone.
struct LineSeries {
  std::string name;
  int style = 0;  // svg_canvas.h
  std::vector<double> x, y;
  std::vector<Interval> band = {};  // around each y (of points: a bar); empty: no band
  bool points = false;
};
/// A line across the chart, at an x or (horizontal) at a y, with words beside it.
struct ChartMark {
  double at = 0;
  std::string text = {};
  bool horizontal = false;
};
struct LineChart {
  AxisLook x = {}, y = {};
  std::vector<LineSeries> series = {};
  double width = 500, height = 320;
  std::vector<ChartMark> marks = {};
};
/// `x`, `y` and `band` of a series are of the same length. Long series are thinned to what a screen
/// shows, keeping their peaks.
Markup line_chart(const LineChart& chart);

/// A point with its interval; beside it the values that it summarises, if there are any.
struct IntervalRow {
  std::string name;
  int style = 0;
  double value = 0;
  Interval interval;
  std::string text = {};            // at the right: the numbers in words
  std::vector<double> values = {};  // one dot each
};
struct IntervalChart {
  std::string axis_title;
  std::vector<IntervalRow> rows;
  std::optional<double> reference;                              // a line to compare with
  std::string left_of_reference = {}, right_of_reference = {};  // what lying there means
  double width = 1000;
};
/// Rows from top to bottom. Rows whose value cannot be drawn show their name and text only.
Markup interval_chart(const IntervalChart& chart);

/// Pairs as points, with the line on which both are equal.
struct PairChart {
  std::string x_title, y_title;
  std::string above_text, below_text;  // what lying above or below the diagonal means
  int above_style = 0, below_style = 0;
  std::vector<double> x, y;  // of the same length
  double width = 440;
};
/// Square: both axes have the same range and length. Points on the diagonal count as above it.
Markup pair_chart(const PairChart& chart);

/// Dots that a chart draws at most of one row or cloud; of more it draws evenly chosen ones.
inline constexpr size_t kMostDots = 2'000;

}  // namespace darp
