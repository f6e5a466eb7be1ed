#pragma once
// Drawing on a picture: smooth shapes and text (Cairo).

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "darp/env/image/image.h"

namespace darp {

/// Red, green, blue, opacity, each 0 to 1.
using Color = std::array<double, 4>;
struct Point {
  double x = 0, y = 0;
};

/// Coordinates are pixels, x to the right and y down, from the upper left corner, times the scale.
class Canvas {
 public:
  /// An empty picture.
  Canvas(int width, int height, Color background);
  /// On top of a picture.
  explicit Canvas(const Image& image);
  ~Canvas();

  /// From now on all coordinates, widths and sizes are multiplied by it.
  void scale(double factor);

  void fill_polygon(std::span<const Point> corners, Color color);
  void outline_polygon(std::span<const Point> corners, double width, Color color);
  void fill_circle(Point center, double radius, Color color);
  void line(Point from, Point to, double width, Color color);
  void fill_rectangle(Point corner, double width, double height, Color color);
  /// `baseline` is where the first letter stands. A sans-serif font of the system; without any font
  /// nothing is written.
  void text(Point baseline, double size, std::string_view text, Color color);
  double text_width(double size, std::string_view text);

  Image image() const;

 private:
  struct Surface;
  std::unique_ptr<Surface> surface_;
};

}  // namespace darp
