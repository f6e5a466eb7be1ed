#pragma once
// Exhibits as SVG text: pure functions, the same bytes for the same exhibit. As in svg_plot.h,
// numbers that cannot be drawn are left out, text may be anything, and a chart without data says
// so.

#include "darp/exhibit/exhibit.h"
#include "darp/report/markup.h"

namespace darp {

/// Lines, bands and marks.
Markup curves_chart(const ExhibitCurves& curves);
/// Rows from top to bottom, those of a group together: every value a dot, half of them in the box,
/// the median a thick line, the mark a diamond.
Markup box_chart(const ExhibitBoxes& boxes);
/// One line for each trial through all axes; the last axis is the score. Better lines are darker,
/// thicker and drawn last, the best has markers. Trials without a value on an axis pass below it.
Markup parallel_chart(const ExhibitParallel& parallel);

}  // namespace darp
