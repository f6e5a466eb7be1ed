#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "darp/core/error.h"
#include "darp/report/exhibit_charts.h"
#include "darp/report/plot_frame.h"

namespace darp {
namespace {

constexpr double kParallelWidth = 1000, kAxisHeight = 300, kSideMargin = 70;
/// Where lines pass that have no value on an axis: so far below it.
constexpr double kNoneBelow = 26;
/// Lines through one choice stand beside each other, the better above.
constexpr double kChoiceSpread = 16;
constexpr size_t kMostTrials = 1'000, kMostChoiceLabels = 24;
constexpr int kParallelTicks = 5;

/// Better lines are darker, thicker and less broken: on grey paper as on a screen.
struct LineClass {
  std::string_view words, color, dashes;
  double width, opacity;
  double best_part;  // of all lines, this class and the better ones
};
constexpr std::array<LineClass, 4> kClasses = {{{"best", "#D55E00", "", 3.5, 1, 0},
                                                {"best tenth", "#08306B", "", 2, 0.9, 0.1},
                                                {"better half", "#4292C6", "", 1.25, 0.75, 0.5},
                                                {"worse half", "#A9B8C6", "4 3", 1, 0.7, 1}}};

struct ParallelAxis {
  std::string title;
  double x = 0;
  Axis axis;
  AxisScale scale = AxisScale::kLinear;
  std::vector<std::string> choices = {};
  bool has_none = false;

  double pixel(double value, double top) const {
    return top + (1 - axis.position(value)) * kAxisHeight;
  }
};

/// Of `line` on the axis, or on the score's axis behind the others.
double value_at(const ExhibitParallel& parallel, size_t line, size_t axis) {
  const ExhibitParallel::Line& one = parallel.lines[line];
  return axis < parallel.axes.size() ? one.values[axis] : one.score;
}

std::string score_title(const ExhibitParallel& parallel) {
  return parallel.score_title.empty() ? "score" : parallel.score_title;
}

std::vector<ParallelAxis> axes_of(const ExhibitParallel& parallel,
                                  const std::vector<size_t>& lines) {
  const size_t count = parallel.axes.size() + 1;
  const double spacing =
      count > 1 ? (kParallelWidth - 2 * kSideMargin) / static_cast<double>(count - 1) : 0;
  std::vector<ParallelAxis> axes;
  for (size_t a = 0; a < count; ++a) {
    const bool of_score = a + 1 == count;
    const AxisScale scale =
        !of_score && parallel.axes[a].logarithmic ? AxisScale::kLogarithmic : AxisScale::kLinear;
    std::vector<double> values;
    bool has_none = false;
    for (const size_t line : lines) {
      values.push_back(value_at(parallel, line, a));
      has_none = has_none || !can_draw(values.back(), scale);
    }
    std::vector<std::string> choices;
    if (!of_score) choices = parallel.axes[a].choices;
    // Choices keep their places whether or not a trial took them.
    if (!choices.empty()) values = {-0.5, static_cast<double>(choices.size()) - 0.5};
    const bool is_choice = !choices.empty();
    axes.push_back({of_score ? score_title(parallel) : parallel.axes[a].title,
                    kSideMargin + spacing * static_cast<double>(a),
                    Axis(values, is_choice ? AxisScale::kLinear : scale),
                    is_choice ? AxisScale::kLinear : scale, std::move(choices), has_none});
  }
  return axes;
}

/// From the best to the worst; those without a score are the worst.
std::vector<size_t> by_score(const ExhibitParallel& parallel) {
  std::vector<size_t> order(parallel.lines.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const double sign = parallel.higher_is_better ? -1 : 1;
  const auto key = [&](size_t line) {
    const double score = parallel.lines[line].score;
    return can_draw(score) ? sign * score : std::numeric_limits<double>::infinity();
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  std::vector<size_t> chosen;
  for (const size_t i : evenly_chosen(order.size(), kMostTrials)) chosen.push_back(order[i]);
  return chosen;
}

/// Of the line that so many are better than; those without a score are never good.
const LineClass& class_of(const ExhibitParallel& parallel, const std::vector<size_t>& order,
                          size_t rank) {
  if (!can_draw(parallel.lines[order[rank]].score)) return kClasses.back();
  if (rank == 0) return kClasses[0];
  const double part = static_cast<double>(rank) / static_cast<double>(order.size());
  return *std::ranges::find_if(kClasses,
                               [&](const LineClass& one) { return part < one.best_part; });
}

void draw_trial(SvgCanvas& canvas, const ExhibitParallel& parallel,
                const std::vector<ParallelAxis>& axes, double top, size_t line, double rank_part,
                const LineClass& look) {
  std::vector<PixelPoint> points;
  for (size_t a = 0; a < axes.size(); ++a) {
    const double value = value_at(parallel, line, a);
    double y = top + kAxisHeight + kNoneBelow;
    if (can_draw(value, axes[a].scale)) y = axes[a].pixel(value, top);
    if (!axes[a].choices.empty()) {
      const double room = kAxisHeight / static_cast<double>(axes[a].choices.size());
      y += (rank_part - 0.5) * std::min(kChoiceSpread, room / 2);
    }
    points.push_back({axes[a].x, y});
  }
  // The best has a dark rim, which grey paper shows as well.
  if (&look == kClasses.data()) canvas.polyline(points, "#111", look.width + 2.5);
  canvas.polyline(points, look.color, look.width, look.dashes, look.opacity);
  if (&look == kClasses.data())
    for (const PixelPoint& point : points) canvas.marker(point, 1, 10);
}

/// Ticks, or every choice; below them "none" where lines pass there.
std::vector<Tick> labels_of(const ParallelAxis& axis) {
  if (axis.choices.empty()) return axis.axis.ticks(kParallelTicks);
  std::vector<Tick> labels;
  for (const size_t i : evenly_chosen(axis.choices.size(), kMostChoiceLabels))
    labels.push_back({static_cast<double>(i), axis.choices[i]});
  return labels;
}

void draw_parallel_axis(SvgCanvas& canvas, const ParallelAxis& axis, double top, size_t columns) {
  canvas.line({axis.x, top}, {axis.x, top + kAxisHeight}, "#333", 1.25);
  const TextLook look{.size = kTickSize, .color = "#222", .halo = true};
  for (const Tick& label : labels_of(axis)) {
    const double y = axis.pixel(label.value, top);
    canvas.line({axis.x - 4, y}, {axis.x + 4, y}, "#333", 1.25);
    canvas.text({axis.x + 7, y + 4}, shortened(label.label, columns), look);
  }
  if (axis.has_none) canvas.text({axis.x + 7, top + kAxisHeight + kNoneBelow + 4}, "none", look);
}

/// Titles in one row, or by turns in two where they are long.
void draw_titles(SvgCanvas& canvas, const std::vector<ParallelAxis>& axes, double y, size_t columns,
                 bool in_two_rows) {
  for (size_t a = 0; a < axes.size(); ++a) {
    const bool upper = in_two_rows && a % 2 == 0;
    const std::string title = shortened(axes[a].title, in_two_rows ? 2 * columns : columns);
    // The outer titles stay within the picture.
    const double half = text_width(title, kTitleSize) / 2 + 4;
    const double x = std::clamp(axes[a].x, std::min(half, kParallelWidth / 2),
                                std::max(kParallelWidth - half, kParallelWidth / 2));
    canvas.text({x, upper ? y - 17 : y}, title,
                {.anchor = TextAnchor::kMiddle, .size = kTitleSize, .bold = true});
  }
}

void draw_class_legend(SvgCanvas& canvas, const ExhibitParallel& parallel,
                       const std::vector<size_t>& order) {
  double x = 10;
  const std::string title =
      fmt::format("by {} ({} is better):", shortened(score_title(parallel), 30),
                  parallel.higher_is_better ? "higher" : "lower");
  canvas.text({x, 16}, title, {.size = kTickSize, .color = kTickColor});
  x += text_width(title, kTickSize) + 4;
  const LineClass* drawn = nullptr;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const LineClass& look = class_of(parallel, order, rank);
    if (std::exchange(drawn, &look) == &look) continue;
    if (&look == kClasses.data()) canvas.line({x, 12}, {x + 30, 12}, "#111", look.width + 2.5);
    canvas.line({x, 12}, {x + 30, 12}, look.color, look.width, look.dashes);
    if (&look == kClasses.data()) canvas.marker({x + 15, 12}, 1, 10);
    std::string words(look.words);
    if (rank == 0 && &look == kClasses.data())
      words += fmt::format(": {:.5g}", parallel.lines[order[0]].score);
    canvas.text({x + 37, 16}, words, {.size = kTickSize, .color = kTickColor});
    x += 37 + text_width(words, kTickSize) + 20;
  }
}

Markup no_trials(const ExhibitParallel& parallel) {
  SvgCanvas canvas(kParallelWidth, 60, parallel.title);
  draw_nothing(canvas, {0, 0, kParallelWidth, 60, Axis({}), Axis({})});
  return canvas.finish();
}

}  // namespace

Markup parallel_chart(const ExhibitParallel& parallel) {
  for (const ExhibitParallel::Line& line : parallel.lines)
    DARP_CHECK(line.values.size() == parallel.axes.size(), "a line of {} values for {} axes",
               line.values.size(), parallel.axes.size());
  const std::vector<size_t> order = by_score(parallel);
  if (order.empty()) return no_trials(parallel);
  const std::vector<ParallelAxis> axes = axes_of(parallel, order);
  const double spacing = axes.size() > 1 ? axes[1].x - axes[0].x : kParallelWidth;
  const auto columns =
      static_cast<size_t>(std::max(3.0, (spacing - 10) / text_width("x", kTitleSize)));
  const bool in_two_rows = std::ranges::any_of(axes, [&](const ParallelAxis& axis) {
    return text_width(axis.title, kTitleSize) > spacing - 10;
  });
  const double top = in_two_rows ? 82 : 65;
  const bool any_none =
      std::ranges::any_of(axes, [](const ParallelAxis& axis) { return axis.has_none; });
  const double bottom = top + kAxisHeight + (any_none ? kNoneBelow + 18 : 18);

  SvgCanvas canvas(kParallelWidth, bottom, parallel.title);
  for (size_t rank = order.size(); rank-- > 0;)
    draw_trial(canvas, parallel, axes, top, order[rank],
               (static_cast<double>(rank) + 0.5) / static_cast<double>(order.size()),
               class_of(parallel, order, rank));
  for (const ParallelAxis& axis : axes) draw_parallel_axis(canvas, axis, top, columns);
  draw_titles(canvas, axes, top - 14, columns, in_two_rows);
  draw_class_legend(canvas, parallel, order);
  return canvas.finish();
}

}  // namespace darp
