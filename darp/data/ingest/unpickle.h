#pragma once
// Reads a Python pickle (protocols 0 to 5) without executing anything: a stack machine that knows
// lists, tuples, dicts, strings, bytes, numbers and numpy arrays, and refuses all else by name.

#include <string>

#include "darp/core/bytes.h"
#include "darp/data/ingest/pickle_value.h"

namespace darp {

/// A pickle's values. They look into the bytes that were read, which must live as long.
struct Pickle {
  PickleArena arena;
  const PickleValue* root = nullptr;
};

/// Reads one pickle that fills `file` from the first byte to the last. Time and memory grow
/// linearly with the file (a hostile one needs some 80 bytes for each of its own); arrays and long
/// strings are views, not copies. Throws Error naming `source` and the byte. Threads may call this
/// at the same time.
Pickle unpickle(Bytes file, const std::string& source);

}  // namespace darp
