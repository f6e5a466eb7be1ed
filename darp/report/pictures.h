#pragma once
// Films and pictures of episodes, as `darp eval --video` and `--frames` write them, made part of a
// page.

#include <cstdint>
#include <filesystem>
#include <string>

#include "darp/report/markup.h"

namespace darp {

/// Larger files make pages that browsers do not open any more.
inline constexpr uint64_t kLargestPicture = uint64_t{256} << 20;

/// An mp4 with controls, under its label. Throws Error for what is no mp4, for one without H.264,
/// which browsers do not play, and for one that is too large.
Markup video_figure(const std::string& label, const std::filesystem::path& file);

/// `count` evenly chosen PNG pictures of a folder, by name, side by side. Throws Error where there
/// are none and for files that are no PNG or too large.
Markup picture_strip(const std::string& label, const std::filesystem::path& folder, int count);

}  // namespace darp
