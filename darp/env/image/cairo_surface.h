#pragma once
// Our pictures as Cairo's and back.

#include <cairo.h>

#include <memory>

#include "darp/env/image/image.h"

namespace darp {

struct FreeCairoSurface {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using CairoSurface = std::unique_ptr<cairo_surface_t, FreeCairoSurface>;

/// A copy. Aborts for pictures without pixels and for sides beyond Cairo's 32767 pixels.
CairoSurface to_cairo(const Image& image);
/// A copy of a surface of format CAIRO_FORMAT_RGB24.
Image from_cairo(cairo_surface_t& surface);

}  // namespace darp
