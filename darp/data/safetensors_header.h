#pragma once
// The JSON header of a safetensors file, apart from the bytes it describes. For safetensors.cc;
// users include safetensors.h.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "darp/data/tensor_view.h"

namespace darp {

/// Where one tensor lies: bytes [begin, end) after the header.
struct SafetensorsEntry {
  std::string name;
  Dtype dtype = Dtype::kF32;
  std::vector<uint64_t> shape;
  uint64_t begin = 0, end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<SafetensorsEntry> entries;  // in the order of their bytes
};

/// The reference implementation's limit on the header's length.
inline constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;
/// The data start at a multiple of this in files that we write.
inline constexpr uint64_t kSafetensorsAlignment = 64;
/// The one key of the header that is not a tensor's name.
inline constexpr std::string_view kSafetensorsMetadataKey = "__metadata__";

/// Parses the header and checks it against the number of bytes that follow it. Throws Error, naming
/// `where` and the tensor, unless it keeps every rule in docs/formats/safetensors.md.
SafetensorsHeader parse_safetensors_header(std::string_view text, uint64_t data_bytes,
                                           std::string_view where);

/// The same header always gives the same text: compact JSON, padded with spaces so that length
/// field and header together fill a multiple of kSafetensorsAlignment. All text must be UTF-8.
std::string safetensors_header_text(const SafetensorsHeader& header);

/// "file: tensor 'name'", for messages.
std::string tensor_place(std::string_view where, std::string_view name);

}  // namespace darp
