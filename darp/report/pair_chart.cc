#include <algorithm>

#include "darp/core/error.h"
#include "darp/report/plot_frame.h"

namespace darp {
namespace {

constexpr int kPairTicks = 5;

/// Both axes are the same, so that distances from the diagonal can be read by eye.
Axis common_axis(const PairChart& chart) {
  std::vector<double> values = chart.x;
  values.insert(values.end(), chart.y.begin(), chart.y.end());
  return Axis(values);
}

/// A legend above the area: no corner of it is sure to be free of points.
void draw_sides(SvgCanvas& canvas, const PlotArea& area, const PairChart& chart) {
  double x = area.left;
  const auto draw = [&](int style, const std::string& text) {
    canvas.marker({x + 5, 12}, style, 9);
    canvas.text({x + 15, 16}, shortened(text, 30), {.size = kTitleSize});
    x += 15 + text_width(shortened(text, 30), kTitleSize) + 22;
  };
  draw(chart.above_style, chart.above_text);
  draw(chart.below_style, chart.below_text);
}

}  // namespace

Markup pair_chart(const PairChart& chart) {
  DARP_CHECK(chart.x.size() == chart.y.size(), "{} x and {} y", chart.x.size(), chart.y.size());
  const Axis axis = common_axis(chart);
  const double left = left_margin(axis, kPairTicks), right = chart.width - 16;
  const double top = 32, bottom = top + right - left;
  const PlotArea area{left, top, right, bottom, axis, axis};
  SvgCanvas canvas(chart.width, bottom + 46, chart.y_title + " against " + chart.x_title);
  draw_x_axis(canvas, area, chart.x_title, kPairTicks);
  draw_y_axis(canvas, area, chart.y_title, kPairTicks);
  const Interval range = axis.range();
  canvas.line(area.at(range.low, range.low), area.at(range.high, range.high), "#333", 1.25, "5 4");
  draw_sides(canvas, area, chart);
  bool any = false;
  for (const size_t i : evenly_chosen(chart.x.size(), kMostDots)) {
    if (!can_draw(chart.x[i]) || !can_draw(chart.y[i])) continue;
    any = true;
    const int style = chart.y[i] >= chart.x[i] ? chart.above_style : chart.below_style;
    canvas.marker(area.at(chart.x[i], chart.y[i]), style, 8, 0.75);
  }
  if (!any) draw_nothing(canvas, area);
  return canvas.finish();
}

}  // namespace darp
