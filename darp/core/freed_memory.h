#pragma once
// What happens to memory that is freed.

namespace darp {

/// For programs that allocate and free the same megabytes over and over, as LibTorch does with
/// every tensor of a training step: from here on the process keeps what it frees instead of giving
/// it back to the system, which would hand out each page anew, filled with zeros. Costs what was
/// once needed at most. For the whole process; does nothing where the allocator is not glibc's.
void keep_freed_memory();

}  // namespace darp
