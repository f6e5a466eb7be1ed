#pragma once
// Pictures one after another as an mp4 file (H.264, libav).

#include <filesystem>
#include <memory>

#include "darp/env/image/image.h"

namespace darp {

/// Writes beside the target and renames at finish(): a crash leaves no half video. Destroyed
/// without finish(), it leaves no trace.
class VideoWriter {
 public:
  /// All pictures have this size, 2 pixels or more each way, made even for the encoder by leaving
  /// out a last row or column. Throws Error when the file cannot be written or libav has no H.264
  /// encoder. libav's own messages are off from then on.
  VideoWriter(const std::filesystem::path& path, int width, int height, double frames_per_second);
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  /// Both throw Error when writing fails; then the writer is good for nothing but its end. The same
  /// pictures make the same file, bit for bit.
  void add(const Image& image);
  /// The last call, after one picture or more.
  void finish();

 private:
  struct Encoder;
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace darp
