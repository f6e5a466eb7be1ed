#include <algorithm>

#include "darp/core/error.h"
#include "darp/report/plot_frame.h"

namespace darp {
namespace {

constexpr int kIntervalTicks = 7;
constexpr double kPlainRow = 40, kRowWithDots = 76;
/// Of the range, at least on either side of the reference.
constexpr double kSideRoom = 0.25;
constexpr size_t kNameColumns = 28, kTextColumns = 48, kSideColumns = 36;

double row_height(const IntervalRow& row) {
  return row.values.empty() ? kPlainRow : kRowWithDots;
}

bool has_reference(const IntervalChart& chart) {
  return chart.reference && can_draw(*chart.reference);
}

bool has_sides(const IntervalChart& chart) {
  return !(chart.left_of_reference + chart.right_of_reference).empty();
}

bool is_drawn(const IntervalRow& row) {
  return can_draw(row.value) && can_draw(row.interval.low) && can_draw(row.interval.high);
}

Axis axis_of(const IntervalChart& chart) {
  std::vector<double> values;
  for (const IntervalRow& row : chart.rows) {
    if (is_drawn(row))
      values.insert(values.end(), {row.value, row.interval.low, row.interval.high});
    values.insert(values.end(), row.values.begin(), row.values.end());
  }
  if (has_reference(chart)) values.push_back(*chart.reference);
  if (has_reference(chart) && has_sides(chart)) {
    // Both sides of the line are seen, whichever the data are on.
    const Interval all = Axis(values).range();
    const double room = kSideRoom * (all.high - all.low);
    values.insert(values.end(), {*chart.reference - room, *chart.reference + room});
  }
  return Axis(values);
}

void draw_interval(SvgCanvas& canvas, const PlotArea& area, const IntervalRow& row, double y) {
  const double low = area.pixel_x(row.interval.low), high = area.pixel_x(row.interval.high);
  const std::string_view color = style_color(row.style);
  canvas.line({low, y}, {high, y}, color, 3);
  for (const double end : {low, high}) canvas.line({end, y - 5}, {end, y + 5}, color, 2);
  canvas.marker({area.pixel_x(row.value), y}, row.style, 12);
}

void draw_reference(SvgCanvas& canvas, const PlotArea& area, const IntervalChart& chart) {
  const double x = area.pixel_x(*chart.reference);
  canvas.line({x, area.top - 4}, {x, area.bottom}, "#333", 1.5);
  if (!chart.left_of_reference.empty())
    canvas.text({x - 8, area.top - 8},
                "\xE2\x86\x90 " + shortened(chart.left_of_reference, kSideColumns),
                {.anchor = TextAnchor::kEnd, .size = kTickSize, .color = kTickColor});
  if (!chart.right_of_reference.empty())
    canvas.text({x + 8, area.top - 8},
                shortened(chart.right_of_reference, kSideColumns) + " \xE2\x86\x92",
                {.size = kTickSize, .color = kTickColor});
}

/// Room for the widest name, or text, of all rows.
double widest(const IntervalChart& chart, std::string IntervalRow::*text, size_t columns) {
  double width = 0;
  for (const IntervalRow& row : chart.rows)
    width = std::max(width, text_width(shortened(row.*text, columns), kTitleSize));
  return width;
}

}  // namespace

Markup interval_chart(const IntervalChart& chart) {
  const double names = widest(chart, &IntervalRow::name, kNameColumns),
               texts = widest(chart, &IntervalRow::text, kTextColumns);
  double rows = 0;
  for (const IntervalRow& row : chart.rows) rows += row_height(row);
  const double top = has_sides(chart) ? 26 : 8, bottom = top + std::max(rows, kPlainRow);
  const PlotArea area{names + 24,     top,     chart.width - (texts > 0 ? texts + 20 : 20), bottom,
                      axis_of(chart), Axis({})};

  SvgCanvas canvas(chart.width, bottom + 46, chart.axis_title);
  draw_x_axis(canvas, area, chart.axis_title, kIntervalTicks);
  if (has_reference(chart)) draw_reference(canvas, area, chart);
  if (chart.rows.empty()) draw_nothing(canvas, area);
  double y = top;
  for (const IntervalRow& row : chart.rows) {
    // Dots lie in the lower part of a row, below its interval.
    const bool dots = !row.values.empty();
    const double middle = dots ? y + 18 : y + kPlainRow / 2;
    if (dots) draw_dots(canvas, area, row.values, row.style, y + 49, 17);
    if (is_drawn(row)) draw_interval(canvas, area, row, middle);
    canvas.text({area.left - 12, middle + 4}, shortened(row.name, kNameColumns),
                {.anchor = TextAnchor::kEnd, .size = kTitleSize, .bold = true});
    canvas.text({area.right + 12, middle + 4}, shortened(row.text, kTextColumns),
                {.size = kTitleSize});
    y += row_height(row);
  }
  return canvas.finish();
}

}  // namespace darp
