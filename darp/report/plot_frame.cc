#include "darp/report/plot_frame.h"

#include <algorithm>
#include <map>

namespace darp {
double left_margin(const Axis& y, int ticks) {
  double widest = 0;
  for (const Tick& tick : y.ticks(ticks))
    widest = std::max(widest, text_width(tick.label, kTickSize));
  return widest + 36;
}

void draw_x_axis(SvgCanvas& canvas, const PlotArea& area, std::string_view title, int ticks) {
  for (const Tick& tick : area.x.ticks(ticks)) {
    const double x = area.pixel_x(tick.value);
    canvas.line({x, area.top}, {x, area.bottom}, kGridColor, 1);
    canvas.text({x, area.bottom + 17}, tick.label,
                {.anchor = TextAnchor::kMiddle, .size = kTickSize, .color = kTickColor});
  }
  canvas.line({area.left, area.bottom}, {area.right, area.bottom}, kAxisColor, 1);
  canvas.text({(area.left + area.right) / 2, area.bottom + 37}, shortened(title, 80),
              {.anchor = TextAnchor::kMiddle, .size = kTitleSize});
}

void draw_y_axis(SvgCanvas& canvas, const PlotArea& area, std::string_view title, int ticks) {
  for (const Tick& tick : area.y.ticks(ticks)) {
    const double y = area.pixel_y(tick.value);
    canvas.line({area.left, y}, {area.right, y}, kGridColor, 1);
    canvas.text({area.left - 7, y + 4}, tick.label,
                {.anchor = TextAnchor::kEnd, .size = kTickSize, .color = kTickColor});
  }
  canvas.line({area.left, area.top}, {area.left, area.bottom}, kAxisColor, 1);
  canvas.text({14, (area.top + area.bottom) / 2}, shortened(title, 50),
              {.anchor = TextAnchor::kMiddle, .size = kTitleSize, .upward = true});
}

void draw_dots(SvgCanvas& canvas, const PlotArea& area, const std::vector<double>& values,
               int style, double middle, double half_height, double size, double opacity) {
  std::vector<double> drawn;
  for (const size_t i : evenly_chosen(values.size(), kMostDots))
    if (can_draw(values[i])) drawn.push_back(values[i]);
  std::sort(drawn.begin(), drawn.end());
  std::map<int64_t, int> in_column;
  int fullest = 1;
  std::vector<std::pair<double, int>> places;
  for (const double value : drawn) {
    const double x = area.pixel_x(value);
    const int rank = in_column[static_cast<int64_t>(x / size)]++;
    fullest = std::max(fullest, rank + 1);
    places.emplace_back(x, rank);
  }
  // The first of a column in the middle, the next above and below it in turn.
  const double spacing = std::min(size, 2 * half_height / fullest);
  for (const auto& [x, rank] : places) {
    const double side = rank % 2 == 0 ? 1 : -1;
    canvas.marker({x, middle + side * spacing * ((rank + 1) / 2)}, style, size, opacity);
  }
}

void draw_nothing(SvgCanvas& canvas, const PlotArea& area) {
  canvas.text({(area.left + area.right) / 2, (area.top + area.bottom) / 2}, "no data",
              {.anchor = TextAnchor::kMiddle, .size = 13, .color = "#777"});
}

std::vector<size_t> evenly_chosen(size_t count, size_t most) {
  std::vector<size_t> chosen;
  const size_t wanted = std::min(count, most);
  for (size_t i = 0; i < wanted; ++i)
    chosen.push_back(wanted == 1 ? 0 : (i * (count - 1) + (wanted - 1) / 2) / (wanted - 1));
  return chosen;
}

}  // namespace darp
