#include "darp/data/ingest/array.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "darp/core/checked.h"
#include "darp/core/half.h"
#include "darp/core/utf8.h"

namespace darp {
namespace {

/// The element at byte `offset`, in this machine's byte order.
template <class T>
T load(const ArrayView& array, size_t offset) {
  std::array<std::byte, sizeof(T)> raw;
  std::memcpy(raw.data(), array.bytes.data() + offset, sizeof(T));
  if (array.type.big_endian) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<T>(raw);
}

/// Where the entries of row 0 stand, in elements, if row i stands `i * row_step` further: {offsets,
/// row_step}.
std::pair<std::vector<uint64_t>, uint64_t> element_offsets(const ArrayView& array) {
  const uint64_t width = array.width();
  std::vector<uint64_t> offsets(width);
  if (!array.fortran_order) {
    for (uint64_t j = 0; j < width; ++j) offsets[j] = j;
    return {std::move(offsets), width};
  }
  // Column-major: the first index runs fastest. Count through the trailing indices in C order.
  std::vector<uint64_t> index(array.shape.size(), 0);
  for (uint64_t j = 0; j < width; ++j) {
    uint64_t step = 1;
    for (size_t d = 0; d < index.size(); ++d) offsets[j] += index[d] * step, step *= array.shape[d];
    for (size_t d = index.size(); d-- > 1 && ++index[d] == array.shape[d];) index[d] = 0;
  }
  return {std::move(offsets), 1};
}

template <class T, class Convert>
void convert_rows(const ArrayView& array, MutableMatrixView out, Convert convert) {
  const auto [offsets, row_step] = element_offsets(array);
  for (int64_t i = 0; i < out.rows(); ++i) {
    const std::span<float> row = out.row(i);
    for (size_t j = 0; j < row.size(); ++j)
      row[j] = convert(load<T>(array, (i * row_step + offsets[j]) * sizeof(T)));
  }
}

std::string shape_text(const std::vector<uint64_t>& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
  return text + ")";
}

template <class T>
std::vector<int64_t> load_integers(const ArrayView& array, std::string_view where) {
  std::vector<int64_t> values(array.bytes.size() / sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    const T value = load<T>(array, i * sizeof(T));
    if constexpr (std::is_floating_point_v<T>) {
      if (!(std::abs(value) <= 0x1p53) || value != std::floor(value))
        throw Error(where, fmt::format("entry {} is {}", i, value),
                    "whole numbers are needed here");
    } else if constexpr (std::is_same_v<T, uint64_t>) {
      if (value > INT64_MAX)
        throw Error(where, fmt::format("entry {} is {}", i, value), "that is too large");
    }
    values[i] = static_cast<int64_t>(value);
  }
  return values;
}

}  // namespace

ElementType parse_element_type(std::string_view text, std::string_view where) {
  ElementType type;
  std::string_view rest = text;
  if (!rest.empty() && std::string_view("<>=|").find(rest[0]) != std::string_view::npos) {
    type.big_endian = rest[0] == '>';
    rest.remove_prefix(1);
  }
  bool good =
      rest.size() >= 2 && std::string_view("fiubUS").find(rest[0]) != std::string_view::npos;
  if (good) {
    type.kind = rest[0];
    const auto [end, error] =
        std::from_chars(rest.data() + 1, rest.data() + rest.size(), type.size);
    good = error == std::errc() && end == rest.data() + rest.size() && rest[1] != '-';
  }
  const auto one_of = [&](std::initializer_list<int64_t> sizes) {
    return std::find(sizes.begin(), sizes.end(), type.size) != sizes.end();
  };
  constexpr int64_t kLongestText = 1 << 16;
  switch (good ? type.kind : '?') {
    case 'f':
      good = one_of({2, 4, 8});
      break;
    case 'i':
    case 'u':
      good = one_of({1, 2, 4, 8});
      break;
    case 'b':
      good = type.size == 1;
      break;
    case 'U':
      good = type.size <= kLongestText, type.size *= 4;
      break;
    case 'S':
      good = type.size <= kLongestText;
      break;
    default:
      good = false;
  }
  if (!good)
    throw Error(where, fmt::format("has elements of type '{}'", text),
                "float16, float32, float64, integer, bool and text arrays are understood: convert "
                "it, e.g. with .astype('float32')");
  return type;
}

std::string to_string(const ElementType& type) {
  return fmt::format("{}{}{}",
                     type.size == 1 || type.kind == 'S' ? '|'
                     : type.big_endian                  ? '>'
                                                        : '<',
                     type.kind, type.kind == 'U' ? type.size / 4 : type.size);
}

uint64_t ArrayView::width() const {
  uint64_t width = 1;
  for (size_t d = 1; d < shape.size(); ++d) width *= shape[d];
  return width;
}

void check_array(const ArrayView& array, std::string_view where) {
  std::vector<uint64_t> factors = array.shape;
  factors.push_back(static_cast<uint64_t>(array.type.size));
  const auto wanted = checked_product(factors);
  // Zero-sized arrays could hide absurd dimensions behind a zero; the dimensions themselves must be
  // sane too.
  const bool absurd = std::any_of(array.shape.begin(), array.shape.end(),
                                  [](uint64_t n) { return n > INT64_MAX / 64; });
  if (!wanted || absurd || *wanted != array.bytes.size())
    throw Error(where,
                fmt::format("has {} bytes for shape {} of {}", array.bytes.size(),
                            shape_text(array.shape), to_string(array.type)),
                "the file is truncated or damaged: copy or create it again");
}

void read_floats(const ArrayView& array, std::string_view where, MutableMatrixView out) {
  check_array(array, where);
  DARP_CHECK(static_cast<uint64_t>(out.rows()) == array.rows() &&
                 static_cast<uint64_t>(out.cols()) == array.width(),
             "{}x{} from shape {}", out.rows(), out.cols(), shape_text(array.shape));
  if (array.type.kind != 'f')
    throw Error(where, fmt::format("holds {} elements", to_string(array.type)),
                "demonstrations are real numbers: convert it, e.g. with .astype('float32')");
  if (array.type == ElementType{'f', 4, false} && !array.fortran_order) {
    const size_t row_bytes = static_cast<size_t>(out.cols()) * sizeof(float);
    if (array.bytes.empty()) return;
    if (out.packed()) {
      std::memcpy(out.data(), array.bytes.data(), array.bytes.size());
      return;
    }
    for (int64_t i = 0; i < out.rows(); ++i)
      std::memcpy(out.row(i).data(), array.bytes.data() + i * row_bytes, row_bytes);
  } else if (array.type.size == 2) {
    convert_rows<uint16_t>(array, out, half_to_float);
  } else if (array.type.size == 4) {
    convert_rows<float>(array, out, [](float x) { return x; });
  } else {
    convert_rows<double>(array, out, [](double x) { return static_cast<float>(x); });
  }
}

std::vector<int64_t> read_integers(const ArrayView& array, std::string_view where) {
  check_array(array, where);
  switch (array.type.kind) {
    case 'b':
    case 'u':
      switch (array.type.size) {
        case 1:
          return load_integers<uint8_t>(array, where);
        case 2:
          return load_integers<uint16_t>(array, where);
        case 4:
          return load_integers<uint32_t>(array, where);
        default:
          return load_integers<uint64_t>(array, where);
      }
    case 'i':
      switch (array.type.size) {
        case 1:
          return load_integers<int8_t>(array, where);
        case 2:
          return load_integers<int16_t>(array, where);
        case 4:
          return load_integers<int32_t>(array, where);
        default:
          return load_integers<int64_t>(array, where);
      }
    case 'f':
      if (array.type.size == 4) return load_integers<float>(array, where);
      if (array.type.size == 8) return load_integers<double>(array, where);
      [[fallthrough]];
    default:
      throw Error(where, fmt::format("holds {} elements", to_string(array.type)),
                  "whole numbers are needed here");
  }
}

std::vector<std::string> read_strings(const ArrayView& array, std::string_view where) {
  check_array(array, where);
  if (array.type.kind != 'U' && array.type.kind != 'S')
    throw Error(where, fmt::format("holds {} elements", to_string(array.type)),
                "text is needed here");
  const auto size = static_cast<size_t>(array.type.size);
  // Text of no width has no bytes to count its elements by.
  std::vector<std::string> texts(size == 0 ? static_cast<size_t>(0) : array.bytes.size() / size);
  for (size_t i = 0; i < texts.size(); ++i) {
    if (array.type.kind == 'S') {
      texts[i] = as_text(array.bytes.subspan(i * size, size));
    } else {
      for (size_t j = 0; j < size; j += 4)
        if (!append_utf8(texts[i], load<uint32_t>(array, i * size + j)))
          throw Error(where, "holds text that is not Unicode",
                      "the file is damaged: create it again");
    }
    texts[i].erase(texts[i].find_last_not_of('\0') + 1);
    if (!is_valid_utf8(texts[i]))
      throw Error(where, "holds text that is not UTF-8", "the file is damaged: create it again");
  }
  return texts;
}

}  // namespace darp
