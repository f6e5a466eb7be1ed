#include "darp/data/ingest/pickle_calls.h"

#include <array>

#include "darp/data/ingest/pickle_text.h"

namespace darp {
namespace {

constexpr const char* kDamagedPickle =
    "the file is damaged or was not written by numpy: copy or create it again";

void require(bool condition, std::string_view what, const std::string& where) {
  if (!condition) throw Error(where, what, kDamagedPickle);
}

bool is_integer(const PickleValue& value, int64_t wanted) {
  const auto* number = value.get<int64_t>();
  return number != nullptr && *number == wanted;
}

/// numpy writes flags as bool, its old releases as 0 or 1.
bool is_flag(const PickleValue& value) {
  return value.get<bool>() != nullptr || is_integer(value, 0) || is_integer(value, 1);
}

/// A complete dtype, which an array needs.
ElementType element_type(const PickleValue& value, const std::string& where) {
  const auto* type = value.get<PickleType>();
  require(type != nullptr, "an array without a dtype", where);
  require(type->complete, "an array whose dtype has no byte order", where);
  return type->type;
}

std::vector<uint64_t> array_shape(const PickleValue& value, const std::string& where) {
  constexpr size_t kMostDimensions = 64;  // numpy's own limit
  const auto* dimensions = value.get<PickleTuple>();
  require(dimensions != nullptr && dimensions->items.size() <= kMostDimensions,
          "an array whose shape is not a tuple of at most 64 dimensions", where);
  std::vector<uint64_t> shape;
  for (const PickleValue* item : dimensions->items) {
    const auto* size = item->get<int64_t>();
    require(size != nullptr && *size >= 0, "an array with a dimension that is no size", where);
    shape.push_back(static_cast<uint64_t>(*size));
  }
  return shape;
}

/// Fills in the contents and checks them against each other.
void complete_array(PickleArray& array, ArrayView view, const std::string& where) {
  check_array(view, where);
  array.view = std::move(view);
  array.complete = true;
}

PickleValue* make_array(PickleArena& arena, ArrayView view, const std::string& where) {
  auto array = std::make_unique<PickleArray>();
  complete_array(*array, std::move(view), where);
  return arena.make(std::move(array));
}

/// _reconstruct(ndarray, (0,), b'b'): an array still without contents.
PickleValue* reconstruct(PickleArena& arena, const PickleItems& args, const std::string& where) {
  bool good = args.size() == 3;
  if (good) {
    const auto* subtype = args[0]->get<PickleGlobal>();
    const auto* shape = args[1]->get<PickleTuple>();
    const auto code = args[2]->bytes();
    good = subtype && *subtype == PickleGlobal::kNdarray && shape && shape->items.size() == 1 &&
           is_integer(*shape->items[0], 0) && code && as_text(*code) == "b";
  }
  require(good, "_reconstruct with arguments other than (ndarray, (0,), b'b')", where);
  return arena.make(std::make_unique<PickleArray>());
}

/// dtype('f4', False, True): a type still without byte order.
PickleValue* make_type(PickleArena& arena, const PickleItems& args, const std::string& where) {
  const std::string code(args.size() == 3 ? args[0]->text().value_or("") : "");
  require(!code.empty() && is_flag(*args[1]) && is_flag(*args[2]),
          "dtype with arguments other than a type code and two flags", where);
  if (code[0] == 'O')
    throw Error(where, "holds an array of Python objects (dtype object)",
                "only numbers are read: save arrays of one shape, e.g. with .astype('float32')");
  return arena.make(PickleType{parse_element_type("=" + code, where)});
}

/// scalar(dtype, b'...'): an array of no dimensions.
PickleValue* make_scalar(PickleArena& arena, const PickleItems& args, const std::string& where) {
  const auto bytes = args.size() == 2 ? args[1]->bytes() : std::nullopt;
  require(bytes.has_value(), "scalar with arguments other than a dtype and bytes", where);
  return make_array(arena, {element_type(*args[0], where), {}, false, *bytes}, where);
}

/// _frombuffer(b'...', dtype, shape, 'C' or 'F'): how protocol 5 stores arrays.
PickleValue* from_buffer(PickleArena& arena, const PickleItems& args, const std::string& where) {
  const auto bytes = args.size() == 4 ? args[0]->bytes() : std::nullopt;
  const auto order = bytes ? args[3]->text() : std::nullopt;
  require(order == "C" || order == "F",
          "_frombuffer with arguments other than bytes, a dtype, a shape and 'C' or 'F'", where);
  return make_array(
      arena, {element_type(*args[1], where), array_shape(*args[2], where), order == "F", *bytes},
      where);
}

/// (3, '<', None, None, None, -1, -1, 0): version, byte order, no fields, size, alignment, flags.
void set_type_state(PickleType& type, const PickleItems& state, const std::string& where) {
  const auto order = state.size() == 8 ? state[1]->text() : std::nullopt;
  bool good = !type.complete && order && is_integer(*state[0], 3) &&
              (is_integer(*state[5], -1) || is_integer(*state[5], type.type.size)) &&
              state[6]->get<int64_t>() && state[7]->get<int64_t>();
  for (size_t i = 2; i < 5; ++i) good = good && state[i]->get<PickleNone>();
  const bool single_bytes = type.type.size == 1 || type.type.kind == 'S';
  good = good && (order == "<" || order == ">" || order == "=" || (order == "|" && single_bytes));
  require(good, "a dtype whose state is not that of a plain type", where);
  type.type.big_endian = order == ">";
  type.complete = true;
}

/// (1, shape, dtype, is_fortran, rawdata).
void set_array_state(PickleArray& array, const PickleItems& state, const std::string& where) {
  require(!array.complete && state.size() == 5 && is_integer(*state[0], 1),
          "an array whose state is not (1, shape, dtype, order, bytes)", where);
  const auto* fortran = state[3]->get<bool>();
  const auto bytes = state[4]->bytes();
  require(fortran != nullptr && bytes, "an array whose contents are not bytes in a known order",
          where);
  complete_array(array,
                 {element_type(*state[2], where), array_shape(*state[1], where), *fortran, *bytes},
                 where);
}

}  // namespace

std::optional<PickleGlobal> find_pickle_global(std::string_view module, std::string_view name) {
  struct Allowed {
    std::string_view module, name;
    PickleGlobal global;
  };
  // numpy 2 renamed numpy.core to numpy._core.
  constexpr std::array kAllowed = {
      Allowed{"numpy.core.multiarray", "_reconstruct", PickleGlobal::kReconstruct},
      Allowed{"numpy._core.multiarray", "_reconstruct", PickleGlobal::kReconstruct},
      Allowed{"numpy", "ndarray", PickleGlobal::kNdarray},
      Allowed{"numpy", "dtype", PickleGlobal::kDtype},
      Allowed{"numpy.core.multiarray", "scalar", PickleGlobal::kScalar},
      Allowed{"numpy._core.multiarray", "scalar", PickleGlobal::kScalar},
      Allowed{"numpy.core.numeric", "_frombuffer", PickleGlobal::kFromBuffer},
      Allowed{"numpy._core.numeric", "_frombuffer", PickleGlobal::kFromBuffer},
      Allowed{"_codecs", "encode", PickleGlobal::kEncode}};
  for (const Allowed& allowed : kAllowed)
    if (allowed.module == module && allowed.name == name) return allowed.global;
  return std::nullopt;
}

PickleValue* PickleCalls::call(PickleGlobal function, const PickleItems& arguments,
                               const std::string& where) {
  switch (function) {
    case PickleGlobal::kReconstruct:
      return reconstruct(arena_, arguments, where);
    case PickleGlobal::kDtype:
      return make_type(arena_, arguments, where);
    case PickleGlobal::kScalar:
      return make_scalar(arena_, arguments, where);
    case PickleGlobal::kFromBuffer:
      return from_buffer(arena_, arguments, where);
    case PickleGlobal::kEncode:
      return encode(arguments, where);
    case PickleGlobal::kNdarray:
      break;
  }
  throw Error(where, "calls numpy.ndarray, which numpy's own pickles never do", kDamagedPickle);
}

PickleValue* PickleCalls::encode(const PickleItems& arguments, const std::string& where) {
  const auto* text = arguments.size() == 2 ? arguments[0]->get<PickleText>() : nullptr;
  require(text != nullptr && arguments[1]->text() == "latin1",
          "_codecs.encode with arguments other than text and 'latin1'", where);
  auto latin = encode_latin1(text->text);
  require(latin.has_value(), "_codecs.encode of text that is not Latin-1", where);
  // One text could be encoded again and again: all results together must stay below the file.
  require(latin->size() <= byte_budget_, "unpacks to more bytes than the file holds", where);
  byte_budget_ -= latin->size();
  return arena_.make(PickleBytes{as_byte_span(arena_.keep(std::move(*latin)))});
}

void PickleCalls::set_state(PickleValue& target, const PickleValue& state,
                            const std::string& where) {
  const auto* items = state.get<PickleTuple>();
  require(items != nullptr, "a state that is not a tuple", where);
  if (auto* type = target.get<PickleType>()) {
    set_type_state(*type, items->items, where);
  } else if (auto* array = target.get<std::unique_ptr<PickleArray>>()) {
    set_array_state(**array, items->items, where);
  } else {
    throw Error(where, fmt::format("sets the state of {}", target.kind_name()), kDamagedPickle);
  }
}

}  // namespace darp
