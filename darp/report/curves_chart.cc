#include "darp/report/exhibit_charts.h"
#include "darp/report/svg_plot.h"

namespace darp {
namespace {

AxisLook look_of(const ExhibitAxis& axis) {
  return {axis.title, axis.logarithmic ? AxisScale::kLogarithmic : AxisScale::kLinear};
}

}  // namespace

Markup curves_chart(const ExhibitCurves& curves) {
  LineChart chart{look_of(curves.x), look_of(curves.y)};
  chart.width = 1000;
  chart.height = 380;
  for (const ExhibitCurves::Series& series : curves.series)
    chart.series.push_back({series.name, static_cast<int>(chart.series.size()), series.x, series.y,
                            series.band, series.points});
  for (const ExhibitCurves::Mark& mark : curves.marks)
    chart.marks.push_back({mark.at, mark.text, mark.horizontal});
  return line_chart(chart);
}

}  // namespace darp
