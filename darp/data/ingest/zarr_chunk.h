#pragma once
// Unpacks one chunk of a zarr array.

#include <string_view>
#include <vector>

#include "darp/core/bytes.h"
#include "darp/data/ingest/zarr_metadata.h"

namespace darp {

/// Constant chunks shrink beyond any ratio, and unpacking this much at a time harms nobody.
inline constexpr uint64_t kOrdinaryChunkBytes = 16 << 20;

/// Unpacks chunks into one buffer that it keeps, so that an array of many chunks allocates once.
/// Not to be shared between threads.
class ZarrChunkDecoder {
 public:
  ZarrChunkDecoder(ZarrCompressor compressor, uint64_t chunk_bytes)
      : compressor_(compressor), chunk_bytes_(chunk_bytes) {}

  /// Exactly chunk_bytes; valid until the next call and while `stored` lives. Throws Error naming
  /// `where` when `stored` is anything but one whole chunk.
  Bytes decode(Bytes stored, std::string_view where);

 private:
  void inflate_chunk(Bytes stored, std::string_view where);
  void decode_blosc(Bytes stored, std::string_view where);
  void allocate(Bytes stored, std::string_view where);

  ZarrCompressor compressor_;
  uint64_t chunk_bytes_;
  std::vector<std::byte> buffer_;
};

}  // namespace darp
