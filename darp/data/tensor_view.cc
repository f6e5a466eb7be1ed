#include "darp/data/tensor_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "darp/core/checked.h"
#include "darp/core/half.h"

namespace darp {
namespace {

struct DtypeInfo {
  std::string_view name;
  uint64_t size;
  uint64_t exponent;  // the bits that are all set in NaN and infinity; 0: has no such values
};

// Indexed by Dtype.
constexpr std::array<DtypeInfo, 13> kDtypes{{{"F64", 8, 0x7FF0'0000'0000'0000},
                                             {"F32", 4, 0x7F80'0000},
                                             {"F16", 2, 0x7C00},
                                             {"BF16", 2, 0x7F80},
                                             {"I64", 8, 0},
                                             {"I32", 4, 0},
                                             {"I16", 2, 0},
                                             {"I8", 1, 0},
                                             {"U64", 8, 0},
                                             {"U32", 4, 0},
                                             {"U16", 2, 0},
                                             {"U8", 1, 0},
                                             {"BOOL", 1, 0}}};
static_assert(kDtypes.size() == static_cast<size_t>(Dtype::kBool) + 1);

const DtypeInfo& info(Dtype dtype) {
  const auto index = static_cast<size_t>(dtype);
  DARP_CHECK(index < kDtypes.size(), "element type number {}", index);
  return kDtypes[index];
}

/// Element `index`, wherever it lies.
template <class T>
T element(Bytes data, uint64_t index) {
  T value;
  std::memcpy(&value, data.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <class Bits>
std::optional<uint64_t> first_with_all(Bytes data, uint64_t mask) {
  for (uint64_t i = 0; i < data.size() / sizeof(Bits); ++i)
    if ((element<Bits>(data, i) & mask) == mask) return i;
  return std::nullopt;
}

template <class Stored, class Convert>
std::vector<float> converted(Bytes data, Convert convert) {
  std::vector<float> values(data.size() / sizeof(Stored));
  for (size_t i = 0; i < values.size(); ++i) values[i] = convert(element<Stored>(data, i));
  return values;
}

std::vector<float> rounded(Bytes data, std::string_view where) {
  std::vector<float> values(data.size() / sizeof(double));
  for (size_t i = 0; i < values.size(); ++i) {
    const auto exact = element<double>(data, i);
    values[i] = static_cast<float>(exact);
    if (std::isinf(values[i]) && !std::isinf(exact))
      throw Error(where, fmt::format("element {} is {}, beyond the range of float", i, exact),
                  "scale the numbers or store them differently");
  }
  return values;
}

}  // namespace

std::string_view dtype_name(Dtype dtype) {
  return info(dtype).name;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const DtypeInfo& dtype : kDtypes) names.emplace_back(dtype.name);
  return names;
}

std::optional<Dtype> dtype_from_name(std::string_view name) {
  const auto found = std::ranges::find(kDtypes, name, &DtypeInfo::name);
  if (found == kDtypes.end()) return std::nullopt;
  return static_cast<Dtype>(found - kDtypes.begin());
}

uint64_t dtype_size(Dtype dtype) {
  return info(dtype).size;
}

std::optional<uint64_t> tensor_bytes(Dtype dtype, std::span<const uint64_t> shape) {
  const std::optional<uint64_t> count = checked_product(shape);
  if (!count) return std::nullopt;
  return checked_product(std::array{*count, dtype_size(dtype)});
}

bool same_bits(const TensorView& a, const TensorView& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape &&
         std::ranges::equal(a.data, b.data);
}

std::optional<uint64_t> first_nonfinite(const TensorView& tensor) {
  const auto [name, size, exponent] = info(tensor.dtype);
  if (exponent == 0) return std::nullopt;
  if (size == 8) return first_with_all<uint64_t>(tensor.data, exponent);
  if (size == 4) return first_with_all<uint32_t>(tensor.data, exponent);
  return first_with_all<uint16_t>(tensor.data, exponent);
}

std::vector<float> to_floats(const TensorView& tensor, std::string_view where) {
  switch (tensor.dtype) {
    case Dtype::kF64:
      return rounded(tensor.data, where);
    case Dtype::kF32:
      return converted<float>(tensor.data, [](float value) { return value; });
    case Dtype::kF16:
      return converted<uint16_t>(tensor.data, half_to_float);
    case Dtype::kBF16:
      return converted<uint16_t>(tensor.data, bfloat16_to_float);
    default:
      throw Error(
          where,
          fmt::format("holds {} where floating-point numbers are needed", dtype_name(tensor.dtype)),
          "store it as F32, F16, BF16 or F64");
  }
}

}  // namespace darp
