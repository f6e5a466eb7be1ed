#include "darp/data/ingest/zarr_chunk.h"

#include <blosc.h>
#include <zlib.h>

#include <algorithm>

#include "darp/core/checked.h"

namespace darp {
namespace {

constexpr const char* kDamagedChunk =
    "the chunk is truncated or damaged: copy or create the store again";

}  // namespace

Bytes ZarrChunkDecoder::decode(Bytes stored, std::string_view where) {
  switch (compressor_) {
    case ZarrCompressor::kNone:
      if (stored.size() != chunk_bytes_)
        throw Error(where, fmt::format("has {} bytes, not {}", stored.size(), chunk_bytes_),
                    kDamagedChunk);
      return stored;
    case ZarrCompressor::kZlib:
    case ZarrCompressor::kGzip:
      inflate_chunk(stored, where);
      return buffer_;
    case ZarrCompressor::kBlosc:
      decode_blosc(stored, where);
      return buffer_;
  }
  DARP_CHECK(false, "compressor {}", static_cast<int>(compressor_));
}

void ZarrChunkDecoder::allocate(Bytes stored, std::string_view where) {
  if (chunk_bytes_ > kOrdinaryChunkBytes) check_expansion(chunk_bytes_, stored.size(), where);
  buffer_.resize(static_cast<size_t>(chunk_bytes_));
}

void ZarrChunkDecoder::inflate_chunk(Bytes stored, std::string_view where) {
  if (stored.size() > INT32_MAX)
    throw Error(where, fmt::format("has {} bytes for {}", stored.size(), chunk_bytes_),
                kDamagedChunk);
  allocate(stored, where);
  // zlib's way to say which of the two headers must be there.
  constexpr int kWindow = 15, kGzipHeader = 16;
  z_stream stream{};
  if (inflateInit2(&stream,
                   compressor_ == ZarrCompressor::kGzip ? kWindow + kGzipHeader : kWindow) != Z_OK)
    throw std::bad_alloc();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(stored.data()));
  stream.avail_in = static_cast<uInt>(stored.size());
  stream.next_out = reinterpret_cast<Bytef*>(buffer_.data());
  stream.avail_out = static_cast<uInt>(buffer_.size());
  const int result = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (result != Z_STREAM_END || stream.avail_out != 0 || stream.avail_in != 0)
    throw Error(where, fmt::format("does not unpack to {} bytes", chunk_bytes_), kDamagedChunk);
}

void ZarrChunkDecoder::decode_blosc(Bytes stored, std::string_view where) {
  size_t unpacked = 0;
  if (stored.size() < BLOSC_MIN_HEADER_LENGTH ||
      blosc_cbuffer_validate(stored.data(), stored.size(), &unpacked) != 0 ||
      unpacked != chunk_bytes_)
    throw Error(where, fmt::format("is not a blosc buffer of {} bytes", chunk_bytes_),
                kDamagedChunk);
  allocate(stored, where);
  const int written = blosc_decompress_ctx(stored.data(), buffer_.data(), buffer_.size(), 1);
  if (written < 0 || static_cast<uint64_t>(written) != chunk_bytes_)
    throw Error(where, fmt::format("does not unpack to {} bytes", chunk_bytes_), kDamagedChunk);
}

}  // namespace darp
