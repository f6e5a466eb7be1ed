#include <algorithm>
#include <cmath>

#include "darp/core/error.h"
#include "darp/report/chart_marks.h"

namespace darp {
namespace {

constexpr int kXTicks = 6, kYTicks = 5;
constexpr double kLegendRow = 20, kLegendSample = 30;
constexpr size_t kLegendColumns = 32, kLegendMost = 24;
/// Of a line, so that it is told from others without colour; short lines have them everywhere.
constexpr size_t kMarkers = 6, kShortLine = 24;
/// Points of a line: more than a screen has columns for a chart, in pairs of lowest and highest.
constexpr size_t kMostPoints = 800;

/// Where a legend's entries stand.
struct LegendPlace {
  size_t series;
  double x, y;
};

std::vector<LegendPlace> legend_places(const LineChart& chart, double left, double right) {
  std::vector<LegendPlace> places;
  double x = left, y = 14;
  for (size_t i = 0; i < std::min(chart.series.size(), kLegendMost); ++i) {
    const std::string name = shortened(chart.series[i].name, kLegendColumns);
    const double width = kLegendSample + 8 + text_width(name, kTitleSize) + 18;
    if (x > left && x + width > right) {
      x = left;
      y += kLegendRow;
    }
    places.push_back({i, x, y});
    x += width;
  }
  return places;
}

void draw_legend(SvgCanvas& canvas, const LineChart& chart,
                 const std::vector<LegendPlace>& places) {
  for (const LegendPlace& place : places) {
    const LineSeries& series = chart.series[place.series];
    const PixelPoint from{place.x, place.y - 4}, to{place.x + kLegendSample, place.y - 4};
    if (!series.points)
      canvas.line(from, to, style_color(series.style), 2, style_dashes(series.style));
    canvas.marker({(from.x + to.x) / 2, from.y}, series.style, 7);
    canvas.text({to.x + 8, place.y}, shortened(series.name, kLegendColumns), {.size = kTitleSize});
  }
  if (chart.series.size() > places.size())
    canvas.text({places[0].x, places.back().y + kLegendRow},
                fmt::format("and {} more", chart.series.size() - places.size()),
                {.size = kTitleSize, .color = kTickColor});
}

bool has_point(const LineChart& chart, const LineSeries& series, size_t i) {
  return can_draw(series.x[i], chart.x.scale) && can_draw(series.y[i], chart.y.scale);
}

/// The indices to draw: all, or of each bucket the lowest and the highest and whatever breaks the
/// line.
std::vector<size_t> thinned(const LineSeries& series) {
  const size_t count = series.x.size();
  std::vector<size_t> kept;
  const size_t bucket = (count + kMostPoints / 2 - 1) / (kMostPoints / 2);
  for (size_t begin = 0; begin < count; begin += std::max<size_t>(bucket, 1)) {
    const size_t end = std::min(count, begin + std::max<size_t>(bucket, 1));
    size_t lowest = begin, highest = begin, broken = end;
    for (size_t i = begin; i < end; ++i) {
      if (!std::isfinite(series.y[i])) {
        broken = i;
        continue;
      }
      if (!(series.y[i] >= series.y[lowest])) lowest = i;
      if (!(series.y[i] <= series.y[highest])) highest = i;
    }
    std::vector<size_t> of_bucket = {lowest, highest};
    if (broken < end) of_bucket.push_back(broken);
    std::sort(of_bucket.begin(), of_bucket.end());
    of_bucket.erase(std::unique(of_bucket.begin(), of_bucket.end()), of_bucket.end());
    kept.insert(kept.end(), of_bucket.begin(), of_bucket.end());
  }
  return kept;
}

/// Runs of neighbouring points that can be drawn.
std::vector<std::vector<size_t>> unbroken(const LineChart& chart, const LineSeries& series) {
  std::vector<std::vector<size_t>> runs;
  bool open = false;
  for (const size_t i : thinned(series)) {
    if (!has_point(chart, series, i)) {
      open = false;
      continue;
    }
    if (!open) runs.emplace_back();
    open = true;
    runs.back().push_back(i);
  }
  return runs;
}

void draw_band(SvgCanvas& canvas, const PlotArea& area, const LineChart& chart,
               const LineSeries& series, const std::vector<size_t>& run) {
  std::vector<PixelPoint> around, back;
  for (const size_t i : run) {
    const Interval& band = series.band[i];
    if (!can_draw(band.low, chart.y.scale) || !can_draw(band.high, chart.y.scale)) continue;
    around.push_back(area.at(series.x[i], band.high));
    back.push_back(area.at(series.x[i], band.low));
  }
  if (around.size() < 2) return;
  // Bands that lie on each other are told apart by their edges.
  for (const auto& edge : {around, back})
    canvas.polyline(edge, style_color(series.style), 0.75, "", 0.6);
  around.insert(around.end(), back.rbegin(), back.rend());
  canvas.polygon(around, style_color(series.style), 0.13);
}

void draw_bar(SvgCanvas& canvas, const PlotArea& area, const LineChart& chart,
              const LineSeries& series, size_t i) {
  const Interval& band = series.band[i];
  if (!can_draw(band.low, chart.y.scale) || !can_draw(band.high, chart.y.scale)) return;
  const PixelPoint low = area.at(series.x[i], band.low), high = area.at(series.x[i], band.high);
  canvas.line(low, high, style_color(series.style), 1.25);
  for (const PixelPoint& end : {low, high})
    canvas.line({end.x - 3, end.y}, {end.x + 3, end.y}, style_color(series.style), 1.25);
}

void draw_points(SvgCanvas& canvas, const PlotArea& area, const LineChart& chart,
                 const LineSeries& series) {
  std::vector<size_t> drawn;
  for (size_t i = 0; i < series.x.size(); ++i)
    if (has_point(chart, series, i)) drawn.push_back(i);
  const double opacity = drawn.size() > 100 ? 0.55 : 0.85;
  for (const size_t k : evenly_chosen(drawn.size(), kMostDots)) {
    const size_t i = drawn[k];
    if (!series.band.empty()) draw_bar(canvas, area, chart, series, i);
    canvas.marker(area.at(series.x[i], series.y[i]), series.style, 7, opacity);
  }
}

void draw_series(SvgCanvas& canvas, const PlotArea& area, const LineChart& chart,
                 const LineSeries& series) {
  if (series.points) return draw_points(canvas, area, chart, series);
  const auto runs = unbroken(chart, series);
  std::vector<PixelPoint> all;
  for (const auto& run : runs) {
    if (!series.band.empty()) draw_band(canvas, area, chart, series, run);
    std::vector<PixelPoint> points;
    for (const size_t i : run) points.push_back(area.at(series.x[i], series.y[i]));
    if (points.size() > 1)
      canvas.polyline(points, style_color(series.style), 2, style_dashes(series.style));
    else
      canvas.marker(points[0], series.style, 7);
    all.insert(all.end(), points.begin(), points.end());
  }
  for (const size_t i : evenly_chosen(all.size(), all.size() > kShortLine ? kMarkers : kShortLine))
    canvas.marker(all[i], series.style, 7);
}

Axis axis_of(const LineChart& chart, const ChartMarks& marks, bool of_x) {
  std::vector<double> values = marks.values(of_x);
  for (const LineSeries& series : chart.series)
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!has_point(chart, series, i)) continue;
      values.push_back(of_x ? series.x[i] : series.y[i]);
      if (!of_x && !series.band.empty())
        values.insert(values.end(), {series.band[i].low, series.band[i].high});
    }
  return Axis(values, of_x ? chart.x.scale : chart.y.scale);
}

}  // namespace

Markup line_chart(const LineChart& chart) {
  for (const LineSeries& series : chart.series)
    DARP_CHECK(series.x.size() == series.y.size() &&
                   (series.band.empty() || series.band.size() == series.y.size()),
               "a series of {} x, {} y and {} band values", series.x.size(), series.y.size(),
               series.band.size());
  ChartMarks marks(chart.marks, chart.x.scale, chart.y.scale);
  const Axis x = axis_of(chart, marks, true), y = axis_of(chart, marks, false);
  const double left = left_margin(y, kYTicks), right = chart.width - 16 - marks.right_margin();
  const std::vector<LegendPlace> legend = legend_places(chart, left, chart.width - 16);
  const double legend_bottom = legend.empty() ? 12 : legend.back().y + 14;
  const double more = chart.series.size() > legend.size() ? kLegendRow : 0;
  const double top = legend_bottom + more + marks.lay_out(x, left, right);
  // Whatever stands above it, lines keep their height.
  const double height = chart.height + std::max(0.0, top - 28);
  const PlotArea area{left, top, right, height - 46, x, y};

  SvgCanvas canvas(chart.width, height, chart.y.title + " over " + chart.x.title);
  draw_x_axis(canvas, area, chart.x.title, kXTicks);
  draw_y_axis(canvas, area, chart.y.title, kYTicks);
  marks.draw(canvas, area);
  bool any = false;
  for (const LineSeries& series : chart.series) {
    for (size_t i = 0; i < series.x.size(); ++i) any = any || has_point(chart, series, i);
    draw_series(canvas, area, chart, series);
  }
  if (!any) draw_nothing(canvas, area);
  draw_legend(canvas, chart, legend);
  return canvas.finish();
}

}  // namespace darp
