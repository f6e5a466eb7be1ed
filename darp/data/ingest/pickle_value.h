#pragma once
// What a pickle is made of once it is read: plain values in one arena. Values may be shared and may
// form cycles, so nobody may walk them without a limit; the arena frees them one by one.

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "darp/data/ingest/array.h"

namespace darp {

struct PickleValue;
using PickleItems = std::vector<PickleValue*>;

struct PickleNone {};
/// str: valid UTF-8.
struct PickleText {
  std::string_view text;
};
/// bytes or bytearray.
struct PickleBytes {
  Bytes bytes;
};
/// str of Python 2, which stood for text as well as for bytes.
struct PickleByteText {
  std::string_view text;
};
struct PickleList {
  PickleItems items;
};
struct PickleTuple {
  PickleItems items;
};
/// Entries in the order of the file; a hostile file may name a key twice.
struct PickleDict {
  std::vector<std::pair<PickleValue*, PickleValue*>> entries;
};
/// The only names a pickle may look up.
enum class PickleGlobal { kReconstruct, kNdarray, kDtype, kScalar, kFromBuffer, kEncode };
/// numpy.dtype; `complete` once its state has been set.
struct PickleType {
  ElementType type;
  bool complete = false;
};
/// numpy.ndarray or a numpy scalar (which has no dimensions). `complete` once it has its contents;
/// its bytes then fit its type and shape.
struct PickleArray {
  ArrayView view;
  bool complete = false;
};

struct PickleValue {
  using Data = std::variant<PickleNone, bool, int64_t, double, PickleText, PickleBytes,
                            PickleByteText, PickleList, PickleTuple, PickleDict, PickleGlobal,
                            PickleType, std::unique_ptr<PickleArray>>;
  Data data;

  template <class T>
  const T* get() const {
    return std::get_if<T>(&data);
  }
  template <class T>
  T* get() {
    return std::get_if<T>(&data);
  }
  const PickleArray* array() const;
  /// str of either Python, or nothing.
  std::optional<std::string_view> text() const;
  /// bytes, bytearray or the str of Python 2, or nothing.
  std::optional<Bytes> bytes() const;
  /// For messages: "a list", "an array".
  std::string_view kind_name() const;
};

/// Owns values and decoded text; addresses stay valid for its life, also when it is moved.
class PickleArena {
 public:
  PickleValue* make(PickleValue::Data data);
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

 private:
  std::deque<PickleValue> values_;
  std::deque<std::string> texts_;
};

}  // namespace darp
