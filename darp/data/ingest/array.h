#pragma once
// A numeric array as foreign files describe it (numpy's terms): element type, shape, order, raw
// bytes. NPZ, pickle and zarr all speak it; here it becomes float rows.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "darp/core/bytes.h"
#include "darp/core/matrix.h"

namespace darp {

/// An element type, e.g. from numpy's "<f4".
struct ElementType {
  char kind = 'f';   // f float, i signed, u unsigned, b bool, U UTF-32 text, S byte text
  int64_t size = 4;  // bytes per element
  bool big_endian = false;

  bool operator==(const ElementType&) const = default;
};

/// Parses "<f4", "|b1", ">i8", "=f8", "<U12". Throws Error naming `where` for anything else
/// (objects, structures, ...).
ElementType parse_element_type(std::string_view text, std::string_view where);
std::string to_string(const ElementType& type);

/// Looks at bytes that somebody else owns.
struct ArrayView {
  ElementType type;
  std::vector<uint64_t> shape;
  bool fortran_order = false;
  Bytes bytes;

  uint64_t rows() const { return shape.empty() ? 1 : shape[0]; }
  /// Entries of one row: the product of all dimensions after the first.
  uint64_t width() const;
};

/// Throws Error unless bytes.size() is exactly the size that type and shape ask for (checked
/// without wrapping).
void check_array(const ArrayView& array, std::string_view where);

/// Writes rows x width() floats into `out`, flattening all dimensions after the first in C order.
/// float16/32/64 are converted; other types are an Error (demonstrations are real numbers) that
/// says how to convert. An array of one dimension is one column.
void read_floats(const ArrayView& array, std::string_view where, MutableMatrixView out);
/// Whole numbers: integer and bool types, or floats that are whole.
std::vector<int64_t> read_integers(const ArrayView& array, std::string_view where);
/// UTF-8 text, one per element, trailing zeros removed (numpy's U and S types).
std::vector<std::string> read_strings(const ArrayView& array, std::string_view where);

}  // namespace darp
