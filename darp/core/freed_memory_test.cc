#include "darp/core/freed_memory.h"

#include <gtest/gtest.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <vector>

namespace darp {
namespace {

TEST(FreedMemory, StaysWithTheProcess) {
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  keep_freed_memory();
  constexpr size_t kPiece = 8 << 20, kPieces = 16;
  const auto free_in_heap = [] { return ::mallinfo2().fordblks; };
  const size_t before = free_in_heap();
  {
    std::vector<std::vector<char>> pieces(kPieces);
    for (auto& piece : pieces) piece.resize(kPiece, 1);
  }
  EXPECT_GE(free_in_heap() + (1 << 20), before + kPiece * kPieces);
#else
  keep_freed_memory();
  GTEST_SKIP() << "this program's allocator is not glibc's: nothing to keep";
#endif
}

}  // namespace
}  // namespace darp
