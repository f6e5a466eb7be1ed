#include <algorithm>
#include <cmath>
#include <map>

#include "darp/report/exhibit_charts.h"
#include "darp/report/plot_frame.h"

namespace darp {
namespace {

constexpr double kBoxWidth = 1000, kBoxRow = 36, kGroupGap = 14, kHalfBox = 10;
constexpr int kBoxTicks = 7;
constexpr size_t kBoxNameColumns = 40, kBoxTextColumns = 44, kMarkColumns = 60;
/// Of fewer values quartiles say nothing that the dots do not.
constexpr size_t kFewestForBox = 4;

using BoxRow = ExhibitBoxes::Row;

/// Between the two nearest values, as spreadsheets do. `sorted` is not empty.
double between(const std::vector<double>& sorted, double part) {
  const double at = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - std::floor(at));
}

std::vector<double> drawn_values(const BoxRow& row) {
  std::vector<double> values;
  for (const double value : row.values)
    if (can_draw(value)) values.push_back(value);
  std::sort(values.begin(), values.end());
  return values;
}

bool has_mark(const BoxRow& row) {
  return row.mark && can_draw(*row.mark);
}

/// Groups in the order in which they come first, and their rows as they come.
std::vector<const BoxRow*> grouped_rows(const ExhibitBoxes& boxes) {
  std::map<int, size_t> first;
  for (const BoxRow& row : boxes.rows) first.emplace(row.group, first.size());
  std::vector<const BoxRow*> rows;
  for (const BoxRow& row : boxes.rows) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [&](const BoxRow* a, const BoxRow* b) {
    return first.at(a->group) < first.at(b->group);
  });
  return rows;
}

/// What the parts of a row mean, on the first line.
void draw_box_legend(SvgCanvas& canvas, const ExhibitBoxes& boxes, double left) {
  double x = left;
  const auto words = [&](double from, std::string_view text) {
    canvas.text({from, 16}, text, {.size = kTickSize, .color = kTickColor});
    x = from + text_width(text, kTickSize) + 22;
  };
  canvas.marker({x + 4, 12}, 0, 8, 0.85);
  words(x + 14, "one value");
  canvas.rectangle({x, 6}, {x + 22, 18}, "#555", 0.15, 1.25);
  words(x + 30, "middle half");
  canvas.line({x + 2, 5}, {x + 2, 19}, "#222", 3);
  words(x + 10, "median");
  if (!std::ranges::any_of(boxes.rows, has_mark)) return;
  canvas.hollow_diamond({x + 6, 12}, 12);
  words(x + 18, boxes.mark_title.empty() ? "mark" : shortened(boxes.mark_title, kMarkColumns));
}

void draw_box(SvgCanvas& canvas, const PlotArea& area, const BoxRow& row, double y) {
  const std::vector<double> values = drawn_values(row);
  const std::string_view color = style_color(row.group);
  if (values.size() >= kFewestForBox) {
    const double low = area.pixel_x(values.front()), high = area.pixel_x(values.back());
    canvas.line({low, y}, {high, y}, color, 1.25);
    canvas.rectangle({area.pixel_x(between(values, 0.25)), y - kHalfBox},
                     {area.pixel_x(between(values, 0.75)), y + kHalfBox}, color, 0.15, 1.25);
  }
  if (!values.empty()) {
    const double median = area.pixel_x(between(values, 0.5));
    canvas.line({median, y - kHalfBox - 3}, {median, y + kHalfBox + 3}, "#222", 3);
  }
  draw_dots(canvas, area, values, row.group, y, kHalfBox, 8, 0.85);
  if (has_mark(row)) canvas.hollow_diamond({area.pixel_x(*row.mark), y}, 13);
}

/// Room for the widest name, or text.
double widest_of(const ExhibitBoxes& boxes, std::string BoxRow::*text, size_t columns,
                 double size) {
  double width = 0;
  for (const BoxRow& row : boxes.rows)
    width = std::max(width, text_width(shortened(row.*text, columns), size));
  return width;
}

}  // namespace

Markup box_chart(const ExhibitBoxes& boxes) {
  const std::vector<const BoxRow*> rows = grouped_rows(boxes);
  std::vector<double> values, middles;
  double y = 34;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && rows[i]->group != rows[i - 1]->group) y += kGroupGap;
    middles.push_back(y + kBoxRow / 2);
    y += kBoxRow;
    values.insert(values.end(), rows[i]->values.begin(), rows[i]->values.end());
    if (rows[i]->mark) values.push_back(*rows[i]->mark);
  }
  const bool any = std::ranges::any_of(values, [](double value) { return can_draw(value); });
  if (rows.empty()) y += kBoxRow;
  const double texts = widest_of(boxes, &BoxRow::text, kBoxTextColumns, kTitleSize);
  // Names are bold, hence wider.
  const double left = 1.06 * widest_of(boxes, &BoxRow::name, kBoxNameColumns, kTitleSize) + 24;
  const PlotArea area{left, 30,           kBoxWidth - (texts > 0 ? texts + 24 : 24),
                      y,    Axis(values), Axis({})};

  SvgCanvas canvas(kBoxWidth, y + 46, boxes.title);
  draw_x_axis(canvas, area, boxes.axis_title, kBoxTicks);
  if (!any) draw_nothing(canvas, area);
  if (any) draw_box_legend(canvas, boxes, left);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && rows[i]->group != rows[i - 1]->group) {
      const double between_groups = middles[i] - kBoxRow / 2 - kGroupGap / 2;
      canvas.line({8, between_groups}, {area.right, between_groups}, "#bbb", 1);
    }
    draw_box(canvas, area, *rows[i], middles[i]);
    canvas.text({area.left - 12, middles[i] + 4}, shortened(rows[i]->name, kBoxNameColumns),
                {.anchor = TextAnchor::kEnd, .size = kTitleSize, .bold = true});
    canvas.text({area.right + 14, middles[i] + 4}, shortened(rows[i]->text, kBoxTextColumns),
                {.size = kTitleSize});
  }
  return canvas.finish();
}

}  // namespace darp
