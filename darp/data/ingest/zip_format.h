#pragma once
// The numbers of the ZIP format (PKWARE's APPNOTE) that reader, writer and tests share.

#include <cstddef>
#include <cstdint>

namespace darp::zip_format {

constexpr uint32_t kLocalSignature = 0x04034b50, kDirectorySignature = 0x02014b50,
                   kEndSignature = 0x06054b50, kZip64EndSignature = 0x06064b50,
                   kLocatorSignature = 0x07064b50;
constexpr size_t kEndRecordSize = 22, kLocatorSize = 20;
constexpr uint64_t kZip64EndSize = 56;
constexpr uint16_t kZip64Extra = 1;

constexpr uint16_t kStored = 0, kDeflated = 8;
constexpr uint16_t kPlainVersion = 20, kZip64Version = 45;
constexpr uint32_t kFixedTime = 0x00210000;  // 1980-01-01 00:00, the format's first moment

constexpr uint16_t kDescriptorFlag = 1 << 3, kUtf8Flag = 1 << 11;
/// Encrypted, patched, strongly encrypted, encrypted directory.
constexpr uint16_t kUnreadableFlags = 1 << 0 | 1 << 5 | 1 << 6 | 1 << 13;
/// Flags that change how a member is read: both headers must have the same.
constexpr uint16_t kComparedFlags = kUnreadableFlags | kDescriptorFlag;

}  // namespace darp::zip_format
