#include "darp/data/ingest/zarr_metadata.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "darp/core/checked.h"

namespace darp {
namespace {

using nlohmann::json;

constexpr const char* kDamagedStore = "the store is damaged: copy or create it again";
constexpr uint64_t kMaxText = 1 << 20;
constexpr size_t kMaxDimensions = 32;  // numpy's limit

json parse_object(Bytes text, std::string_view where) {
  if (text.size() > kMaxText)
    throw Error(where, fmt::format("has {} bytes, far more than a description needs", text.size()),
                kDamagedStore);
  const std::string_view chars = as_text(text);
  json object = json::parse(chars.begin(), chars.end(), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) throw Error(where, "is not a JSON object", kDamagedStore);
  return object;
}

/// The entry, or null where it is absent.
const json& entry(const json& object, const char* name) {
  static const json kNull;
  const auto it = object.find(name);
  return it == object.end() ? kNull : *it;
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

void check_format(const json& object, std::string_view where) {
  const json& format = entry(object, "zarr_format");
  if (!format.is_number_unsigned() || format.get<uint64_t>() != 2)
    throw Error(where, "is not of zarr format 2",
                "save the store with zarr_format=2 (zarr.open(..., zarr_format=2))");
}

std::vector<uint64_t> parse_dimensions(const json& object, const char* name,
                                       std::string_view where) {
  const json& list = entry(object, name);
  std::vector<uint64_t> dimensions;
  if (!list.is_array() || list.empty() || list.size() > kMaxDimensions)
    throw Error(where, fmt::format("has no '{}' of 1 to {} dimensions", name, kMaxDimensions),
                kDamagedStore);
  for (const json& dimension : list) {
    if (!dimension.is_number_unsigned())
      throw Error(where, fmt::format("has a '{}' with an entry that is not a count", name),
                  kDamagedStore);
    dimensions.push_back(dimension.get<uint64_t>());
  }
  return dimensions;
}

ElementType parse_dtype(const json& object, std::string_view where) {
  const json& dtype = entry(object, "dtype");
  if (dtype.is_array())
    throw Error(where, "has elements that are structures",
                "save each of their fields as an array of its own");
  if (!dtype.is_string()) throw Error(where, "has no 'dtype'", kDamagedStore);
  return parse_element_type(dtype.get<std::string>(), where);
}

std::optional<double> parse_fill_value(const json& object, std::string_view where) {
  const json& value = entry(object, "fill_value");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value.is_null()) return std::nullopt;
  if (value.is_number()) return value.get<double>();
  if (value.is_boolean()) return value.get<bool>() ? 1.0 : 0.0;
  const std::string text = text_of(value);
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return kInfinity;
  if (text == "-Infinity") return -kInfinity;
  throw Error(where, "has a 'fill_value' that is not a number", kDamagedStore);
}

void check_filters(const json& object, std::string_view where) {
  const json& filters = entry(object, "filters");
  if (filters.is_null() || (filters.is_array() && filters.empty())) return;
  if (!filters.is_array()) throw Error(where, "has 'filters' that are not a list", kDamagedStore);
  const std::string id = filters[0].is_object() ? text_of(entry(filters[0], "id")) : "";
  throw Error(where, fmt::format("is stored through the filter '{}'", id),
              "filters are not supported: save the array again with filters=None");
}

ZarrCompressor parse_compressor(const json& object, std::string_view where) {
  const json& compressor = entry(object, "compressor");
  if (compressor.is_null()) return ZarrCompressor::kNone;
  const std::string id = compressor.is_object() ? text_of(entry(compressor, "id")) : "";
  if (id.empty()) throw Error(where, "has a 'compressor' without an id", kDamagedStore);
  if (id == "zlib") return ZarrCompressor::kZlib;
  if (id == "gzip") return ZarrCompressor::kGzip;
  if (id == "blosc") return ZarrCompressor::kBlosc;
  throw Error(where, fmt::format("is compressed with '{}'", id),
              "blosc, zlib and gzip are supported: save the array again with one of them, e.g. "
              "compressor=numcodecs.Blosc('zstd')");
}

/// The bytes of so many elements, or nothing if that does not fit.
std::optional<uint64_t> byte_count(std::vector<uint64_t> dimensions, const ElementType& type) {
  // A zero must not hide what the other dimensions multiply to.
  for (uint64_t& dimension : dimensions) dimension = std::max<uint64_t>(dimension, 1);
  dimensions.push_back(static_cast<uint64_t>(type.size));
  const auto bytes = checked_product(dimensions);
  return bytes && *bytes <= INT64_MAX / 64 ? bytes : std::nullopt;
}

void check_sizes(const ZarrMetadata& array, std::string_view where) {
  if (array.chunks.size() != array.shape.size())
    throw Error(
        where,
        fmt::format("has {} dimensions but chunks of {}", array.shape.size(), array.chunks.size()),
        kDamagedStore);
  for (const uint64_t length : array.chunks)
    if (length == 0) throw Error(where, "has chunks of length zero", kDamagedStore);
  const auto chunk = byte_count(array.chunks, array.type);
  if (!chunk || !byte_count(array.shape, array.type))
    throw Error(where, "declares more bytes than any machine can hold", kDamagedStore);
  // The compressors count in 31 bits, with some room for a header.
  constexpr uint64_t kLargestChunk = INT32_MAX - 64;
  if (array.compressor != ZarrCompressor::kNone && *chunk > kLargestChunk)
    throw Error(where, fmt::format("has chunks of {} bytes", *chunk),
                "compressed chunks have less than 2 GiB: save the array again with smaller chunks");
}

}  // namespace

uint64_t ZarrMetadata::array_bytes() const {
  uint64_t bytes = static_cast<uint64_t>(type.size);
  for (const uint64_t length : shape) bytes *= length;
  return bytes;
}

uint64_t ZarrMetadata::chunk_bytes() const {
  uint64_t bytes = static_cast<uint64_t>(type.size);
  for (const uint64_t length : chunks) bytes *= length;
  return bytes;
}

ZarrMetadata parse_zarray(Bytes text, std::string_view where) {
  const json object = parse_object(text, where);
  check_format(object, where);
  ZarrMetadata array;
  array.type = parse_dtype(object, where);
  array.shape = parse_dimensions(object, "shape", where);
  array.chunks = parse_dimensions(object, "chunks", where);
  array.fill_value = parse_fill_value(object, where);
  check_filters(object, where);
  array.compressor = parse_compressor(object, where);
  const std::string order = text_of(entry(object, "order"));
  if (order != "C" && order != "F")
    throw Error(where, "has an 'order' that is not C or F", kDamagedStore);
  array.fortran_order = order == "F";
  if (const json& separator = entry(object, "dimension_separator"); !separator.is_null()) {
    const std::string character = text_of(separator);
    if (character != "." && character != "/")
      throw Error(where, "has a 'dimension_separator' that is not . or /", kDamagedStore);
    array.separator = character[0];
  }
  check_sizes(array, where);
  return array;
}

void check_zgroup(Bytes text, std::string_view where) {
  check_format(parse_object(text, where), where);
}

}  // namespace darp
