#pragma once
// Reading and writing little-endian bytes. A reader never looks past its end: hostile lengths
// become an Error that names the file and the byte.

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "darp/core/error.h"

namespace darp {

static_assert(std::endian::native == std::endian::little,
              "darp reads and writes little-endian bytes as they are");

using Bytes = std::span<const std::byte>;

inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline Bytes as_byte_span(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Walks over bytes that somebody else owns.
class ByteReader {
 public:
  /// @param where names the source in errors ("policy.darp: header").
  ByteReader(Bytes bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {}

  size_t offset() const { return offset_; }
  size_t remaining() const { return bytes_.size() - offset_; }
  bool done() const { return remaining() == 0; }
  const std::string& where() const { return where_; }

  /// The next `count` bytes, as a view.
  Bytes take(uint64_t count) {
    if (count > remaining())
      throw Error(where_,
                  fmt::format("ends at byte {} where {} more bytes were promised at byte {}",
                              bytes_.size(), count, offset_),
                  "the file is truncated or damaged: copy or create it again");
    const Bytes taken = bytes_.subspan(offset_, static_cast<size_t>(count));
    offset_ += taken.size();
    return taken;
  }
  /// The next number, little-endian.
  template <class T>
  requires std::is_arithmetic_v<T> T read() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  void seek(uint64_t offset) {
    if (offset > bytes_.size())
      throw Error(where_,
                  fmt::format("ends at byte {} where byte {} was promised", bytes_.size(), offset),
                  "the file is truncated or damaged: copy or create it again");
    offset_ = static_cast<size_t>(offset);
  }

 private:
  Bytes bytes_;
  std::string where_;
  size_t offset_ = 0;
};

/// Collects bytes in memory: headers, small files, test input.
class ByteWriter {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> ByteWriter& write(T value) {
    return append(std::as_bytes(std::span(&value, 1)));
  }
  ByteWriter& append(Bytes bytes);
  ByteWriter& append(std::string_view text) { return append(as_byte_span(text)); }

  size_t size() const { return bytes_.size(); }
  Bytes bytes() const { return bytes_; }
  std::vector<std::byte> release() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace darp
