#include "darp/env/image/png.h"

#include <string>

#include "darp/core/error.h"
#include "darp/core/file.h"
#include "darp/env/image/cairo_surface.h"

namespace darp {
namespace {

// Called from C: nothing may be thrown through it.
cairo_status_t append_png(void* text, const unsigned char* bytes, unsigned length) noexcept try {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), length);
  return CAIRO_STATUS_SUCCESS;
} catch (const std::bad_alloc&) {
  return CAIRO_STATUS_NO_MEMORY;
}

}  // namespace

void write_png(const std::filesystem::path& path, const Image& image) {
  const CairoSurface surface = to_cairo(image);
  std::string png;
  const cairo_status_t status = cairo_surface_write_to_png_stream(surface.get(), append_png, &png);
  if (status != CAIRO_STATUS_SUCCESS)
    throw Error(path.string(),
                fmt::format("a picture of {} x {} pixels cannot be made a PNG: {}", image.width,
                            image.height, cairo_status_to_string(status)),
                "ask for a smaller picture");
  write_file(path, png);
}

}  // namespace darp
