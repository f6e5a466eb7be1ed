#pragma once
// Weight files in the safetensors format: names, shapes and raw numbers, nothing that runs. What is
// accepted and what is refused: docs/formats/safetensors.md.

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "darp/core/file.h"
#include "darp/data/tensor_view.h"

namespace darp {

struct SafetensorsHeader;

using SafetensorsMetadata = std::map<std::string, std::string>;

/// Our own metadata key, which keeps a hash of everything else in the file. The writer adds it, the
/// reader verifies it and takes it out of the metadata.
inline constexpr std::string_view kSafetensorsChecksumKey = "darp.checksum";

struct SafetensorsOptions {
  bool require_checksum = false;  // refuse files without our checksum
  bool allow_nonfinite = false;   // let NaN and infinity pass
};

/// A file that was checked as a whole while opening. Immutable: threads share it freely. Copies
/// share the mapping; a tensor's bytes stay valid while any copy lives.
class SafetensorsFile {
 public:
  /// Maps the file. Throws Error, naming file, tensor and element, when any rule is broken.
  static SafetensorsFile open(const std::filesystem::path& path,
                              const SafetensorsOptions& options = {});
  /// The same over memory, which must outlive the result and its copies. `where` names it in
  /// errors, here and later.
  static SafetensorsFile parse(Bytes bytes, std::string where,
                               const SafetensorsOptions& options = {});

  /// What errors call it: the path.
  const std::string& where() const { return where_; }
  /// Without the checksum.
  const SafetensorsMetadata& metadata() const { return metadata_; }
  /// The verified checksum, or empty when the file has none.
  const std::string& checksum() const { return checksum_; }

  /// In the order of their bytes in the file. The data are aligned for their type: where the file
  /// does not align them, they are a copy.
  const std::vector<TensorView>& tensors() const { return tensors_; }
  /// Null when there is none. References live as long as this object.
  const TensorView* find(std::string_view name) const;
  /// Throws Error, naming the nearest and the valid names, when there is none.
  const TensorView& get(std::string_view name) const;

  /// The numbers of an F32 tensor, without a copy. Throws Error for other types.
  std::span<const float> floats(std::string_view name) const;
  /// A copy; F16, BF16 and F64 are converted (see to_floats).
  std::vector<float> read_floats(std::string_view name) const;

 private:
  SafetensorsFile() = default;
  void take_tensors(const SafetensorsHeader& header, Bytes data);
  void verify_checksum(bool required);
  void check_finite() const;

  std::string where_;
  SafetensorsMetadata metadata_;
  std::string checksum_;
  std::vector<TensorView> tensors_;
  std::map<std::string, size_t, std::less<>> index_;  // name to position in tensors_
  std::shared_ptr<const MappedFile> mapping_;
  std::shared_ptr<const std::vector<std::vector<std::byte>>> realigned_;
};

/// Replaces `path`, atomically, by these tensors in this order, with a checksum. The data start at
/// a multiple of 64 bytes and nothing is put between tensors: give those with larger elements
/// first to keep all aligned. The same content gives the same bytes. Throws Error, before anything
/// is written, for duplicate or reserved names, text that is not UTF-8, data that do not fit their
/// shape, and NaN or infinity. Reads the data twice and copies none of them.
void write_safetensors(const std::filesystem::path& path, const SafetensorsMetadata& metadata,
                       std::span<const TensorView> tensors);
/// The same in memory; `where` names it in errors.
std::vector<std::byte> safetensors_bytes(const SafetensorsMetadata& metadata,
                                         std::span<const TensorView> tensors,
                                         std::string_view where = "safetensors");

}  // namespace darp
