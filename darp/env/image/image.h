#pragma once
// A picture in memory.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace darp {

/// 8-bit red, green, blue for each pixel; rows from top to bottom, without gaps.
struct Image {
  int width = 0, height = 0;
  std::vector<uint8_t> pixels;  // width * height * 3

  Image() = default;
  /// Black.
  Image(int width_, int height_)
      : width(width_),
        height(height_),
        pixels(static_cast<size_t>(width_) * static_cast<size_t>(height_) * 3) {}

  uint8_t* at(int x, int y) {
    return &pixels[(static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)) *
                   3];
  }
  const uint8_t* at(int x, int y) const { return const_cast<Image*>(this)->at(x, y); }
};

}  // namespace darp
