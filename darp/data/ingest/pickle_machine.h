#pragma once
// The stack machine behind unpickle(): one object reads one file.

#include <string>
#include <vector>

#include "darp/data/ingest/pickle_calls.h"
#include "darp/data/ingest/pickle_opcodes.h"
#include "darp/data/ingest/unpickle.h"

namespace darp {

class PickleMachine {
 public:
  /// Makes its values in `arena`, which must outlive it.
  PickleMachine(Bytes file, const std::string& source, PickleArena& arena);

  /// Runs to STOP and returns the one value left. Call once.
  PickleValue* run();

 private:
  // Each carries out the opcodes of one kind and tells whether `code` was one of them.
  bool run_number(PickleOpcode code);
  bool run_string(PickleOpcode code);
  bool run_container(PickleOpcode code);
  bool run_memo(PickleOpcode code);
  bool run_call(PickleOpcode code);
  bool run_framing(PickleOpcode code);
  [[noreturn]] void refuse(PickleOpcode code) const;
  [[noreturn]] void refuse_global(std::string_view module, std::string_view name) const;
  /// What is wrong with the opcode at hand.
  [[noreturn]] void damaged(std::string_view what) const;
  std::string place() const;

  // Reading the file.
  std::string_view take_line();
  std::string_view take_text(uint64_t size) { return as_text(reader_.take(size)); }
  std::string_view take_utf8(uint64_t size);
  uint64_t take_index_line();
  template <class T>
  T required(std::optional<T> value, std::string_view what) const {
    if (!value) damaged(what);
    return std::move(*value);
  }

  // The stack. Nothing is popped past the last mark.
  void push(PickleValue* value) { stack_.push_back(value); }
  void push_new(PickleValue::Data data) { push(arena_.make(std::move(data))); }
  PickleValue* pop();
  PickleValue* top() const;
  /// All values since the last mark, which goes too.
  PickleItems pop_to_mark();
  PickleItems pop_some(size_t count);
  void push_global(std::string_view module, std::string_view name);
  void push_tuple(PickleItems items);
  void append(const PickleItems& items);
  void set_items(const PickleItems& items);
  void memoize(uint64_t index);

  Bytes file_;
  const std::string& source_;
  ByteReader reader_;
  PickleArena& arena_;
  PickleCalls calls_;
  size_t position_ = 0;   // where the opcode at hand starts
  size_t frame_end_ = 0;  // 0: outside of a frame
  std::vector<PickleValue*> stack_;
  std::vector<size_t> marks_;  // stack sizes
  std::vector<PickleValue*> memo_;
  // Values that never change need not be made anew for each byte of the file.
  PickleValue *const none_, *const true_, *const false_, *const empty_tuple_;
};

}  // namespace darp
