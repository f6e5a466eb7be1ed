#pragma once

#include <filesystem>

namespace darp {

/// Makes a folder and those above it that are missing. Throws Error where that fails.
void make_folders(const std::filesystem::path& path);

}  // namespace darp
