#include "darp/eval/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "darp/env/image/canvas.h"

namespace darp {
namespace {

constexpr Color kShade = {0, 0, 0, 0.6}, kLetters = {1, 1, 1, 1},
                kQuietLetters = {0.8, 0.8, 0.8, 1};
// Of the palette by Okabe and Ito: far apart for color-blind people too.
constexpr Color kUsual = {0.34, 0.71, 0.91, 1}, kRare = {0.94, 0.89, 0.26, 1},
                kUnseen = {1.0, 0.50, 0.10, 1};

// Above 1 a step is farther from the demonstrations than they are from each other.
Color novelty_color(float novelty) {
  if (novelty < 0.9f) return kUsual;
  return novelty <= 1.0f ? kRare : kUnseen;
}

// Always as wide as this, so that nothing beside it moves from picture to picture.
constexpr std::string_view kNoveltyWidth = "novelty 0.00";

std::string novelty_text(float novelty) {
  return novelty < 9.995f ? fmt::format("novelty {:.2f}", novelty) : "novelty >10";
}

void draw_lines(Canvas& canvas, std::span<const std::string> lines, double letter, double width) {
  const double pad = std::round(0.6 * letter);
  double widest = 0;
  for (const std::string& line : lines) widest = std::max(widest, canvas.text_width(letter, line));
  const double room = std::max(1.0, width - 3 * pad);
  const double size = widest > room ? letter * room / widest : letter;
  // In few steps: a box that follows every digit flickers.
  const double box = std::ceil(widest * size / letter / (2 * letter)) * 2 * letter + pad;
  const double step = std::round(1.35 * size);
  canvas.fill_rectangle({0, 0}, std::min(width, std::round(box + pad)),
                        step * static_cast<double>(lines.size()) + pad, kShade);
  for (size_t i = 0; i < lines.size(); ++i)
    canvas.text({pad, 0.4 * pad + step * static_cast<double>(i) + size}, size, lines[i], kLetters);
}

void draw_bars(Canvas& canvas, std::span<const float> distances, double full, Point corner,
               double width, double height) {
  canvas.fill_rectangle({corner.x, corner.y + height}, width, 1, kQuietLetters);
  // Whole pixels, with gaps where there is room.
  double pitch = std::min(width / static_cast<double>(distances.size()), height);
  const double gap = pitch >= 4 ? 1 : 0;
  if (gap > 0) pitch = std::floor(pitch);
  for (size_t i = 0; i < distances.size(); ++i) {
    const double left = std::floor(pitch * static_cast<double>(i));
    const double right = std::max(left + 1, std::floor(pitch * static_cast<double>(i + 1)) - gap);
    const bool beyond = !(distances[i] <= full * 1.0001);
    const double part = beyond ? 1 : full > 0 ? std::max(0.0, distances[i] / full) : 0;
    canvas.fill_rectangle({corner.x + left, corner.y + height * (1 - part)}, right - left,
                          height * part, beyond ? kUnseen : kUsual);
  }
}

float largest_finite(std::span<const float> values) {
  float largest = 0;
  for (const float value : values)
    if (std::isfinite(value)) largest = std::max(largest, value);
  return largest;
}

/// One line along the lower edge: how many neighbours and how far, bars, novelty.
void draw_strip(Canvas& canvas, const Overlay& overlay, double letter, double width,
                double height) {
  const std::span<const float> distances = overlay.neighbor_distances;
  const double pad = std::round(0.6 * letter), box = std::round(1.2 * letter) + 2 * pad;
  const double baseline = height - box / 2 + 0.36 * letter;
  canvas.fill_rectangle({0, height - box}, width, box, kShade);
  double left = pad, right = width - pad;
  if (!(overlay.novelty < 0)) {
    right -= std::round(canvas.text_width(letter, kNoveltyWidth));
    canvas.text({right, baseline}, letter, novelty_text(overlay.novelty),
                novelty_color(overlay.novelty));
    right -= 2 * pad;
  }
  if (distances.empty()) return;
  const std::string count =
      fmt::format("{} neighbor{}, ", distances.size(), distances.size() == 1 ? "" : "s");
  const double room = canvas.text_width(letter, count + "0.000 to 0.000");
  if (right - left > 2 * room) {
    canvas.text({left, baseline}, letter,
                fmt::format("{}{:#.3g} to {:#.3g}", count, distances.front(), distances.back()),
                kQuietLetters);
    left += std::round(room) + 2 * pad;
  }
  const float full = overlay.full_bar > 0 ? overlay.full_bar : largest_finite(distances);
  if (right - left > letter)
    draw_bars(canvas, distances, full, {left, height - box + pad / 2}, right - left, box - pad);
}

}  // namespace

Image with_overlay(const Image& image, const Overlay& overlay) {
  Canvas canvas(image);
  const double letter = std::clamp(image.height / 30.0, 9.0, 40.0);
  if (!overlay.lines.empty()) draw_lines(canvas, overlay.lines, letter, image.width);
  if (!overlay.neighbor_distances.empty() || !(overlay.novelty < 0))
    draw_strip(canvas, overlay, letter, image.width, image.height);
  return canvas.image();
}

}  // namespace darp
