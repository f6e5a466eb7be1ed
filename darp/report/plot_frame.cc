#include "darp/report/plot_frame.h"

#include <algorithm>

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
