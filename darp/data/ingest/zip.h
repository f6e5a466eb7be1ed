#pragma once
// ZIP archives, as far as NPZ and zarr need them: stored and deflated members, ZIP64 included.
// Nothing is ever extracted to disk, so member names are only names.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "darp/core/bytes.h"
#include "darp/core/file.h"
#include "darp/data/ingest/byte_store.h"

namespace darp {

/// A member as the archive's directory declares it; sizes and places are already checked.
struct ZipEntry {
  std::string name;          // valid UTF-8 without zero bytes
  bool deflated = false;     // else stored as it is
  uint64_t stored_size = 0;  // bytes in the archive
  uint64_t size = 0;         // bytes of content
  uint32_t crc = 0;          // CRC-32 of the content
  uint64_t header = 0;       // where its local header stands
  uint64_t data = 0;         // where its stored bytes start
};

/// Looks at an archive that somebody else owns. Any thread may read from it.
class ZipReader {
 public:
  /// Reads the directory and compares it with every member's own header. Throws Error naming
  /// `where` for archives that are damaged, encrypted, split over disks, compressed otherwise, or
  /// whose members overlap or share a name.
  ZipReader(Bytes archive, std::string where);

  /// In the directory's order.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  /// The content, its CRC-32 verified: a view of the archive if it is stored, else unpacked. Throws
  /// Error when it does not unpack to what was declared.
  StoredBytes read(const ZipEntry& entry) const;

 private:
  ZipEntry read_directory_entry(ByteReader& directory) const;
  void check_local_header(ZipEntry& entry, uint16_t directory_flags) const;
  void check_names_and_places(uint64_t directory_begin) const;

  Bytes archive_;
  std::string where_;
  std::vector<ZipEntry> entries_;
};

/// An archive as a store of its members. The archive's bytes must outlive it.
class ZipStore final : public FlatStore {
 public:
  ZipStore(Bytes archive, std::string where);
  std::optional<StoredBytes> read(std::string_view key) const override;

 private:
  ZipReader zip_;
  std::map<std::string, const ZipEntry*, std::less<>> entries_;  // into zip_
};

/// Streams stored members. The same members give the same bytes: times are fixed.
class ZipWriter {
 public:
  using Sink = std::function<void(Bytes)>;
  /// Hands its content to the sink, piece by piece; the same each time it is called.
  using Source = std::function<void(const Sink&)>;

  explicit ZipWriter(AtomicFile& file);
  /// @param zip64_from sizes and places from here on use ZIP64 records; smaller only in tests.
  explicit ZipWriter(Sink sink, uint64_t zip64_from = 0xFFFFFFFF);

  /// Calls `source` twice, first for the CRC-32, then for the bytes: `size` of them. Throws Error
  /// for a name that is no valid UTF-8, holds a zero byte or is too long.
  void add(const std::string& name, uint64_t size, const Source& source);
  void add(const std::string& name, Bytes content);
  /// Writes the directory; nothing may be added after it.
  void finish();

 private:
  struct Member {
    std::string name;
    uint64_t size, header;
    uint32_t crc;
  };

  void emit(Bytes bytes);
  /// The 32-bit field for a value that may need 64.
  uint32_t narrow(uint64_t value) const;
  void write_directory_entry(const Member& member);

  Sink sink_;
  uint64_t zip64_from_;
  uint64_t offset_ = 0;
  std::vector<Member> members_;
};

}  // namespace darp
