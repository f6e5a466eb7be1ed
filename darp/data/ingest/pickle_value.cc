#include "darp/data/ingest/pickle_value.h"

#include <array>

namespace darp {

const PickleArray* PickleValue::array() const {
  const auto* held = get<std::unique_ptr<PickleArray>>();
  return held == nullptr ? nullptr : held->get();
}

std::optional<std::string_view> PickleValue::text() const {
  if (const auto* text = get<PickleText>()) return text->text;
  if (const auto* text = get<PickleByteText>()) return text->text;
  return std::nullopt;
}

std::optional<Bytes> PickleValue::bytes() const {
  if (const auto* bytes = get<PickleBytes>()) return bytes->bytes;
  if (const auto* text = get<PickleByteText>()) return as_byte_span(text->text);
  return std::nullopt;
}

std::string_view PickleValue::kind_name() const {
  constexpr std::array<std::string_view, std::variant_size_v<Data>> kNames = {
      "None",   "a bool",  "an integer", "a float",    "a string", "bytes",   "a string",
      "a list", "a tuple", "a dict",     "a function", "a dtype",  "an array"};
  return kNames[data.index()];
}

PickleValue* PickleArena::make(PickleValue::Data data) {
  return &values_.emplace_back(PickleValue{std::move(data)});
}

}  // namespace darp
