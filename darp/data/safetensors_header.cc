#include "darp/data/safetensors_header.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "darp/core/suggest.h"
#include "darp/core/utf8.h"

namespace darp {
namespace {

using nlohmann::json;

constexpr std::string_view kRemedy = "the file is damaged or not safetensors: create it again";

/// Takes the header apart as the parser meets it: only so are duplicate keys seen, and whatever
/// does not belong at its place, deep nesting included, stops the parser at once.
class HeaderHandler final : public nlohmann::json_sax<json> {
 public:
  explicit HeaderHandler(std::string_view where) : where_(where) {}

  SafetensorsHeader release() { return std::move(header_); }

  bool null() override { refuse("null"); }
  bool boolean(bool) override { refuse("true or false"); }
  bool number_integer(number_integer_t) override { refuse("a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    refuse("a fraction or a number beyond 64 bits");
  }
  bool binary(binary_t&) override { refuse("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ == Place::kShape)
      entry_.shape.push_back(value);
    else if (place_ == Place::kOffsets && offsets_found_ < offsets_.size())
      offsets_[offsets_found_++] = value;
    else
      refuse(place_ == Place::kOffsets ? "a third offset" : "a number");
    return true;
  }

  bool string(string_t& value) override {
    if (place_ == Place::kMetadata)
      header_.metadata[metadata_key_] = std::move(value);
    else if (place_ == Place::kTensor && field_ == kDtypeField)
      set_dtype(value);
    else
      refuse("a string");
    return true;
  }

  bool key(string_t& name) override {
    if (place_ == Place::kTop)
      start_entry(std::move(name));
    else if (place_ == Place::kMetadata)
      start_metadata_value(std::move(name));
    else
      start_field(name);
    return true;
  }

  bool start_object(size_t) override {
    if (place_ == Place::kStart)
      place_ = Place::kTop;
    else if (place_ == Place::kTop)
      place_ = entry_.name == kSafetensorsMetadataKey ? Place::kMetadata : Place::kTensor;
    else
      refuse("an object");
    return true;
  }

  bool end_object() override {
    if (place_ == Place::kTensor) finish_entry();
    place_ = Place::kTop;
    return true;
  }

  bool start_array(size_t) override {
    if (place_ != Place::kTensor || field_ == kDtypeField) refuse("an array");
    place_ = field_ == kShapeField ? Place::kShape : Place::kOffsets;
    return true;
  }

  bool end_array() override {
    if (place_ == Place::kOffsets && offsets_found_ != offsets_.size())
      fail(fmt::format("has {} data_offsets instead of 2", offsets_found_));
    place_ = Place::kTensor;
    return true;
  }

  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    throw Error(where_, fmt::format("header is not JSON at its byte {}", position), kRemedy);
  }

 private:
  enum class Place { kStart, kTop, kMetadata, kTensor, kShape, kOffsets };
  enum Field : unsigned { kNoField = 0, kDtypeField = 1, kShapeField = 2, kOffsetsField = 4 };
  static constexpr unsigned kAllFields = kDtypeField | kShapeField | kOffsetsField;

  [[noreturn]] void fail(std::string_view what) const {
    throw Error(tensor_place(where_, entry_.name), what, kRemedy);
  }

  [[noreturn]] void refuse(std::string_view found) const {
    if (place_ == Place::kMetadata)
      throw Error(where_, fmt::format("metadata '{}' is {}, not a string", metadata_key_, found),
                  kRemedy);
    if (place_ == Place::kTop)
      throw Error(where_,
                  fmt::format("header key '{}' holds {}, not an object", entry_.name, found),
                  kRemedy);
    constexpr std::array<std::string_view, 5> kNames{"", "dtype", "shape", "", "data_offsets"};
    fail(fmt::format("{} holds {}", kNames[field_], found));
  }

  void start_entry(std::string name) {
    if (!names_.insert(name).second)
      throw Error(where_, fmt::format("header names '{}' twice", name), kRemedy);
    entry_ = {};
    entry_.name = std::move(name);
    fields_ = field_ = kNoField;
    offsets_found_ = 0;
  }

  void start_metadata_value(std::string name) {
    if (header_.metadata.contains(name))
      throw Error(where_, fmt::format("metadata names '{}' twice", name), kRemedy);
    metadata_key_ = std::move(name);
  }

  void start_field(std::string_view name) {
    field_ = name == "dtype"          ? kDtypeField
             : name == "shape"        ? kShapeField
             : name == "data_offsets" ? kOffsetsField
                                      : kNoField;
    if (field_ == kNoField) fail(fmt::format("has an unknown field '{}'", name));
    if ((fields_ & field_) != 0) fail(fmt::format("has the field '{}' twice", name));
    fields_ |= field_;
  }

  void set_dtype(std::string_view name) {
    const std::optional<Dtype> dtype = dtype_from_name(name);
    if (!dtype)
      throw Error(tensor_place(where_, entry_.name), fmt::format("has unknown dtype '{}'", name),
                  suggestion(name, dtype_names()));
    entry_.dtype = *dtype;
  }

  void finish_entry() {
    if (fields_ != kAllFields) fail("lacks one of dtype, shape and data_offsets");
    std::tie(entry_.begin, entry_.end) = std::pair(offsets_[0], offsets_[1]);
    header_.entries.push_back(std::move(entry_));
  }

  std::string_view where_;
  Place place_ = Place::kStart;
  SafetensorsHeader header_;
  std::set<std::string> names_;
  std::string metadata_key_;
  SafetensorsEntry entry_;
  unsigned field_ = kNoField, fields_ = kNoField;
  std::array<uint64_t, 2> offsets_{};
  size_t offsets_found_ = 0;
};

/// Removes the padding and refuses what the JSON parser would let pass: a null byte ends its input,
/// and other white space may follow the object.
std::string_view object_text(std::string_view text, std::string_view where) {
  if (!text.starts_with('{')) throw Error(where, "header does not start with '{'", kRemedy);
  if (!is_valid_utf8(text)) throw Error(where, "header is not UTF-8", kRemedy);
  const std::string_view object = text.substr(0, text.find_last_not_of(' ') + 1);
  if (object.back() != '}' || object.find('\0') != std::string_view::npos)
    throw Error(where, "header is not one JSON object followed by spaces only", kRemedy);
  return object;
}

void check_size(const SafetensorsEntry& entry, std::string_view where) {
  const std::string place = tensor_place(where, entry.name);
  if (entry.begin > entry.end)
    throw Error(place, fmt::format("ends at {} before it begins at {}", entry.end, entry.begin),
                kRemedy);
  const std::optional<uint64_t> size = tensor_bytes(entry.dtype, entry.shape);
  if (!size)
    throw Error(place, fmt::format("has an impossible shape [{}]", fmt::join(entry.shape, ", ")),
                kRemedy);
  if (*size != entry.end - entry.begin)
    throw Error(place,
                fmt::format("holds {} bytes where {} [{}] takes {}", entry.end - entry.begin,
                            dtype_name(entry.dtype), fmt::join(entry.shape, ", "), *size),
                kRemedy);
}

/// The tensors, in the order of their bytes, must cover the data without hole or overlap.
void check_coverage(const std::vector<SafetensorsEntry>& entries, uint64_t data_bytes,
                    std::string_view where) {
  uint64_t covered = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin != covered)
      throw Error(tensor_place(where, entry.name),
                  fmt::format("begins at data byte {} where {} is next: {}", entry.begin, covered,
                              entry.begin > covered ? "a hole" : "tensors overlap"),
                  kRemedy);
    covered = entry.end;
  }
  if (covered != data_bytes)
    throw Error(where,
                fmt::format("holds {} data bytes where its tensors take {}", data_bytes, covered),
                "the file is truncated or damaged: copy or create it again");
}

std::string json_string(std::string_view text) {
  DARP_CHECK(is_valid_utf8(text), "header text '{}' is not UTF-8", printable(text));
  return json(text).dump();
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, uint64_t data_bytes,
                                           std::string_view where) {
  HeaderHandler handler(where);
  json::sax_parse(object_text(text, where), &handler);
  SafetensorsHeader header = handler.release();
  // Stable, so that empty tensors at the same place keep the order of the header.
  std::ranges::stable_sort(header.entries, {}, [](const SafetensorsEntry& entry) {
    return std::pair(entry.begin, entry.end);
  });
  for (const SafetensorsEntry& entry : header.entries) check_size(entry, where);
  check_coverage(header.entries, data_bytes, where);
  return header;
}

std::string safetensors_header_text(const SafetensorsHeader& header) {
  std::string text = fmt::format("{{{}:{{", json_string(kSafetensorsMetadataKey));
  std::string_view separator;
  for (const auto& [key, value] : header.metadata) {
    text += fmt::format("{}{}:{}", separator, json_string(key), json_string(value));
    separator = ",";
  }
  text += '}';
  for (const SafetensorsEntry& entry : header.entries)
    text += fmt::format(R"(,{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                        json_string(entry.name), dtype_name(entry.dtype),
                        fmt::join(entry.shape, ","), entry.begin, entry.end);
  text += '}';
  const uint64_t unpadded = sizeof(uint64_t) + text.size();
  text.append((kSafetensorsAlignment - unpadded % kSafetensorsAlignment) % kSafetensorsAlignment,
              ' ');
  return text;
}

std::string tensor_place(std::string_view where, std::string_view name) {
  return fmt::format("{}: tensor '{}'", where, name);
}

}  // namespace darp
