#pragma once
// What charts have in common: the area between axes, grid lines, ticks and titles.

#include <cstddef>
#include <vector>

#include "darp/report/axis.h"
#include "darp/report/svg_canvas.h"
#include "darp/report/svg_plot.h"

namespace darp {

inline constexpr double kTickSize = 11.5, kTitleSize = 12.5;
inline constexpr std::string_view kGridColor = "#e4e4e4", kAxisColor = "#888", kTickColor = "#555";

struct PlotArea {
  double left = 0, top = 0, right = 0, bottom = 0;
  Axis x, y;

  double pixel_x(double value) const { return left + x.position(value) * (right - left); }
  double pixel_y(double value) const { return bottom - y.position(value) * (bottom - top); }
  PixelPoint at(double vx, double vy) const { return {pixel_x(vx), pixel_y(vy)}; }
};

/// Pixels that the y axis' labels and title need.
double left_margin(const Axis& y, int ticks);

void draw_x_axis(SvgCanvas& canvas, const PlotArea& area, std::string_view title, int ticks);
void draw_y_axis(SvgCanvas& canvas, const PlotArea& area, std::string_view title, int ticks);
/// A marker for each value, around `middle`: those that would hide each other stand beside each
/// other, at most `half_height` away. Of many, evenly chosen ones.
void draw_dots(SvgCanvas& canvas, const PlotArea& area, const std::vector<double>& values,
               int style, double middle, double half_height, double size = 6,
               double opacity = 0.55);
/// In the middle of an area without data.
void draw_nothing(SvgCanvas& canvas, const PlotArea& area);

/// Which of `count` things to draw where `most` are enough: evenly chosen, the first and the last
/// among them.
std::vector<size_t> evenly_chosen(size_t count, size_t most);

}  // namespace darp
