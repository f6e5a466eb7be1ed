#pragma once
// Lines across a chart with a few words each: where something happens, or what to compare with.

#include <vector>

#include "darp/report/plot_frame.h"

namespace darp {

/// The marks of a chart that can be drawn. Words of vertical lines stand above the area, in as many
/// rows as they need; those of horizontal ones to its right, below each other.
class ChartMarks {
 public:
  ChartMarks(const std::vector<ChartMark>& marks, AxisScale x, AxisScale y);

  /// Where they are, for an axis to hold.
  std::vector<double> values(bool of_x) const;
  /// Pixels to keep free to the right of the area.
  double right_margin() const;
  /// Chooses rows for words above an area from `left` to `right`; gives the pixels that they take.
  double lay_out(const Axis& x, double left, double right);
  /// After lay_out.
  void draw(SvgCanvas& canvas, const PlotArea& area) const;

 private:
  struct Above {
    double start = 0;  // of the words
    int row = 0;       // 0: next to the area
  };
  void draw_vertical(SvgCanvas& canvas, const PlotArea& area) const;
  void draw_horizontal(SvgCanvas& canvas, const PlotArea& area) const;

  std::vector<ChartMark> vertical_, horizontal_;
  std::vector<Above> above_;  // of each vertical one
};

}  // namespace darp
