#include "darp/data/safetensors.h"

#include <fmt/ranges.h>

#include <cstdint>
#include <set>
#include <utility>

#include "darp/core/hash.h"
#include "darp/core/suggest.h"
#include "darp/core/utf8.h"
#include "darp/data/safetensors_header.h"

namespace darp {
namespace {

/// Over the parsed content, so that white space in the header does not count. Every length goes in
/// before what it measures: no two contents feed the hash the same bytes.
std::string content_checksum(const SafetensorsMetadata& metadata,
                             std::span<const TensorView> tensors) {
  Hasher hasher;
  hasher.add(uint64_t{metadata.size()});
  for (const auto& [key, value] : metadata) hasher.add(key).add(value);
  hasher.add(uint64_t{tensors.size()});
  uint64_t offset = 0;
  for (const TensorView& tensor : tensors) {
    hasher.add(tensor.name).add(dtype_name(tensor.dtype)).add(uint64_t{tensor.shape.size()});
    for (const uint64_t dimension : tensor.shape) hasher.add(dimension);
    hasher.add(offset).add(offset + tensor.data.size());
    offset += tensor.data.size();
  }
  for (const TensorView& tensor : tensors) hasher.add(tensor.data);
  return hasher.hex();
}

void check_tensor_finite(const TensorView& tensor, std::string_view where,
                         std::string_view remedy) {
  if (const auto element = first_nonfinite(tensor))
    throw Error(tensor_place(where, tensor.name),
                fmt::format("element {} of [{}] is NaN or infinite", *element,
                            fmt::join(tensor.shape, ", ")),
                remedy);
}

void check_text(std::string_view text, std::string_view where) {
  if (!is_valid_utf8(text))
    throw Error(where, fmt::format("'{}' is not UTF-8", text), "use UTF-8 text only");
}

void check_metadata(const SafetensorsMetadata& metadata, std::string_view where) {
  for (const auto& [key, value] : metadata) {
    check_text(key, where);
    check_text(value, where);
  }
  if (metadata.contains(std::string(kSafetensorsChecksumKey)))
    throw Error(where, fmt::format("metadata key '{}' is reserved", kSafetensorsChecksumKey),
                "leave it out: the writer adds it");
}

void check_tensors(std::span<const TensorView> tensors, std::string_view where) {
  std::set<std::string_view> names;
  for (const TensorView& tensor : tensors) {
    const std::string place = tensor_place(where, tensor.name);
    check_text(tensor.name, where);
    if (tensor.name == kSafetensorsMetadataKey)
      throw Error(place, "has a reserved name", "choose another name");
    if (!names.insert(tensor.name).second)
      throw Error(place, "is given twice", "give each tensor its own name");
    if (tensor_bytes(tensor.dtype, tensor.shape) != tensor.data.size())
      throw Error(place,
                  fmt::format("has {} bytes, which is not {} [{}]", tensor.data.size(),
                              dtype_name(tensor.dtype), fmt::join(tensor.shape, ", ")),
                  "give data and shape of the same size");
    check_tensor_finite(tensor, where, "training has diverged: nothing was written");
  }
}

/// Length field and header of the file to be written.
std::string checked_prefix(const SafetensorsMetadata& metadata, std::span<const TensorView> tensors,
                           std::string_view where) {
  check_metadata(metadata, where);
  check_tensors(tensors, where);
  SafetensorsHeader header{.metadata = metadata, .entries = {}};
  header.metadata.emplace(kSafetensorsChecksumKey, content_checksum(metadata, tensors));
  uint64_t offset = 0;
  for (const TensorView& tensor : tensors) {
    header.entries.push_back(
        {tensor.name, tensor.dtype, tensor.shape, offset, offset + tensor.data.size()});
    offset += tensor.data.size();
  }
  const std::string text = safetensors_header_text(header);
  if (text.size() > kMaxSafetensorsHeader)
    throw Error(where,
                fmt::format("header would take {} bytes, more than the format's {}", text.size(),
                            kMaxSafetensorsHeader),
                "store less metadata or fewer tensors");
  const uint64_t length = text.size();
  return std::string(as_text(std::as_bytes(std::span(&length, 1)))) + text;
}

}  // namespace

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& path,
                                      const SafetensorsOptions& options) {
  auto mapping = std::make_shared<const MappedFile>(path);
  SafetensorsFile file = parse(mapping->bytes(), path.string(), options);
  file.mapping_ = std::move(mapping);
  return file;
}

SafetensorsFile SafetensorsFile::parse(Bytes bytes, std::string where,
                                       const SafetensorsOptions& options) {
  ByteReader reader(bytes, where);
  const auto length = reader.read<uint64_t>();
  if (length > kMaxSafetensorsHeader)
    throw Error(where,
                fmt::format("promises a header of {} bytes, more than the format's {}", length,
                            kMaxSafetensorsHeader),
                "this is not a safetensors file, or it is damaged");
  const std::string_view text = as_text(reader.take(length));
  SafetensorsHeader header = parse_safetensors_header(text, reader.remaining(), where);
  SafetensorsFile file;
  file.where_ = std::move(where);
  file.take_tensors(header, reader.take(reader.remaining()));
  file.metadata_ = std::move(header.metadata);
  // Damage first: it explains a NaN better than the NaN does.
  file.verify_checksum(options.require_checksum);
  if (!options.allow_nonfinite) file.check_finite();
  return file;
}

void SafetensorsFile::take_tensors(const SafetensorsHeader& header, Bytes data) {
  auto realigned = std::make_shared<std::vector<std::vector<std::byte>>>();
  for (const SafetensorsEntry& entry : header.entries) {
    Bytes view = data.subspan(entry.begin, entry.end - entry.begin);
    // Vectors come from operator new, which aligns for every element type.
    if (reinterpret_cast<uintptr_t>(view.data()) % dtype_size(entry.dtype) != 0)
      view = realigned->emplace_back(view.begin(), view.end());
    index_.emplace(entry.name, tensors_.size());
    tensors_.push_back({entry.name, entry.dtype, entry.shape, view});
  }
  realigned_ = std::move(realigned);
}

void SafetensorsFile::verify_checksum(bool required) {
  auto node = metadata_.extract(std::string(kSafetensorsChecksumKey));
  if (node.empty()) {
    if (required)
      throw Error(where_, fmt::format("has no '{}' in its metadata", kSafetensorsChecksumKey),
                  "it was not written by darp, or it is damaged: create it again");
    return;
  }
  checksum_ = std::move(node.mapped());
  const std::string actual = content_checksum(metadata_, tensors_);
  if (checksum_ != actual)
    throw Error(where_, fmt::format("content has checksum {}, not {} as stored", actual, checksum_),
                "the file is damaged or was edited: copy or create it again");
}

void SafetensorsFile::check_finite() const {
  for (const TensorView& tensor : tensors_)
    check_tensor_finite(tensor, where_, "use weights from before training diverged");
}

const TensorView* SafetensorsFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

const TensorView& SafetensorsFile::get(std::string_view name) const {
  if (const TensorView* tensor = find(name)) return *tensor;
  std::vector<std::string> names;
  for (const TensorView& tensor : tensors_) names.push_back(tensor.name);
  throw Error(where_, fmt::format("has no tensor '{}'", name), suggestion(name, names));
}

std::span<const float> SafetensorsFile::floats(std::string_view name) const {
  const TensorView& tensor = get(name);
  if (tensor.dtype != Dtype::kF32)
    throw Error(tensor_place(where_, name),
                fmt::format("holds {} where F32 is needed", dtype_name(tensor.dtype)),
                "store it as F32");
  return {reinterpret_cast<const float*>(tensor.data.data()), tensor.elements()};
}

std::vector<float> SafetensorsFile::read_floats(std::string_view name) const {
  return to_floats(get(name), tensor_place(where_, name));
}

void write_safetensors(const std::filesystem::path& path, const SafetensorsMetadata& metadata,
                       std::span<const TensorView> tensors) {
  const std::string prefix = checked_prefix(metadata, tensors, path.string());
  AtomicFile file(path);
  file.write(prefix);
  for (const TensorView& tensor : tensors) file.write(tensor.data);
  file.commit();
}

std::vector<std::byte> safetensors_bytes(const SafetensorsMetadata& metadata,
                                         std::span<const TensorView> tensors,
                                         std::string_view where) {
  ByteWriter writer;
  writer.append(checked_prefix(metadata, tensors, where));
  for (const TensorView& tensor : tensors) writer.append(tensor.data);
  return writer.release();
}

}  // namespace darp
