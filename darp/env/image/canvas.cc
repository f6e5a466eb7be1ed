#include "darp/env/image/canvas.h"

#include <string>

#include "darp/core/error.h"
#include "darp/env/image/cairo_surface.h"

namespace darp {

struct Canvas::Surface {
  explicit Surface(const Image& image)
      : surface(to_cairo(image)), context(cairo_create(surface.get())) {
    // Letters keep their shapes and distances at any scale, and look the same on every screen.
    cairo_font_options_t* options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(context, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
  }
  ~Surface() { cairo_destroy(context); }
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  void use(const Color& color) {
    cairo_set_source_rgba(context, color[0], color[1], color[2], color[3]);
  }
  void polygon(std::span<const Point> corners) {
    cairo_new_path(context);
    for (const Point& corner : corners) cairo_line_to(context, corner.x, corner.y);
    cairo_close_path(context);
  }

  CairoSurface surface;
  cairo_t* context;
};

Canvas::Canvas(int width, int height, Color background) : Canvas(Image(width, height)) {
  surface_->use(background);
  cairo_paint(surface_->context);
}

Canvas::Canvas(const Image& image) : surface_(std::make_unique<Surface>(image)) {}

Canvas::~Canvas() = default;

void Canvas::scale(double factor) {
  DARP_CHECK(factor > 0, "scale {}", factor);
  cairo_scale(surface_->context, factor, factor);
}

void Canvas::fill_polygon(std::span<const Point> corners, Color color) {
  surface_->use(color);
  surface_->polygon(corners);
  cairo_fill(surface_->context);
}

void Canvas::outline_polygon(std::span<const Point> corners, double width, Color color) {
  surface_->use(color);
  surface_->polygon(corners);
  cairo_set_line_width(surface_->context, width);
  cairo_stroke(surface_->context);
}

void Canvas::fill_circle(Point center, double radius, Color color) {
  constexpr double kTwoPi = 6.283185307179586;
  surface_->use(color);
  cairo_new_path(surface_->context);
  cairo_arc(surface_->context, center.x, center.y, radius, 0, kTwoPi);
  cairo_fill(surface_->context);
}

void Canvas::line(Point from, Point to, double width, Color color) {
  surface_->use(color);
  cairo_new_path(surface_->context);
  cairo_move_to(surface_->context, from.x, from.y);
  cairo_line_to(surface_->context, to.x, to.y);
  cairo_set_line_width(surface_->context, width);
  cairo_stroke(surface_->context);
}

void Canvas::fill_rectangle(Point corner, double width, double height, Color color) {
  surface_->use(color);
  cairo_new_path(surface_->context);
  cairo_rectangle(surface_->context, corner.x, corner.y, width, height);
  cairo_fill(surface_->context);
}

void Canvas::text(Point baseline, double size, std::string_view text, Color color) {
  surface_->use(color);
  cairo_move_to(surface_->context, baseline.x, baseline.y);
  cairo_set_font_size(surface_->context, size);
  // One byte that is not UTF-8 would end all drawing on this canvas.
  cairo_show_text(surface_->context, printable(text).c_str());
}

double Canvas::text_width(double size, std::string_view text) {
  cairo_text_extents_t extents;
  cairo_set_font_size(surface_->context, size);
  cairo_text_extents(surface_->context, printable(text).c_str(), &extents);
  return extents.x_advance;
}

Image Canvas::image() const {
  const cairo_status_t status = cairo_status(surface_->context);
  DARP_CHECK(status == CAIRO_STATUS_SUCCESS, "{}", cairo_status_to_string(status));
  return from_cairo(*surface_->surface);
}

}  // namespace darp
