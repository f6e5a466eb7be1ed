#include "darp/core/freed_memory.h"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <limits>

namespace darp {

void keep_freed_memory() {
#ifdef __GLIBC__
  // Larger pieces are mapped one by one, and unmapped when freed. 32 MiB is the most glibc takes.
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

}  // namespace darp
