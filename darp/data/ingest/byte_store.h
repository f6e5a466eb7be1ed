#pragma once
// Values under keys ("data/action/.zarray"), as zarr sees its files. A folder is one such store; an
// archive can be another.

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "darp/core/bytes.h"
#include "darp/core/file.h"

namespace darp {

/// The bytes of one stored value: its own, a mapped file's, or a view of what the store keeps.
class StoredBytes {
 public:
  explicit StoredBytes(std::vector<std::byte> own);
  StoredBytes(std::shared_ptr<const std::byte[]> own, size_t size)
      : bytes_(own.get(), size), owner_(std::move(own)) {}
  explicit StoredBytes(MappedFile file);
  /// The bytes must live as long as the store that hands them out.
  explicit StoredBytes(Bytes view) : bytes_(view) {}

  Bytes bytes() const { return bytes_; }

 private:
  Bytes bytes_;
  std::shared_ptr<const void> owner_;  // of bytes_; none for a view
};

/// Read-only; threads may share it. Keys are names joined by '/': no empty names, no "." and "..";
/// the empty prefix is the whole store. A key that breaks this is an Error, never a way out.
class ByteStore {
 public:
  virtual ~ByteStore() = default;

  /// Nothing when there is no such value; Error when there is one that cannot be read.
  virtual std::optional<StoredBytes> read(std::string_view key) const = 0;
  virtual bool contains(std::string_view key) const = 0;
  /// The names directly below a prefix, values and folders, sorted; none when there is no such
  /// prefix.
  virtual std::vector<std::string> children(std::string_view prefix) const = 0;
  /// What all values below a prefix take where they are stored (compressed, if the store does so).
  virtual uint64_t stored_bytes(std::string_view prefix) const = 0;
};

/// A store that knows all its keys and sizes from the start; how a value is read is left open.
class FlatStore : public ByteStore {
 public:
  bool contains(std::string_view key) const override;
  std::vector<std::string> children(std::string_view prefix) const override;
  uint64_t stored_bytes(std::string_view prefix) const override;

 protected:
  std::map<std::string, uint64_t, std::less<>> sizes_;
};

/// Throws Error naming `where` unless `key` is well-formed (see ByteStore).
void check_key(std::string_view key, std::string_view where);

/// The files below a folder, mapped when read. Symbolic links are followed, except that
/// stored_bytes does not descend into linked folders below its prefix (they may form circles).
class FolderStore final : public ByteStore {
 public:
  /// Throws Error when there is no such folder.
  explicit FolderStore(std::filesystem::path folder);

  std::optional<StoredBytes> read(std::string_view key) const override;
  bool contains(std::string_view key) const override;
  std::vector<std::string> children(std::string_view prefix) const override;
  uint64_t stored_bytes(std::string_view prefix) const override;

 private:
  std::filesystem::path path_of(std::string_view key) const;

  std::filesystem::path folder_;
};

}  // namespace darp
