#pragma once
// Numbers as a weight file holds them: element type, shape, raw little-endian bytes in C order.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "darp/core/bytes.h"

namespace darp {

/// The element types of safetensors that we read and write.
enum class Dtype : uint8_t {
  kF64,
  kF32,
  kF16,
  kBF16,
  kI64,
  kI32,
  kI16,
  kI8,
  kU64,
  kU32,
  kU16,
  kU8,
  kBool
};

/// As the file spells it: "F32", "BOOL".
std::string_view dtype_name(Dtype dtype);
/// All spellings, in the order of the enumeration.
std::vector<std::string> dtype_names();
std::optional<Dtype> dtype_from_name(std::string_view name);
/// Bytes per element.
uint64_t dtype_size(Dtype dtype);

/// Bytes that a tensor of this type and shape takes, or nothing if the product, taken from the
/// left, does not fit. No dimensions make one element.
std::optional<uint64_t> tensor_bytes(Dtype dtype, std::span<const uint64_t> shape);

/// Looks at bytes that somebody else owns.
struct TensorView {
  std::string name;
  Dtype dtype = Dtype::kF32;
  std::vector<uint64_t> shape;
  Bytes data;

  uint64_t elements() const { return data.size() / dtype_size(dtype); }
};

/// Same name, type, shape and bytes.
bool same_bits(const TensorView& a, const TensorView& b);

/// The first element that is NaN or infinite; nothing for types that have no such values. The data
/// may be unaligned.
std::optional<uint64_t> first_nonfinite(const TensorView& tensor);

/// A copy as floats: F32, F16 and BF16 exactly, F64 rounded. Throws Error with `where` for other
/// types and for finite F64 values beyond the range of float. The data may be unaligned.
std::vector<float> to_floats(const TensorView& tensor, std::string_view where);

}  // namespace darp
