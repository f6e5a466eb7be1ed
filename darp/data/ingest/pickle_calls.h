#pragma once
// What the few functions that a pickle may name mean here. Nothing is looked up or executed: each
// is a case that checks its arguments strictly and makes a value.

#include <optional>
#include <string>
#include <string_view>

#include "darp/data/ingest/pickle_value.h"

namespace darp {

/// The allowed global of this name, or nothing.
std::optional<PickleGlobal> find_pickle_global(std::string_view module, std::string_view name);

/// Carries out REDUCE and BUILD. Values are made in `arena`.
class PickleCalls {
 public:
  /// @param byte_budget the most bytes that text decoding may make in all: the file's size.
  PickleCalls(PickleArena& arena, uint64_t byte_budget)
      : arena_(arena), byte_budget_(byte_budget) {}

  /// function(*arguments). Throws Error naming `where` when the arguments are not what numpy
  /// writes.
  PickleValue* call(PickleGlobal function, const PickleItems& arguments, const std::string& where);
  /// Completes a dtype or an array that call() has made; each can be completed once.
  void set_state(PickleValue& target, const PickleValue& state, const std::string& where);

 private:
  PickleValue* encode(const PickleItems& arguments, const std::string& where);

  PickleArena& arena_;
  uint64_t byte_budget_;
};

}  // namespace darp
