#pragma once
// Shapes, text and the looks of series, as SVG. Coordinates are pixels, y downward.

#include <span>
#include <string>
#include <string_view>

#include "darp/report/markup.h"

namespace darp {

struct PixelPoint {
  double x = 0, y = 0;
};

/// How one series looks, whatever the picture: colour, dashes and marker all differ, so that it is
/// told apart by those who see no colours and on grey paper. After kStyles of them colours come
/// again, with other dashes and markers; after kStyles * kStyles all does.
inline constexpr int kStyles = 7;
/// Okabe and Ito's, without yellow, which no white paper shows.
std::string_view style_color(int style);
/// For stroke-dasharray; empty for a solid line.
std::string_view style_dashes(int style);

enum class TextAnchor { kStart, kMiddle, kEnd };

struct TextLook {
  TextAnchor anchor = TextAnchor::kStart;
  double size = 12;
  std::string_view color = "#333";
  bool bold = false;
  bool upward = false;  // turned by a quarter
  bool halo = false;    // white around it, over lines
};

/// About how wide text of that size is.
double text_width(std::string_view text, double size);

class SvgCanvas {
 public:
  /// `description` is read out to those who cannot see the picture.
  SvgCanvas(double width, double height, std::string_view description);

  void line(PixelPoint from, PixelPoint to, std::string_view color, double width,
            std::string_view dashes = "");
  void polyline(std::span<const PixelPoint> points, std::string_view color, double width,
                std::string_view dashes = "", double opacity = 1);
  void polygon(std::span<const PixelPoint> points, std::string_view fill, double opacity);
  /// The style's marker, `size` wide, with a thin white rim.
  void marker(PixelPoint center, int style, double size, double opacity = 1);
  /// A diamond with a dark rim and nothing in it: what something is compared with.
  void hollow_diamond(PixelPoint center, double size);
  void rectangle(PixelPoint corner, PixelPoint opposite, std::string_view color,
                 double fill_opacity, double width);
  void text(PixelPoint at, std::string_view text, const TextLook& look);

  Markup finish() const;

 private:
  std::string body_;
};

/// A marker alone, to stand in running text or a table.
Markup style_key(int style);

}  // namespace darp
