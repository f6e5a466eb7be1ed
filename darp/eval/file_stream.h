#pragma once
// libav's streams over a file that is open already.

#include <cstdint>

struct AVFormatContext;
struct AVIOContext;

namespace darp {

/// Reads and writes `descriptor` at places of its own: several may share one. The file stays open,
/// and is to outlive the stream.
class FileStream {
 public:
  FileStream(int descriptor, bool for_writing);
  ~FileStream();
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  /// Makes `format` write here, and read here what it has written when it moves things at the end.
  /// The stream is to outlive the format's use.
  void attach(AVFormatContext& format);
  /// errno of the first write or read that failed; 0 while none did.
  int error() const { return error_; }

 private:
  static int read_bytes(void* self, uint8_t* bytes, int size);
  static int write_bytes(void* self, uint8_t* bytes, int size);
  static int64_t seek_to(void* self, int64_t offset, int whence);
  int failed(int cause);

  int descriptor_;
  int64_t position_ = 0;
  int error_ = 0;
  AVIOContext* io_ = nullptr;
};

}  // namespace darp
