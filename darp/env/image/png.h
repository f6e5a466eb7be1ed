#pragma once
// Pictures as files.

#include <filesystem>

#include "darp/env/image/image.h"

namespace darp {

/// Replaces the file atomically. Throws Error when it cannot be written.
void write_png(const std::filesystem::path& path, const Image& image);

}  // namespace darp
