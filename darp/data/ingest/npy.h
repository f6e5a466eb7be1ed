#pragma once
// One array in numpy's .npy format, which is what the members of an NPZ archive are.

#include <string>
#include <string_view>
#include <vector>

#include "darp/data/ingest/array.h"

namespace darp {

/// The array that `file` holds, as a view on its bytes. Versions 1 to 3. Throws Error naming
/// `where` for anything that is not exactly such a file, and for arrays of Python objects or
/// structures: nothing is ever unpickled.
ArrayView parse_npy(Bytes file, const std::string& where);

/// The bytes before the numbers of a C-ordered array: version 1.0, a multiple of 64 bytes long.
std::string npy_header(const ElementType& type, const std::vector<uint64_t>& shape);

}  // namespace darp
