#pragma once
// The text files of a zarr version 2 store: .zgroup, and .zarray, which describes one array.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "darp/core/bytes.h"
#include "darp/data/ingest/array.h"

namespace darp {

enum class ZarrCompressor { kNone, kZlib, kGzip, kBlosc };

/// What .zarray says. Dimensions are 1 to 32; chunks has one entry above zero for each; the sizes
/// below do not wrap.
struct ZarrMetadata {
  ElementType type;
  std::vector<uint64_t> shape, chunks;
  bool fortran_order = false;        // within a chunk
  std::optional<double> fill_value;  // of chunks that are not stored; none: undefined
  ZarrCompressor compressor = ZarrCompressor::kNone;
  char separator = '.';  // between the numbers of a chunk's name

  uint64_t array_bytes() const;
  /// Every chunk has this size when unpacked, also at the array's edges.
  uint64_t chunk_bytes() const;
};

/// Parses a .zarray file. Throws Error naming `where` for what is damaged or not supported.
ZarrMetadata parse_zarray(Bytes text, std::string_view where);

/// Throws Error unless this .zgroup is one of version 2.
void check_zgroup(Bytes text, std::string_view where);

}  // namespace darp
