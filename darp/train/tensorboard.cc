#include "darp/train/tensorboard.h"

#include <array>
#include <bit>

namespace darp {
namespace {

constexpr std::array<uint32_t, 256> crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
    table[byte] = crc;
  }
  return table;
}

/// A protobuf message: fields of wire type 0 (varint), 1 (8 bytes), 2 (length and bytes), 5 (4
/// bytes), each behind a tag.
class Message {
 public:
  Message& varint(uint64_t field, uint64_t value) { return put(field << 3).put(value); }
  Message& real64(uint64_t field, double value) {
    put(field << 3 | 1);
    bytes_.write(value);
    return *this;
  }
  Message& text(uint64_t field, std::string_view value) {
    put(field << 3 | 2).put(value.size());
    bytes_.append(value);
    return *this;
  }
  Message& real32(uint64_t field, float value) {
    put(field << 3 | 5);
    bytes_.write(value);
    return *this;
  }
  std::string_view view() const { return as_text(bytes_.bytes()); }

 private:
  /// Seven bits per byte, the lowest first; the top bit says that more follow.
  Message& put(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.write(static_cast<uint8_t>(value | 0x80));
    bytes_.write(static_cast<uint8_t>(value));
    return *this;
  }

  ByteWriter bytes_;
};

void append_record(AppendFile& file, const Message& message) {
  const Bytes data = as_byte_span(message.view());
  const uint64_t length = data.size();
  ByteWriter record;
  record.write(length).write(masked_crc32c(std::as_bytes(std::span(&length, 1))));
  record.append(data).write(masked_crc32c(data));
  file.append(record.bytes());
}

}  // namespace

uint32_t crc32c(Bytes bytes) {
  static constexpr std::array<uint32_t, 256> kTable = crc_table();
  uint32_t crc = 0xFFFFFFFFu;
  for (const std::byte byte : bytes)
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<uint32_t>(byte)) & 0xFFu];
  return ~crc;
}

uint32_t masked_crc32c(Bytes bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xA282EAD8u;
}

std::string event_file_name(int64_t unix_seconds, std::string_view host) {
  std::string name = fmt::format("events.out.tfevents.{}.{}", unix_seconds, host);
  for (char& c : name)
    if (c == '/') c = '-';
  return name;
}

TensorboardLog::TensorboardLog(const std::filesystem::path& path, int64_t position,
                               double wall_time)
    : file_(path, position) {
  if (position == 0) append_record(file_, Message().real64(1, wall_time).text(3, "brain.Event:2"));
}

void TensorboardLog::append(int64_t step, double wall_time, std::span<const Scalar> scalars) {
  Message summary;
  for (const Scalar& scalar : scalars)
    summary.text(1,
                 Message().text(1, scalar.tag).real32(2, static_cast<float>(scalar.value)).view());
  append_record(file_, Message()
                           .real64(1, wall_time)
                           .varint(2, static_cast<uint64_t>(step))
                           .text(5, summary.view()));
}

}  // namespace darp
