#include "darp/env/image/cairo_surface.h"

#include "darp/core/error.h"

namespace darp {
namespace {

// Cairo keeps a pixel as the 32-bit number 0xXXRRGGBB, whatever the machine's byte order, and
// aligns rows for it.
uint32_t* cairo_row(cairo_surface_t* surface, int y) {
  return reinterpret_cast<uint32_t*>(cairo_image_surface_get_data(surface) +
                                     static_cast<ptrdiff_t>(y) *
                                         cairo_image_surface_get_stride(surface));
}

}  // namespace

CairoSurface to_cairo(const Image& image) {
  DARP_CHECK(image.width > 0 && image.height > 0, "a picture of {} x {} pixels", image.width,
             image.height);
  CairoSurface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, image.width, image.height));
  const cairo_status_t status = cairo_surface_status(surface.get());
  DARP_CHECK(status == CAIRO_STATUS_SUCCESS, "a picture of {} x {} pixels: {}", image.width,
             image.height, cairo_status_to_string(status));
  const uint8_t* rgb = image.pixels.data();
  for (int y = 0; y < image.height; ++y) {
    uint32_t* row = cairo_row(surface.get(), y);
    for (int x = 0; x < image.width; ++x, rgb += 3)
      row[x] = static_cast<uint32_t>(rgb[0]) << 16 | static_cast<uint32_t>(rgb[1]) << 8 | rgb[2];
  }
  cairo_surface_mark_dirty(surface.get());
  return surface;
}

Image from_cairo(cairo_surface_t& surface) {
  DARP_CHECK(cairo_image_surface_get_format(&surface) == CAIRO_FORMAT_RGB24, "another format");
  cairo_surface_flush(&surface);
  Image image(cairo_image_surface_get_width(&surface), cairo_image_surface_get_height(&surface));
  uint8_t* rgb = image.pixels.data();
  for (int y = 0; y < image.height; ++y) {
    const uint32_t* row = cairo_row(&surface, y);
    for (int x = 0; x < image.width; ++x, rgb += 3) {
      rgb[0] = static_cast<uint8_t>(row[x] >> 16);
      rgb[1] = static_cast<uint8_t>(row[x] >> 8);
      rgb[2] = static_cast<uint8_t>(row[x]);
    }
  }
  return image;
}

}  // namespace darp
