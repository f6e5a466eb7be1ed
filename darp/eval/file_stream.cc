#include "darp/eval/file_stream.h"

extern "C" {
#include <libavformat/avformat.h>
}
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <new>

namespace darp {
namespace {

constexpr int kStreamBuffer = 1 << 16;

}  // namespace

FileStream::FileStream(int descriptor, bool for_writing) : descriptor_(descriptor) {
  auto* buffer = static_cast<unsigned char*>(av_malloc(kStreamBuffer));
  if (buffer == nullptr) throw std::bad_alloc();
  io_ = avio_alloc_context(buffer, kStreamBuffer, for_writing ? 1 : 0, this, read_bytes,
                           write_bytes, seek_to);
  if (io_ == nullptr) {
    av_free(buffer);
    throw std::bad_alloc();
  }
}

FileStream::~FileStream() {
  av_freep(&io_->buffer);
  avio_context_free(&io_);
}

int FileStream::failed(int cause) {
  if (error_ == 0) error_ = cause;
  return AVERROR(cause);
}

int FileStream::read_bytes(void* self, uint8_t* bytes, int size) {
  auto& stream = *static_cast<FileStream*>(self);
  ssize_t count;
  do count = ::pread(stream.descriptor_, bytes, static_cast<size_t>(size), stream.position_);
  while (count < 0 && errno == EINTR);
  if (count < 0) return stream.failed(errno);
  if (count == 0) return AVERROR_EOF;
  stream.position_ += count;
  return static_cast<int>(count);
}

int FileStream::write_bytes(void* self, uint8_t* bytes, int size) {
  auto& stream = *static_cast<FileStream*>(self);
  for (int done = 0; done < size;) {
    const ssize_t count = ::pwrite(stream.descriptor_, bytes + done,
                                   static_cast<size_t>(size - done), stream.position_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return stream.failed(errno);
    done += static_cast<int>(count);
    stream.position_ += count;
  }
  return size;
}

int64_t FileStream::seek_to(void* self, int64_t offset, int whence) {
  auto& stream = *static_cast<FileStream*>(self);
  struct stat info {};
  if (::fstat(stream.descriptor_, &info) != 0) return stream.failed(errno);
  switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE:
      return info.st_size;
    case SEEK_CUR:
      offset += stream.position_;
      break;
    case SEEK_END:
      offset += info.st_size;
      break;
    default:
      break;
  }
  if (offset < 0) return AVERROR(EINVAL);
  return stream.position_ = offset;
}

void FileStream::attach(AVFormatContext& format) {
  format.pb = io_;
  format.flags |= AVFMT_FLAG_CUSTOM_IO;
  format.opaque = this;
  // libav opens the file by its name to read it again; the name is not known to it, nor the file's
  // own yet.
  format.io_open = [](AVFormatContext* context, AVIOContext** io, const char*, int flags,
                      AVDictionary**) noexcept {
    if (flags != AVIO_FLAG_READ) return AVERROR(ENOSYS);
    try {
      auto* reader = new FileStream(static_cast<FileStream*>(context->opaque)->descriptor_, false);
      *io = reader->io_;
    } catch (const std::bad_alloc&) {
      return AVERROR(ENOMEM);
    }
    return 0;
  };
  format.io_close2 = [](AVFormatContext*, AVIOContext* io) noexcept {
    delete static_cast<FileStream*>(io->opaque);
    return 0;
  };
}

}  // namespace darp
