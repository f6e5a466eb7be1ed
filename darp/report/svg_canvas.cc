#include "darp/report/svg_canvas.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "darp/core/utf8.h"

namespace darp {
namespace {

struct StyleLook {
  std::string_view color, dashes;
};
constexpr std::array<StyleLook, kStyles> kLooks = {{{"#0072B2", ""},
                                                    {"#D55E00", "7 3"},
                                                    {"#009E73", "2 2.5"},
                                                    {"#CC79A7", "9 3 2 3"},
                                                    {"#56B4E9", "12 4"},
                                                    {"#E69F00", "4 2 1 2 1 2"},
                                                    {"#222222", "1 3"}}};

/// Which dashes and which marker: another with the same colour has others.
int shape_of(int style) {
  return (style + style / kStyles) % kStyles;
}

std::string opacity_attribute(double opacity) {
  return opacity < 1 ? fmt::format(" opacity=\"{:g}\"", opacity) : "";
}

/// A hundredth of a pixel is as fine as it gets; without it texts would differ by rounding, and
/// "-0" from "0".
std::string pixels(double x) {
  const double rounded = std::round(x * 100) / 100;
  return fmt::format("{:g}", rounded == 0 ? 0.0 : rounded);
}

std::string point_list(std::span<const PixelPoint> points) {
  std::string list;
  for (const PixelPoint& p : points)
    list += fmt::format("{}{},{}", list.empty() ? "" : " ", pixels(p.x), pixels(p.y));
  return list;
}

std::string dash_attribute(std::string_view dashes) {
  return dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes);
}

/// Corners of the style's marker within a circle of radius 1; none: it is the circle itself.
std::span<const PixelPoint> marker_corners(int style) {
  static constexpr std::array<PixelPoint, 4> kDiamond = {
      {{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}}};
  static constexpr std::array<PixelPoint, 4> kSquare = {
      {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}};
  static constexpr std::array<PixelPoint, 3> kUp = {{{0, -1.2}, {1.15, 0.9}, {-1.15, 0.9}}};
  static constexpr std::array<PixelPoint, 3> kDown = {{{0, 1.2}, {1.15, -0.9}, {-1.15, -0.9}}};
  static constexpr std::array<PixelPoint, 4> kBar = {
      {{-0.5, -1.3}, {0.5, -1.3}, {0.5, 1.3}, {-0.5, 1.3}}};
  static constexpr std::array<PixelPoint, 4> kDash = {
      {{-1.3, -0.5}, {1.3, -0.5}, {1.3, 0.5}, {-1.3, 0.5}}};
  switch (shape_of(style)) {
    case 1:
      return kDiamond;
    case 2:
      return kSquare;
    case 3:
      return kUp;
    case 4:
      return kDown;
    case 5:
      return kBar;
    case 6:
      return kDash;
    default:
      return {};
  }
}

std::string marker_shape(PixelPoint center, int style, double size, double opacity) {
  const std::string look = fmt::format("fill=\"{}\" stroke=\"#fff\" stroke-width=\"0.75\"{}",
                                       style_color(style), opacity_attribute(opacity));
  const std::span<const PixelPoint> corners = marker_corners(style);
  if (corners.empty())
    return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>\n", pixels(center.x),
                       pixels(center.y), pixels(size / 2), look);
  std::string points;
  for (const PixelPoint& p : corners)
    points += fmt::format("{}{},{}", points.empty() ? "" : " ", pixels(center.x + p.x * size / 2),
                          pixels(center.y + p.y * size / 2));
  return fmt::format("<polygon points=\"{}\" {}/>\n", points, look);
}

std::string_view anchor_name(TextAnchor anchor) {
  return anchor == TextAnchor::kStart ? "start" : anchor == TextAnchor::kMiddle ? "middle" : "end";
}

}  // namespace

std::string_view style_color(int style) {
  return kLooks[static_cast<size_t>(style % kStyles)].color;
}

std::string_view style_dashes(int style) {
  return kLooks[static_cast<size_t>(shape_of(style))].dashes;
}

double text_width(std::string_view text, double size) {
  return 0.56 * size * static_cast<double>(utf8_columns(text));
}

SvgCanvas::SvgCanvas(double width, double height, std::string_view description)
    : body_(fmt::format(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{0}\" height=\"{1}\" "
          "viewBox=\"0 0 {0} {1}\" font-family=\"'Helvetica Neue', Helvetica, Arial, 'Liberation "
          "Sans', sans-serif\">\n<title>{2}</title>\n"
          // As a file of its own it may be shown on black.
          "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
          pixels(width), pixels(height), escaped(description).text)) {}

void SvgCanvas::line(PixelPoint from, PixelPoint to, std::string_view color, double width,
                     std::string_view dashes) {
  body_ += fmt::format(
      "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"{:g}\"{}/>\n",
      pixels(from.x), pixels(from.y), pixels(to.x), pixels(to.y), color, width,
      dash_attribute(dashes));
}

void SvgCanvas::polyline(std::span<const PixelPoint> points, std::string_view color, double width,
                         std::string_view dashes, double opacity) {
  body_ += fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\" "
      "stroke-linejoin=\"round\"{}{}/>\n",
      point_list(points), color, width, dash_attribute(dashes), opacity_attribute(opacity));
}

void SvgCanvas::polygon(std::span<const PixelPoint> points, std::string_view fill, double opacity) {
  body_ += fmt::format("<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"{:g}\"/>\n",
                       point_list(points), fill, opacity);
}

void SvgCanvas::marker(PixelPoint center, int style, double size, double opacity) {
  body_ += marker_shape(center, style, size, opacity);
}

void SvgCanvas::hollow_diamond(PixelPoint center, double size) {
  const double r = size / 2;
  const std::array<PixelPoint, 4> corners = {{{center.x, center.y - r},
                                              {center.x + r, center.y},
                                              {center.x, center.y + r},
                                              {center.x - r, center.y}}};
  body_ +=
      fmt::format("<polygon points=\"{}\" fill=\"#fff\" stroke=\"#222\" stroke-width=\"1.75\"/>\n",
                  point_list(corners));
}

void SvgCanvas::rectangle(PixelPoint corner, PixelPoint opposite, std::string_view color,
                          double fill_opacity, double width) {
  body_ += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" fill-opacity=\"{:g}\" "
      "stroke=\"{}\" stroke-width=\"{:g}\"/>\n",
      pixels(corner.x), pixels(corner.y), pixels(opposite.x - corner.x),
      pixels(opposite.y - corner.y), color, fill_opacity, color, width);
}

void SvgCanvas::text(PixelPoint at, std::string_view text, const TextLook& look) {
  body_ += fmt::format(
      "<text x=\"{0}\" y=\"{1}\" font-size=\"{2:g}\" fill=\"{3}\" text-anchor=\"{4}\"{5}{6}{7}>{8}"
      "</text>\n",
      pixels(at.x), pixels(at.y), look.size, look.color, anchor_name(look.anchor),
      look.bold ? " font-weight=\"600\"" : "",
      look.halo ? " stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\" "
                  "stroke-linejoin=\"round\""
                : "",
      look.upward ? fmt::format(" transform=\"rotate(-90 {} {})\"", pixels(at.x), pixels(at.y))
                  : "",
      escaped(text).text);
}

Markup SvgCanvas::finish() const {
  return {body_ + "</svg>\n"};
}

Markup style_key(int style) {
  return {
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"key\" width=\"14\" height=\"14\" "
      "viewBox=\"0 0 14 14\">" +
      marker_shape({7, 7}, style, 9, 1) + "</svg>"};
}

}  // namespace darp
